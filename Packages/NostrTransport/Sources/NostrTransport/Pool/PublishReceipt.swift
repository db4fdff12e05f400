public import NostrEvents

/// What a relay did with an event.
public enum PublishOutcome: Equatable, Sendable {
    /// It has taken it, or had it already.
    case accepted(StatusMessage)
    /// It does not take it, in its own words.
    case rejected(StatusMessage)
    /// The event is larger than the relay takes, and was not sent. Sizes in bytes.
    case tooLarge(bytes: Int, limit: Int)
    /// It was sent, and the relay has not answered in time. A NOTICE that came instead, if any.
    case unconfirmed(notice: String?)
    /// It was sent, and the connection ended before the answer.
    case disconnected(TransportError)
    /// It was not sent: there was no connection.
    case unavailable(TransportError)

    /// Whether the relay has the event.
    public var isAccepted: Bool { if case .accepted = self { true } else { false } }
}

extension PublishOutcome: CustomStringConvertible {
    /// The outcome in a few words.
    public var description: String {
        switch self {
        case .accepted(let status): status.text.isEmpty ? "accepted" : "accepted: \(status.text)"
        case .rejected(let status): status.text.isEmpty ? "rejected without a reason" : "rejected: \(status.text)"
        case .tooLarge(let bytes, let limit): "not sent: \(bytes) bytes are more than the \(limit) that the relay takes"
        case .unconfirmed(let notice?): "no answer in time; the relay said: \(notice)"
        case .unconfirmed(nil): "no answer in time"
        case .disconnected(let error): "connection lost before the answer: \(error)"
        case .unavailable(let error): "not sent: \(error)"
        }
    }
}

/// How many relays must take each event before publishing counts as done.
public enum Acceptance: Equatable, Sendable {
    /// One.
    case any
    /// So many; never more than there are.
    case atLeast(Int)
    /// Every one.
    case all

    func needed(of relays: Int) -> Int {
        switch self {
        case .any: min(1, relays)
        case .atLeast(let count): min(max(count, 0), relays)
        case .all: relays
        }
    }
}

/// What became of published events, relay by relay.
public struct PublishReceipt: Sendable, Equatable {
    /// By event and relay. A relay that had not answered when enough others had is not listed.
    public internal(set) var outcomes: [EventID: [RelayURL: PublishOutcome]]
    /// What was asked for.
    public let acceptance: Acceptance
    let relays: Int

    /// The outcomes of one event.
    public subscript(id: EventID) -> [RelayURL: PublishOutcome] { outcomes[id] ?? [:] }

    /// Whether enough relays have taken this event.
    public func isAccepted(_ id: EventID) -> Bool {
        relays > 0 && self[id].values.count { $0.isAccepted } >= acceptance.needed(of: relays)
    }

    /// Whether enough relays have taken every event.
    public var isAccepted: Bool { outcomes.keys.allSatisfy(isAccepted) }

    /// Whether some event was sent and it is not known whether a relay has it.
    public var isUndecided: Bool {
        outcomes.values.contains { outcomes in
            outcomes.values.contains { outcome in
                switch outcome {
                case .unconfirmed, .disconnected: true
                default: false
                }
            }
        }
    }
}
