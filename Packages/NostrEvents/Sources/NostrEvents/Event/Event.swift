public import NostrCrypto

/// A checked event: its id is the hash of its contents and its signature is by its public key (NIP-01). There are two
/// ways to hold one: to verify a ``WireEvent`` or to sign.
///
/// ```swift
/// let note = Event(kind: .textNote, content: "hello", createdAt: now, signedBy: keyPair)
/// let received = try Event(json: bytes)
/// ```
public struct Event: Sendable {
    /// The hash of the contents (NIP-01).
    public let id: EventID
    /// The author.
    public let publicKey: PublicKey
    /// The author's signature over the id.
    public let signature: Signature
    let body: EventBody

    private init(id: EventID, publicKey: PublicKey, signature: Signature, body: EventBody) {
        self.id = id
        self.publicKey = publicKey
        self.signature = signature
        self.body = body
    }

    /// Checks an event: recomputes the id, then verifies the signature.
    /// - Throws: ``EventError/idMismatch``, ``EventError/invalidPublicKey`` or ``EventError/invalidSignature``.
    public init(verifying event: WireEvent) throws(EventError) {
        guard event.hasValidID else { throw .idMismatch }
        let publicKey: PublicKey
        do {
            publicKey = try PublicKey(event.pubkey)
        } catch {
            throw .invalidPublicKey
        }
        try self.init(event, publicKey)
    }

    /// Checks an event whose author's key was parsed before, which saves a tenth of the work.
    /// - Throws: ``EventError/invalidPublicKey`` if it is another key than the event's, ``EventError/idMismatch`` or
    ///   ``EventError/invalidSignature``.
    public init(verifying event: WireEvent, by publicKey: PublicKey) throws(EventError) {
        guard publicKey.bytes == event.pubkey else { throw .invalidPublicKey }
        guard event.hasValidID else { throw .idMismatch }
        try self.init(event, publicKey)
    }

    /// Checks an event whose author's key may have been parsed before.
    /// - Throws: What ``init(verifying:)`` throws.
    public init(verifying event: WireEvent, keys: PublicKeyCache) throws(EventError) {
        guard event.hasValidID else { throw .idMismatch }
        let publicKey: PublicKey
        do {
            publicKey = try keys.key(for: event.pubkey)
        } catch {
            throw .invalidPublicKey
        }
        try self.init(event, publicKey)
    }

    private init(_ event: WireEvent, _ publicKey: PublicKey) throws(EventError) {
        guard publicKey.verify(event.signature, digest: event.id.bytes) else { throw .invalidSignature }
        self.init(id: event.id, publicKey: publicKey, signature: event.signature, body: event.body)
    }

    /// Reads an event from UTF-8 JSON and checks it.
    /// - Throws: What ``WireEvent/init(json:limits:)-([UInt8],_)`` and ``init(verifying:)`` throw.
    public init(json: [UInt8], limits: EventLimits = .standard) throws(EventError) {
        try self.init(verifying: WireEvent(json: json, limits: limits))
    }

    /// Reads an event from JSON text and checks it.
    public init(json: String, limits: EventLimits = .standard) throws(EventError) {
        try self.init(verifying: WireEvent(json: json, limits: limits))
    }

    /// Makes and signs an event.
    /// - Parameter createdAt: Seconds since 1970; a time before that counts as 1970, one beyond 2^53 - 1 as that.
    public init(
        kind: Kind,
        content: String,
        tags: [Tag] = [],
        createdAt: Int64,
        signedBy keyPair: KeyPair,
        random: RandomSource = .system
    ) {
        let rumor = Rumor(
            pubkey: keyPair.publicKey.bytes,
            kind: kind,
            content: content,
            tags: tags,
            createdAt: createdAt
        )
        self.init(id: rumor.id, signing: rumor.body, keyPair, random)
    }

    /// Signs what a rumor says.
    /// - Throws: ``EventError/invalidPublicKey`` if the rumor is by another key.
    public init(signing rumor: Rumor, with keyPair: KeyPair, random: RandomSource = .system) throws(EventError) {
        guard rumor.pubkey == keyPair.publicKey.bytes else { throw .invalidPublicKey }
        self.init(id: rumor.id, signing: rumor.body, keyPair, random)
    }

    private init(id: EventID, signing body: EventBody, _ keyPair: KeyPair, _ random: RandomSource) {
        let signature = keyPair.sign(id.bytes, random: random)
        self.init(id: id, publicKey: keyPair.publicKey, signature: signature, body: body)
    }

    /// The x coordinate of ``publicKey``.
    public var pubkey: Bytes32 { publicKey.bytes }
    /// Seconds since 1970, from 0 to 2^53 - 1.
    public var createdAt: Int64 { body.createdAt }
    /// What kind of event it is.
    public var kind: Kind { body.kind }
    /// The tags, read as they are walked over.
    public var tags: Tags { body.tags }
    /// The content; each call makes a new string.
    public var content: String { body.content }

    /// The same event as it would be read from the network.
    public var wire: WireEvent { WireEvent(id: id, signature: signature, body: body) }

    /// The event as compact UTF-8 JSON with the fields in the order of NIP-01 and nothing else.
    public var json: [UInt8] { wire.json }

    /// Appends ``json``.
    public func appendJSON(to output: inout [UInt8]) {
        body.appendJSON(id: id, signature: signature, to: &output)
    }
}

extension Event: Hashable {
    /// Events of one id are the same event; signatures of it may differ.
    public static func == (left: Event, right: Event) -> Bool {
        left.id == right.id
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
    }
}

extension Event: CustomStringConvertible {
    /// The event as JSON.
    public var description: String { String(decoding: json, as: UTF8.self) }
}
