public import NostrCrypto
public import NostrEvents

/// Takes events of some kinds only, or of all but some.
public struct KindPolicy: RelayPolicy {
    private let allows: @Sendable (Kind) -> Bool

    /// Only these kinds, and requests to vanish, which have to be obeyed (NIP-62).
    public init(only kinds: Set<Kind>) {
        allows = { kinds.contains($0) || $0 == .requestToVanish }
    }

    /// All kinds but these.
    public init(allBut kinds: Set<Kind>) {
        allows = { !kinds.contains($0) }
    }

    /// Asks for the kind.
    public func screen(_ event: WireEvent, from client: RelayClient) -> PolicyDecision {
        allows(event.kind) ? .accept : .refuse(.blocked, "events of kind \(event.kind) are not taken here")
    }
}

/// Takes events of some authors only, and gift wraps (NIP-59) that are addressed to one of them.
public struct AuthorPolicy: RelayPolicy {
    private let authors: Set<Bytes32>

    /// Only these authors.
    public init(only authors: Set<Bytes32>) {
        self.authors = authors
    }

    /// Asks for the author, or of a gift wrap for an addressee.
    public func screen(_ event: WireEvent, from client: RelayClient) -> PolicyDecision {
        if authors.contains(event.pubkey) { return .accept }
        if event.kind.isGiftWrap, event.addressees.contains(where: authors.contains) { return .accept }
        // Whoever asks to vanish is obeyed, known here or not (NIP-62).
        if event.kind == .requestToVanish { return .accept }
        return .refuse(.restricted, "this author may not write here")
    }
}

/// Takes events only from connections on which one of some keys is authenticated, and answers only those.
public struct MemberPolicy: RelayPolicy {
    private let members: Set<Bytes32>
    private let mayOthersRead: Bool

    /// Only for these keys.
    /// - Parameter mayOthersRead: whether everybody may read.
    public init(_ members: Set<Bytes32>, mayOthersRead: Bool = false) {
        self.members = members
        self.mayOthersRead = mayOthersRead
    }

    /// Asks who is authenticated on the connection.
    public func screen(_ event: WireEvent, from client: RelayClient) -> PolicyDecision {
        event.kind == .requestToVanish ? .accept : decide(client)
    }

    /// Asks who is authenticated on the connection, unless others may read.
    public func answer(_ filters: [Filter], to client: RelayClient) -> PolicyDecision {
        mayOthersRead ? .accept : decide(client)
    }

    private func decide(_ client: RelayClient) -> PolicyDecision {
        if client.authenticated.isEmpty { return .refuse(.authenticationRequired, "this relay is for its members") }
        return members.isDisjoint(with: client.authenticated)
            ? .refuse(.restricted, "this relay is for its members") : .accept
    }
}

/// Takes only events whose time is near enough. Gift wraps are dated back by up to two days (NIP-59), so a bound of the
/// past that is narrower loses them.
public struct TimePolicy: RelayPolicy {
    private let past: Int64?
    private let future: Int64?
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - past: how old an event may be, in seconds; nil: any age.
    ///   - future: how far its time may lie ahead, in seconds; nil: any.
    ///   - now: seconds since 1970.
    public init(past: Int64?, future: Int64?, now: @escaping @Sendable () -> Int64) {
        self.past = past.map { max(0, $0) }
        self.future = future.map { max(0, $0) }
        self.now = now
    }

    /// Compares the time of the event with the clock.
    public func screen(_ event: WireEvent, from client: RelayClient) -> PolicyDecision {
        let (age, overflow) = now().subtractingReportingOverflow(event.createdAt)
        if let past, !overflow, age > past {
            return .refuse(.invalid, "the event is older than \(past) seconds")
        }
        if let future, overflow || age < -future {
            return .refuse(.invalid, "the time of the event lies more than \(future) seconds ahead")
        }
        return .accept
    }
}

/// Takes only events whose id shows work (NIP-13).
public struct WorkPolicy: RelayPolicy {
    private let minimum: Int

    /// - Parameter minimum: leading zero bits of the id.
    public init(minimum: Int) {
        self.minimum = minimum
    }

    /// Looks at the id and at the difficulty the event commits to. The id is verified afterwards in any case.
    public func screen(_ event: WireEvent, from client: RelayClient) -> PolicyDecision {
        let difficulty = ProofOfWork.difficulty(of: event.id)
        if difficulty < minimum { return .refuse(.proofOfWork, "difficulty \(difficulty) is less than \(minimum)") }
        guard ProofOfWork.isSufficient(id: event.id, tags: event.tags, minimum: minimum) else {
            return .refuse(.proofOfWork, "the event does not commit to a difficulty of \(minimum)")
        }
        return .accept
    }
}

extension Kind {
    /// Whether it is a gift wrap, stored or not (NIP-59).
    var isGiftWrap: Bool { self == .giftWrap || self == .ephemeralGiftWrap }
}

extension WireEvent {
    /// The keys in the `p` tags.
    var addressees: [Bytes32] { tags.values(named: "p").compactMap { try? Bytes32(hex: $0) } }
}

extension Event {
    /// The keys in the `p` tags.
    var addressees: [Bytes32] { tags.values(named: "p").compactMap { try? Bytes32(hex: $0) } }
}
