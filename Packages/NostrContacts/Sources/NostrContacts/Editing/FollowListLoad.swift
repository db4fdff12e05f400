public import NostrCrypto
public import NostrEvents

/// The query for the own follow list at several relays, without the network: the caller sends ``filter`` under an id of its own to
/// each relay and reports what comes. A list is "none" only when every relay has said so.
public struct FollowListLoad: Sendable {
    /// Where the query stands.
    public enum Phase: Equatable, Sendable {
        /// Not every relay has answered yet.
        case loading
        /// All relays have answered; the events are ``newest`` or there is none.
        case ready
        /// A relay has failed: what there is may be less than everything, and must not be shown as "no contacts".
        case unavailable
    }

    /// Milliseconds in which each relay must have answered.
    public static let timeout: Int64 = 10_000

    private let owner: Bytes32
    private let deadline: Int64
    private var waiting: Set<String>
    private var hasFailed = false
    /// The best of what was received, by replaceable order.
    public private(set) var newest: Event?

    /// Starts a query.
    /// - Parameters:
    ///   - relays: The names of all relays that are expected to answer. Without any the list is unavailable.
    ///   - now: Milliseconds of any clock that only goes forward.
    public init(owner: Bytes32, relays: Set<String>, now: Int64) {
        self.owner = owner
        waiting = relays
        hasFailed = relays.isEmpty
        deadline = now + Self.timeout
    }

    /// What each relay is asked.
    public var filter: Filter { Filter(authors: [owner], kinds: [.followList], limit: 1) }

    /// Where the query stands.
    public var phase: Phase {
        if hasFailed { return .unavailable }
        return waiting.isEmpty ? .ready : .loading
    }

    /// When ``advance(to:)`` has something to do; nil if nothing is waited for.
    public var nextDeadline: Int64? { phase == .loading ? deadline : nil }

    /// Takes an event of a relay that has not finished.
    public mutating func receive(_ event: Event, from relay: String) {
        guard phase == .loading, waiting.contains(relay), filter.matches(event) else { return }
        if let newest, ReplaceableVersion(event) <= ReplaceableVersion(newest) { return }
        newest = event
    }

    /// A relay has sent everything (EOSE).
    public mutating func finish(_ relay: String) {
        waiting.remove(relay)
    }

    /// A relay has refused (CLOSED) or gone.
    public mutating func fail(_ relay: String) {
        if waiting.contains(relay) { hasFailed = true }
    }

    /// Lets time pass, in milliseconds.
    public mutating func advance(to now: Int64) {
        if phase == .loading, now >= deadline { hasFailed = true }
    }
}
