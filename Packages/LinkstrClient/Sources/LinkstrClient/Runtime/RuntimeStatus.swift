public import NostrEvents
public import NostrTransport

/// How an account's runtime is doing at one moment.
public struct RuntimeStatus: Sendable {
    /// Where start-up stands.
    public let stage: BootStage
    /// Whether the runtime keeps its connections open and receives.
    public let isLive: Bool
    /// The relays, in the order of the configuration.
    public let relays: [RelayReport]
    /// What was received since the runtime was opened.
    public let counters: RuntimeCounters
    /// Stored facts that count for nothing now.
    public let waiting: Int
    /// How long the last sending took from the first byte to acceptance.
    public let acceptanceTime: Duration?
    /// How many listen to ``AccountRuntime/events(buffering:)``.
    public let subscribers: Int
    /// Why storing failed last, in a sentence; nil while all is well.
    public let storeFailure: String?

    /// Whether a relay can be sent to now.
    public var isOnline: Bool { relays.contains { $0.state.isWritable } }
}

/// What the runtime of an account counted.
public struct RuntimeCounters: Hashable, Sendable {
    /// Gift wraps that were opened and said something new.
    public var opened = 0
    /// Gift wraps that are not for this account, not genuine, or hold nothing that is understood.
    public var refused = 0
    /// Gift wraps that were known by their id and cost nothing.
    public var known = 0
    /// Statements that were sent.
    public var sent = 0
    /// Sendings that failed.
    public var failedSendings = 0
    /// Posts and reactions that a push service was told.
    public var announced = 0
    /// Posts and reactions that no push service could be told.
    public var failedAnnouncements = 0
}

/// How one relay is doing.
public struct RelayReport: Sendable {
    /// Which relay it is.
    public let url: RelayURL
    /// Its connection.
    public let state: RelayState
    /// What the connection counted.
    public let statistics: RelayStatistics?
    /// The same with the last round trip, as it is told.
    public let condition: RelayCondition
    /// How long it last took to confirm an event; nil before the first.
    public let acceptanceTime: Duration?
    /// How far its history was read.
    public let history: History
    /// When its history was last read to its end, by the time that reading began; seconds since 1970.
    public let lastCompletePass: Int64?

    /// How far the history of a relay was read in this run.
    public enum History: Hashable, Sendable {
        /// Not yet, for instance because it is not connected.
        case waiting
        /// It is being read; so many gift wraps so far.
        case reading(Int)
        /// To its end; so many gift wraps.
        case complete(Int)
        /// Not to its end, and why, in a sentence. What is older is not known.
        case incomplete(String)
    }
}
