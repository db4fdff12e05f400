/// What came from a relay, counted since its connection was created.
public struct RelayStatistics: Sendable, Equatable {
    /// Messages of any kind.
    public var messages = 0
    /// Events that were verified and delivered.
    public var events = 0
    /// Events that were known already, dropped without a look at anything but their id.
    public var duplicates = 0
    /// Events that do not match the filter they were sent for.
    public var mismatched = 0
    /// Events, ends and closures for a subscription that is not open.
    public var unrequested = 0
    /// Events that break NIP-01, or whose id or signature is false.
    public var invalid = 0
    /// Messages that are none.
    public var malformed = 0
    /// Notices that came.
    public var notices = 0
    /// What the last of them said.
    public var lastNotice: String?
    /// Connections that were made.
    public var connections = 0
    /// How often no connection could be made.
    public var failedAttempts = 0
    /// How long the last connection took to make.
    public var connectTime: Duration?
    /// How long the relay took to answer last: from an event to its OK, or from a request to the first that came for it.
    public var roundTrip: Duration?
    /// Since when there is no connection though one is wanted; nil while there is one, by the clock of the event loop.
    public var failingSince: ContinuousClock.Instant?
    /// Answers to challenges that were not sent because they named another relay or another challenge.
    public var withheldAnswers = 0

    init() {}
}

/// A relay's state and figures at one moment.
public struct RelayStatus: Sendable, Equatable {
    /// What it does now, and why.
    public let state: RelayState
    /// What has happened on it so far.
    public let statistics: RelayStatistics
}
