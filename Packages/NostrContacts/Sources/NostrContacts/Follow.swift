public import NostrCrypto
public import NostrEvents

/// Somebody who is followed: a `p` tag of a follow list (NIP-02).
public struct Follow: Hashable, Sendable {
    /// Whom it is about. Not every 32 bytes are a key: make a `PublicKey` of them before anything is sent to it.
    public let key: Bytes32
    /// A relay where their events are found, as it was written; nil if none is named.
    public let relayHint: String?
    /// The name that the list's owner gave them, visible to everybody; nil if there is none.
    public let petname: String?

    /// Somebody to follow.
    public init(_ key: PublicKey, relayHint: String? = nil, petname: String? = nil) {
        self.key = key.bytes
        self.relayHint = relayHint
        self.petname = petname
    }

    /// Reads a tag; nil if it is no `p` tag or its value is no 64 hexadecimal digits. Spaces around them and capitals are
    /// forgiven.
    public init?(_ tag: Tag) {
        guard let key = Self.key(of: tag) else { return nil }
        self.key = key
        relayHint = tag[2].flatMap { $0.isEmpty ? nil : $0 }
        petname = tag[3].flatMap { $0.isEmpty ? nil : $0 }
    }

    static func key(of tag: Tag) -> Bytes32? {
        guard tag.letter == .p, let value = tag.value else { return nil }
        if value.utf8.count == 64, let key = try? Bytes32(hex: value) { return key }
        guard value.utf8.count <= 256 else { return nil }
        var digits = value[...]
        while digits.first?.isWhitespace == true { digits.removeFirst() }
        while digits.last?.isWhitespace == true { digits.removeLast() }
        return try? Bytes32(hex: digits.lowercased())
    }

    /// The tag of a new entry.
    var tag: Tag {
        if let petname { return Tag("p", key.hex, relayHint ?? "", petname) }
        if let relayHint { return Tag("p", key.hex, relayHint) }
        return Tag("p", key.hex)
    }
}
