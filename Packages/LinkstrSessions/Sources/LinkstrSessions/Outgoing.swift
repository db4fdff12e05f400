public import NostrCrypto
public import NostrEvents

/// A statement that may be sent: the rumor, who gets a copy, and the fact to store once relays have accepted it.
public struct Outgoing: Hashable, Sendable {
    /// What is sealed and wrapped for each recipient.
    public let rumor: Rumor
    /// What the rumor will mean here and elsewhere. It is stored after acceptance, never before.
    public let fact: Fact
    /// Whose copies decide whether the sending succeeded, without repetition: the sender first, then ascending.
    public let recipients: [Bytes32]
    /// Who gets a copy that decides nothing: former members, and members whom the statement leaves out. Ascending.
    public let bestEffort: [Bytes32]
    /// What the person should know before it is sent.
    public let warnings: [Warning]

    /// Not a reason to refuse.
    public enum Warning: Hashable, Sendable, CustomStringConvertible {
        /// The session's clock runs so many seconds ahead of this device's: the statement takes effect only then.
        case sessionClockAhead(seconds: Int64)
        /// Some relays refuse events as large as this one becomes; the rumor has this many bytes.
        case large(size: Int)
        /// So many members get a copy each.
        case manyMembers(Int)

        public var description: String {
            switch self {
            case .sessionClockAhead(let seconds):
                "The session's clock is \(seconds) seconds ahead of this device's, so this takes effect only then."
            case .large(let size):
                "The message has \(size) bytes; relays that accept at most 64 KiB will refuse it."
            case .manyMembers(let count):
                "The session has \(count) members, and each gets a copy of every message."
            }
        }
    }

    /// The most bytes of rumor JSON that two layers of NIP-44 without its extended length can hold.
    public static let maximumRumorSize = 40_960
    /// More bytes of rumor JSON than this make a wrap above 64 KiB.
    public static let largeRumorSize = 28_672
    /// From more members on a warning is given.
    public static let manyMembers = 100
    /// Seconds that the session's clock may be ahead before a warning is given.
    public static let toleratedClockAhead: Int64 = 600
    /// Characters of a note.
    public static let maximumNoteLength = 4_000
}

/// Why something is not sent.
public enum OutgoingError: Error, Equatable, Sendable, CustomStringConvertible {
    /// There is no such session, or it was deleted.
    case unknownSession
    /// There is no such post, or it was deleted.
    case unknownPost
    /// Only members can do this.
    case notAMember
    /// Only who made the session can do this.
    case notTheCreator
    /// Only the author of a post can delete it.
    case notTheAuthor
    /// Several claim the session and the person has not said whose it is.
    case unconfirmedCreator
    /// A session needs a name.
    case emptyName
    /// The creator cannot be left out.
    case creatorLeftOut
    /// The note has more characters than are sent.
    case noteTooLong(limit: Int)
    /// A reaction is one emoji.
    case notOneEmoji
    /// The rumor would be too large to be sealed and wrapped; sizes in bytes.
    case tooLarge(size: Int, limit: Int)
    /// It would not count when it arrives, for instance because a listed member is no public key, so it is not sent.
    case wouldNotCount

    public var description: String {
        switch self {
        case .unknownSession: "There is no such session."
        case .unknownPost: "There is no such post."
        case .notAMember: "You are not a member of this session now."
        case .notTheCreator: "Only the creator of the session can do this."
        case .notTheAuthor: "Only the author of a post can delete it."
        case .unconfirmedCreator:
            "Several people claim to have made this session. Confirm whose it is before anything is sent into it."
        case .emptyName: "A session needs a name."
        case .creatorLeftOut: "The creator of a session cannot be removed from it."
        case .noteTooLong(let limit): "A note has at most \(limit) characters."
        case .notOneEmoji: "A reaction is a single emoji."
        case .tooLarge(let size, let limit):
            "The message has \(size) bytes, and only \(limit) can be sent: shorten the text or the member list."
        case .wouldNotCount:
            "Receivers would not count this; look at the session and its members again."
        }
    }
}
