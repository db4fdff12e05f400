public import LinkstrSessions
public import NostrCrypto
public import NostrEvents
public import NostrTransport

/// Something that happened to an account, told to whoever asked for ``AccountRuntime/events(buffering:)``.
public struct AccountEvent: Sendable {
    /// What it is.
    public let kind: Kind
    /// Seconds since 1970, by this device's clock.
    public let time: Int64
    /// Whether a person should be told: a post or a newly set reaction that came live, by somebody else, on time, in a session
    /// that is neither archived nor waiting for the person's word; or a chat message of that sort.
    public let isWorthNotifying: Bool

    init(_ kind: Kind, time: Int64, isWorthNotifying: Bool = false) {
        self.kind = kind
        self.time = time
        self.isWorthNotifying = isWorthNotifying
    }

    /// What can happen.
    public enum Kind: Sendable {
        /// A post came and counts, or came earlier and counts for the first time. The item is nil where it is hidden on this device.
        case posted(SessionID, EventID, by: Bytes32, SessionEffect.Delivery, FeedItem?)
        /// Somebody set a reaction or took it back.
        case reacted(SessionID, post: EventID, emoji: ExactText, by: Bytes32, isActive: Bool, SessionEffect.Delivery)
        /// A session is shown that was not.
        case sessionAppeared(SessionSummary)
        /// The name, the members or the marks of a session changed.
        case sessionChanged(SessionSummary)
        /// The creator ended a session.
        case sessionDeleted(SessionID, creator: Bytes32)
        /// A late member list changed which of the posts count that were told of before, or that the first restore brought.
        case recounted(SessionID, shown: Int, hidden: Int)
        /// Another device of this account changed the members of a session without knowing of a change made here: these people are in
        /// one list and not in the other, and the list goes to them again.
        case membersDiverged(SessionID, [Bytes32])
        /// The follow list or an alias changed.
        case contactsChanged
        /// Somebody's newest follow list names this account, and the one before did not.
        case followed(Follower)
        /// A message of a chat.
        case message(ChatEntry)
        /// What a post's link says of itself is known now.
        case metadata(SessionID, EventID, PostMetadata)
        /// A relay's connection changed.
        case relay(RelayURL, RelayState)
        /// History is being read.
        case progress(RestoreProgress)
        /// Every relay was read to its end, or could not be: what is shown is what there is.
        case restored
        /// Start-up went on.
        case stage(BootStage)
        /// This subscriber was too slow: so many events before this one are gone.
        case lost(Int)
        /// Something the person should know, in a sentence.
        case notice(String)
    }
}

/// How far reading history has come.
public struct RestoreProgress: Hashable, Sendable {
    /// Gift wraps that were read, from all relays.
    public var read = 0
    /// Of these, those that were new and could be opened.
    public var opened = 0
    /// Relays that are read to their end, or that could not be reached.
    public var settledRelays = 0
    /// Relays in all.
    public var relays = 0
}

/// Where start-up stands, in this order.
public enum BootStage: Int, Sendable, Comparable, CaseIterable, CustomStringConvertible {
    /// The keys are loaded.
    case account
    /// The local database is opened.
    case data
    /// Relays are connected to.
    case relays
    /// History is read.
    case sessions
    /// Everything that relays had is here; what comes now is new.
    case ready

    public static func < (left: BootStage, right: BootStage) -> Bool { left.rawValue < right.rawValue }

    /// The stage in words, as a progress line shows it.
    public var description: String {
        switch self {
        case .account: "loading the account"
        case .data: "preparing the local data"
        case .relays: "connecting to relays"
        case .sessions: "reading the history"
        case .ready: "ready"
        }
    }
}
