public import NostrCrypto
public import NostrEvents

/// A fact as it reached this device: what ``SessionStore/apply(_:now:)`` takes in.
public struct Arrival: Sendable {
    /// What it says.
    public var fact: Fact
    /// How it came.
    public var source: Source
    /// The gift wraps it came in or was sent in. Kept for posts, so that relays can be asked to drop them.
    public var wraps: [WrapReference]
    /// Whether this device made it. Its wraps are all kept, and another device's member lists are compared with its own.
    public var isMadeHere: Bool
    /// The seal of the owner's copy as JSON, kept for member lists and deletes so that it can be wrapped again when relays
    /// have forgotten it. Empty where there is none.
    public var seal: [UInt8]
    /// Whether a post is unread, where another device of the same account has decided it. Nil: by how it came.
    public var isUnread: Bool?

    /// A fact and how it came.
    public init(
        _ fact: Fact,
        source: Source,
        wraps: [WrapReference] = [],
        isMadeHere: Bool = false,
        seal: [UInt8] = []
    ) {
        self.fact = fact
        self.source = source
        self.wraps = wraps
        self.isMadeHere = isMadeHere
        self.seal = seal
    }
}

/// A gift wrap: its id and whose copy it is.
public struct WrapReference: Hashable, Sendable {
    /// The wrap's event id.
    public let id: EventID
    /// The key of its `p` tag.
    public let recipient: Bytes32

    /// A wrap of its parts.
    public init(id: EventID, recipient: Bytes32) {
        self.id = id
        self.recipient = recipient
    }
}

/// A seal that is kept, see ``Arrival/seal``.
public struct KeptSeal: Hashable, Sendable {
    /// Where it stands among the others; ascending.
    public let row: Int64
    /// The rumor inside.
    public let rumor: EventID
    /// The session the rumor is about.
    public let session: SessionID
    /// The seal as JSON.
    public let json: [UInt8]
}
