public import NostrCrypto

/// An unsigned event (NIP-59). Its id is always the hash of its contents; who wrote it is not proven.
public struct Rumor: Sendable {
    /// The hash of the contents (NIP-01).
    public let id: EventID
    let body: EventBody

    /// Makes a rumor.
    /// - Parameter createdAt: Seconds since 1970; a time before that counts as 1970, one beyond 2^53 - 1 as that.
    public init(pubkey: Bytes32, kind: Kind, content: String, tags: [Tag] = [], createdAt: Int64) {
        body = EventBody(
            pubkey: pubkey,
            createdAt: min(max(createdAt, 0), JSONReader.greatestInteger),
            kind: kind,
            tags: tags,
            content: content
        )
        id = body.computeID()
    }

    /// Reads a rumor from UTF-8 JSON, which is kept as its storage. The rules are those of ``WireEvent``, but there
    /// must be no `sig`, and `id` may be absent.
    /// - Throws: ``EventError/unexpectedSignature`` for a signed event, ``EventError/idMismatch`` if there is an `id`
    ///   that is not the hash, and what ``WireEvent`` throws.
    public init(json: [UInt8], limits: EventLimits = .standard) throws(EventError) {
        guard json.count <= limits.size else { throw .tooLarge(limit: limits.size) }
        let parser = try json.withRawSpan { (bytes) throws(EventError) in
            let parser = try EventParser(bytes, from: 0, as: .rumor, limits: limits)
            var reader = JSONReader(at: parser.end)
            try reader.finish(bytes)
            return parser
        }
        body = EventBody(buffer: json, layout: parser.layout)
        id = body.computeID()
        if let claimed = parser.id, claimed != id.bytes { throw .idMismatch }
    }

    /// Reads a rumor from JSON text.
    public init(json: String, limits: EventLimits = .standard) throws(EventError) {
        try self.init(json: Array(json.utf8), limits: limits)
    }

    /// The public key it claims to be by, which may be no point on the curve.
    public var pubkey: Bytes32 { body.pubkey }
    /// Seconds since 1970, from 0 to 2^53 - 1.
    public var createdAt: Int64 { body.createdAt }
    /// What kind of event it is.
    public var kind: Kind { body.kind }
    /// The tags, read as they are walked over.
    public var tags: Tags { body.tags }
    /// The content; each call makes a new string.
    public var content: String { body.content }

    /// The serialisation that is hashed into the id (NIP-01), UTF-8.
    public var canonicalBytes: [UInt8] { body.canonicalBytes() }

    /// The rumor as compact UTF-8 JSON with its id, the fields in the order of NIP-01 and nothing else.
    public var json: [UInt8] {
        var output: [UInt8] = []
        appendJSON(to: &output)
        return output
    }

    /// Appends ``json``.
    public func appendJSON(to output: inout [UInt8]) {
        body.appendJSON(id: id, signature: nil, to: &output)
    }
}

extension Rumor: Hashable {
    public static func == (left: Rumor, right: Rumor) -> Bool {
        left.id == right.id
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

extension Rumor: CustomStringConvertible {
    /// The rumor as JSON.
    public var description: String { String(decoding: json, as: UTF8.self) }
}
