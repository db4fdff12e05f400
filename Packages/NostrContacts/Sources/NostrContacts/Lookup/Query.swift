public import NostrEvents

/// A question for relays, as the state machines of this package ask it. The caller sends it and reports what comes back under its
/// ``id``.
public struct Query: Equatable, Sendable {
    /// The subscription id; never used twice.
    public let id: String
    /// The relay to ask; nil for all that are connected.
    public var relay: String?
    /// What is asked for.
    public let filter: Filter
}

/// What the caller should do now.
public enum QueryAction: Equatable, Sendable {
    /// Send a REQ.
    case open(Query)
    /// Send a CLOSE to whom it was sent; nothing that comes for it counts any more.
    case close(Query)
}

/// Makes subscription ids that are not used twice: a prefix and 32 hexadecimal digits.
struct QueryNames: Sendable {
    private let random: @Sendable () -> String

    init(_ random: @escaping @Sendable () -> String) {
        self.random = random
    }

    func name(_ prefix: String) -> String { prefix + random() }
}
