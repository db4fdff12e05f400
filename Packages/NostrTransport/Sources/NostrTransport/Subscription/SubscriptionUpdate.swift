public import NostrEvents

/// What a subscription tells its consumer. Of one relay all of it is in the order in which the relay sent it.
public enum SubscriptionUpdate: Sendable {
    /// A verified event that matches the filters, from the relay that brought it first.
    case event(Event, from: RelayURL)
    /// The relay has sent what it had stored, as much as it wanted; what follows is new. Comes again after the relay
    /// was connected to again.
    case endOfStoredEvents(RelayURL, StoredPage)
    /// The subscription rests on this relay and will be made again, or is being made again because this client has
    /// authenticated (then there is no error). Until the next ``endOfStoredEvents(_:_:)`` what the relay sends is stored,
    /// not new.
    case interrupted(RelayURL, TransportError?)
    /// The subscription is over on this relay: the error says why, nil that all was sent that was asked for.
    case closed(RelayURL, TransportError?)
}

/// What a relay sent between a request and the end of its stored events.
public struct StoredPage: Sendable, Equatable {
    /// What the relay says about completeness (NIP-67); empty when it says nothing.
    public var hints: EndOfStoredEventsHints = []
    /// Events that came, whatever became of them.
    public var received = 0
    /// Of these, valid ones that match, known ones included.
    public var valid = 0
    /// The smallest `created_at` of the valid ones.
    public var oldest: Int64?
    /// The greatest `created_at` of any event that could be read.
    public var newest: Int64?

    /// An empty page.
    public init() {}

    mutating func noteValid(_ time: Int64) {
        received += 1
        valid += 1
        oldest = min(oldest ?? time, time)
        newest = max(newest ?? time, time)
    }

    mutating func noteMismatched(_ time: Int64) {
        received += 1
        newest = max(newest ?? time, time)
    }

    mutating func noteInvalid() {
        received += 1
    }
}
