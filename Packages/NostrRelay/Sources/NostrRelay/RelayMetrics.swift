import Synchronization

/// What a relay has done since it started, and what it is doing.
public struct RelayMetrics: Sendable, Equatable {
    /// Connections that are open.
    public var connections = 0
    /// Connections that were ever opened.
    public var connectionsOpened = 0
    /// Connections that were turned away because there were too many or the address was blocked.
    public var connectionsRefused = 0
    /// Clients that were dropped because they did not read.
    public var slowReadersDropped = 0
    /// Bytes that wait now for clients that do not read, or not as fast as they are sent something.
    public var unreadBytes = 0
    /// Subscriptions that are open.
    public var subscriptions = 0
    /// Messages that came.
    public var messages = 0
    /// Messages that made no sense.
    public var malformedMessages = 0
    /// Events that came.
    public var events = 0
    /// Events that were stored.
    public var eventsStored = 0
    /// Events that were passed on only (NIP-01, ephemeral).
    public var eventsEphemeral = 0
    /// Events that were there already, or of which a newer version was.
    public var eventsDuplicate = 0
    /// Events that were refused.
    public var eventsRefused = 0
    /// Processor time spent on hashes and signatures, nanoseconds.
    public var verificationNanoseconds = 0
    /// Groups of events that were committed.
    public var commits = 0
    /// Requests that were answered: REQ, COUNT and NEG-OPEN.
    public var queries = 0
    /// Stored events that were sent.
    public var storedEventsSent = 0
    /// New events that were sent to subscribers.
    public var liveEventsSent = 0
}

/// The counters behind ``RelayMetrics``.
final class Counters: Sendable {
    let connections = Atomic(0)
    let connectionsOpened = Atomic(0)
    let connectionsRefused = Atomic(0)
    let slowReadersDropped = Atomic(0)
    let subscriptions = Atomic(0)
    let messages = Atomic(0)
    let malformedMessages = Atomic(0)
    let events = Atomic(0)
    let eventsStored = Atomic(0)
    let eventsEphemeral = Atomic(0)
    let eventsDuplicate = Atomic(0)
    let eventsRefused = Atomic(0)
    let verificationNanoseconds = Atomic(0)
    let commits = Atomic(0)
    let queries = Atomic(0)
    let storedEventsSent = Atomic(0)
    let liveEventsSent = Atomic(0)

    var snapshot: RelayMetrics {
        RelayMetrics(
            connections: connections.value,
            connectionsOpened: connectionsOpened.value,
            connectionsRefused: connectionsRefused.value,
            slowReadersDropped: slowReadersDropped.value,
            subscriptions: subscriptions.value,
            messages: messages.value,
            malformedMessages: malformedMessages.value,
            events: events.value,
            eventsStored: eventsStored.value,
            eventsEphemeral: eventsEphemeral.value,
            eventsDuplicate: eventsDuplicate.value,
            eventsRefused: eventsRefused.value,
            verificationNanoseconds: verificationNanoseconds.value,
            commits: commits.value,
            queries: queries.value,
            storedEventsSent: storedEventsSent.value,
            liveEventsSent: liveEventsSent.value
        )
    }
}

extension Atomic where Value == Int {
    var value: Int { load(ordering: .relaxed) }

    func add(_ count: Int = 1) {
        wrappingAdd(count, ordering: .relaxed)
    }
}
