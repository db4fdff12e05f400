public import LinkstrLinks
public import NostrCrypto
public import NostrEvents

/// One authentic, valid rumor, reduced to what it says about a session. State follows from the set of facts alone.
public struct Fact: Hashable, Sendable {
    /// The rumor's time and id.
    public let moment: Moment
    /// Who sealed it: the only authority there is.
    public let sender: Bytes32
    /// Which session it is about.
    public let session: SessionID
    /// What it says.
    public let statement: Statement

    /// What it says.
    public enum Statement: Hashable, Sendable {
        /// A complete member list.
        case snapshot(name: String?, members: [Bytes32], isCreate: Bool)
        /// The session is over, for everybody.
        case sessionDelete
        /// A link was posted; the rumor's id is the post's.
        case root(url: WebURL, note: String?)
        /// A post is taken back.
        case rootDelete(EventID)
        /// A reaction to a post is set, or taken back.
        case reaction(root: EventID, emoji: ExactText, isActive: Bool)
    }

    /// A fact of its parts, which are taken as authentic.
    public init(moment: Moment, sender: Bytes32, session: SessionID, statement: Statement) {
        self.moment = moment
        self.sender = sender
        self.session = session
        self.statement = statement
    }

    /// The rumor's id.
    public var id: EventID { moment.id }
    /// The rumor's time, seconds since 1970.
    public var time: Int64 { moment.time }
}

/// How a rumor reached this device.
public enum Source: String, Hashable, Sendable {
    /// In answer to a question about the past.
    case historical
    /// As it happened.
    case live
}
