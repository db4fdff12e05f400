public import NostrCrypto

/// A public key with hints where its owner is found (NIP-19, `nprofile`).
public struct ProfileReference: Sendable, Hashable {
    /// Whose profile it is.
    public let publicKey: PublicKey
    /// Addresses of relays as they were written, not checked.
    public let relays: [String]

    /// A reference.
    public init(publicKey: PublicKey, relays: [String] = []) {
        self.publicKey = publicKey
        self.relays = relays
    }

    init(_ entries: EntryList) throws(EventError) {
        publicKey = try NIP19.publicKey(entries.special32())
        relays = entries.relays()
    }

    func entries() throws(EventError) -> EntryList {
        var entries = EntryList()
        try entries.append(EntryList.EntryType.special, publicKey.bytes.array)
        try entries.append(relays: relays)
        return entries
    }
}

/// The id of an event with hints where it is found (NIP-19, `nevent`; also what an `e` tag holds).
public struct EventReference: Sendable, Hashable {
    /// Which event it is.
    public let id: EventID
    /// Addresses of relays as they were written, not checked.
    public let relays: [String]
    /// The public key of the event's author, as somebody claims.
    public let author: Bytes32?
    /// The event's kind, as somebody claims.
    public let kind: Kind?

    /// A reference.
    public init(id: EventID, relays: [String] = [], author: Bytes32? = nil, kind: Kind? = nil) {
        self.id = id
        self.relays = relays
        self.author = author
        self.kind = kind
    }

    init(_ entries: EntryList) throws(EventError) {
        id = EventID(try entries.special32())
        relays = entries.relays()
        author = try entries.first32(EntryList.EntryType.author)
        kind = try entries.kind()
    }

    func entries() throws(EventError) -> EntryList {
        var entries = EntryList()
        try entries.append(EntryList.EntryType.special, id.bytes.array)
        if let author { try entries.append(EntryList.EntryType.author, author.array) }
        if let kind { try entries.append(kind) }
        try entries.append(relays: relays)
        return entries
    }
}

/// The address of an addressable or replaceable event with hints where it is found (NIP-19, `naddr`).
public struct AddressReference: Sendable, Hashable {
    /// The event's kind, addressable or replaceable.
    public let kind: Kind
    /// The public key of the event's author.
    public let author: Bytes32
    /// The value of the event's `d` tag; empty for a replaceable event.
    public let identifier: String
    /// Addresses of relays as they were written, not checked.
    public let relays: [String]

    /// A reference.
    public init(kind: Kind, author: Bytes32, identifier: String, relays: [String] = []) {
        self.kind = kind
        self.author = author
        self.identifier = identifier
        self.relays = relays
    }

    init(_ entries: EntryList) throws(EventError) {
        guard let special = entries.first(EntryList.EntryType.special),
            let author = try entries.first32(EntryList.EntryType.author), let kind = try entries.kind()
        else { throw .invalidIdentifier(.missingEntry) }
        guard let identifier = String(validating: special, as: UTF8.self) else {
            throw .invalidIdentifier(.invalidIdentifierText)
        }
        self.init(kind: kind, author: author, identifier: identifier, relays: entries.relays())
    }

    func entries() throws(EventError) -> EntryList {
        var entries = EntryList()
        try entries.append(EntryList.EntryType.special, identifier.utf8)
        try entries.append(EntryList.EntryType.author, author.array)
        try entries.append(kind)
        try entries.append(relays: relays)
        return entries
    }
}
