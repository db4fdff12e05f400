public import NostrCrypto

/// An event as it was read from JSON: well formed, but nothing in it is proven. ``Event/init(verifying:)`` proves it.
///
/// It holds the text it was read from and makes ``content`` and ``tags`` of it when they are asked for. Reading from an
/// array shares that array, so a relay's message and the event in it are one buffer, unless the event is the smaller
/// part of it.
///
/// ## What is accepted
///
/// The text is one JSON object (RFC 8259) with the seven fields of NIP-01 in any order and any white space.
///
/// - All seven must be there, each once; a second one is refused (``EventError/duplicateField(_:)``), also if its key
///   is spelled with escapes. Other keys are ignored, but their values must be JSON nested no deeper than 64 levels.
/// - `id`, `pubkey` and `sig` are lower-case hexadecimal of 64, 64 and 128 digits, without escapes.
/// - `created_at` is an integer from 0 to 2^53 - 1, `kind` one from 0 to 65,535, written with digits alone: a sign, a
///   fraction, an exponent (`1.0`, `1e9`, `-0`), a leading zero or a larger number is refused as
///   ``EventError/invalidField(_:)``.
/// - `tags` is an array of arrays of strings. It may be empty, an element may be empty and a tag may have one element;
///   a tag without an element is refused (``EventError/emptyTag``).
/// - Strings are valid UTF-8 without unescaped control characters. Escapes may be written in every way JSON allows;
///   half of a surrogate pair is refused, as no UTF-8 can be made of it. U+0000 is allowed.
/// - Sizes are bounded by ``EventLimits``, and anything but white space after the object is refused.
public struct WireEvent: Sendable {
    /// The id it claims to have.
    public let id: EventID
    /// The signature it claims to have.
    public let signature: Signature
    let body: EventBody

    init(id: EventID, signature: Signature, body: EventBody) {
        self.id = id
        self.signature = signature
        self.body = body
    }

    /// Reads an event from UTF-8 JSON, which is kept as its storage.
    public init(json: [UInt8], limits: EventLimits = .standard) throws(EventError) {
        let parser = try json.withRawSpan { (bytes) throws(EventError) in try Self.parse(bytes, limits) }
        try self.init(parser, buffer: json)
    }

    /// Reads an event from UTF-8 JSON, which is copied once, after it was found good.
    public init(copying json: RawSpan, limits: EventLimits = .standard) throws(EventError) {
        let parser = try Self.parse(json, limits)
        try self.init(parser, buffer: [UInt8](json))
    }

    /// Reads an event from JSON text.
    public init(json: String, limits: EventLimits = .standard) throws(EventError) {
        try self.init(json: Array(json.utf8), limits: limits)
    }

    private static func parse(_ bytes: RawSpan, _ limits: EventLimits) throws(EventError) -> EventParser {
        guard bytes.byteCount <= limits.size else { throw .tooLarge(limit: limits.size) }
        let parser = try EventParser(bytes, from: 0, as: .signed, limits: limits)
        var reader = JSONReader(at: parser.end)
        try reader.finish(bytes)
        return parser
    }

    /// Takes what was read from a buffer. The buffer is shared, unless most of it is something else: a small event
    /// shall not keep a large message alive.
    init(_ parser: EventParser, buffer: [UInt8]) throws(EventError) {
        guard let id = parser.id else { throw .missingField(.id) }
        guard let signature = parser.signature else { throw .missingField(.signature) }
        let body = EventBody(buffer: buffer, layout: parser.layout)
        let size = parser.end - parser.start
        let isMostlyEvent = buffer.count - size <= max(size, Self.leastExcess)
        self.init(
            id: EventID(id),
            signature: signature,
            body: isMostlyEvent ? body : body.compacted(to: parser.start..<parser.end)
        )
    }

    /// Bytes around an event that never are a reason to copy it.
    private static let leastExcess = 1_024

    /// The public key it claims to be by, which may be no point on the curve.
    public var pubkey: Bytes32 { body.pubkey }
    /// Seconds since 1970, from 0 to 2^53 - 1.
    public var createdAt: Int64 { body.createdAt }
    /// What kind of event it claims to be.
    public var kind: Kind { body.kind }
    /// The tags, read as they are walked over.
    public var tags: Tags { body.tags }
    /// The content; each call makes a new string.
    public var content: String { body.content }

    /// Whether ``id`` is the hash of the event (NIP-01). The signature is another question.
    public var hasValidID: Bool { body.computeID() == id }

    /// The event as compact UTF-8 JSON with the fields in the order of NIP-01 and nothing else.
    public var json: [UInt8] {
        var output: [UInt8] = []
        appendJSON(to: &output)
        return output
    }

    /// Appends ``json``.
    public func appendJSON(to output: inout [UInt8]) {
        body.appendJSON(id: id, signature: signature, to: &output)
    }
}
