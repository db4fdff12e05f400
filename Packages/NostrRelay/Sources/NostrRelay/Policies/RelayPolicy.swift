public import NostrCrypto
public import NostrEvents
public import Sockets

/// Who is at the other end of a connection.
public struct RelayClient: Sendable {
    /// Different for every connection of a relay.
    public let id: UInt64
    /// Where it comes from; a proxy's address behind one.
    public let peer: SocketAddress?
    /// The keys that have proven themselves on this connection (NIP-42).
    public internal(set) var authenticated: Set<Bytes32> = []

    /// A client of these properties, for the tests of a policy.
    public init(id: UInt64, peer: SocketAddress? = nil, authenticated: Set<Bytes32> = []) {
        self.id = id
        self.peer = peer
        self.authenticated = authenticated
    }
}

/// What a ``RelayPolicy`` decides.
public enum PolicyDecision: Sendable, Hashable {
    /// It has nothing against it.
    case accept
    /// It refuses; the client is told so.
    case refuse(StatusMessage)

    /// Refuses with one of the prefixes of NIP-01 and a sentence.
    public static func refuse(_ prefix: StatusMessage.Prefix, _ sentence: String) -> PolicyDecision {
        .refuse(StatusMessage(prefix, sentence))
    }
}

/// What a relay takes and gives. Several policies are asked in turn; the first that refuses decides.
///
/// Every method has a default that accepts, and is called from several threads at the same time. None may block.
public protocol RelayPolicy: Sendable {
    /// Whether an event may be looked at. It is not verified yet: whatever is in it may be a lie, so count nothing
    /// against its author. To refuse here saves the work of verifying.
    func screen(_ event: WireEvent, from client: RelayClient) -> PolicyDecision
    /// Whether a verified event may be stored.
    func accept(_ event: Event, from client: RelayClient) -> PolicyDecision
    /// Whether a request for these filters may be answered: REQ, COUNT or NEG-OPEN.
    func answer(_ filters: [Filter], to client: RelayClient) -> PolicyDecision
    /// A client has gone.
    func disconnected(_ client: RelayClient)
}

extension RelayPolicy {
    /// Has nothing against it.
    public func screen(_ event: WireEvent, from client: RelayClient) -> PolicyDecision { .accept }
    /// Has nothing against it.
    public func accept(_ event: Event, from client: RelayClient) -> PolicyDecision { .accept }
    /// Has nothing against it.
    public func answer(_ filters: [Filter], to client: RelayClient) -> PolicyDecision { .accept }
    /// Forgets nothing, since nothing was kept.
    public func disconnected(_ client: RelayClient) {}
}

/// Several policies as one.
struct PolicyChain: RelayPolicy {
    let policies: [any RelayPolicy]

    func screen(_ event: WireEvent, from client: RelayClient) -> PolicyDecision {
        first { $0.screen(event, from: client) }
    }

    func accept(_ event: Event, from client: RelayClient) -> PolicyDecision {
        first { $0.accept(event, from: client) }
    }

    func answer(_ filters: [Filter], to client: RelayClient) -> PolicyDecision {
        first { $0.answer(filters, to: client) }
    }

    func disconnected(_ client: RelayClient) {
        for policy in policies { policy.disconnected(client) }
    }

    private func first(_ decide: (any RelayPolicy) -> PolicyDecision) -> PolicyDecision {
        for policy in policies {
            let decision = decide(policy)
            if decision != .accept { return decision }
        }
        return .accept
    }
}
