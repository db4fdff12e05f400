public import NostrCrypto
public import NostrEvents

/// Looks up the profiles of many keys, in batches of up to 50, two at a time, each tried up to three times; keys without a profile
/// are left alone for five minutes.
///
/// It does no input or output and has no clock: each call takes the time in milliseconds, of any clock that only goes forward, and
/// returns what to send.
public struct ProfileLookup: Sendable {
    /// Keys in one query.
    public static let batchSize = 50
    /// Queries at a time.
    public static let maximumActive = 2
    /// Milliseconds that each try of a batch waits.
    public static let timeouts: [Int64] = [3_000, 6_000, 12_000]
    /// Milliseconds until a key without a profile is looked up again.
    public static let pause: Int64 = 300_000

    private struct Batch: Sendable {
        let query: Query
        var missing: Set<Bytes32>
        let attempt: Int
        let deadline: Int64
    }

    private let names: QueryNames
    private var wanted: [Bytes32] = []
    private var retries: [(keys: Set<Bytes32>, attempt: Int)] = []
    private var isWanted: Set<Bytes32> = []
    private var active: [Batch] = []
    private var pausedUntil: [Bytes32: Int64] = [:]

    /// - Parameter random: Gives 32 hexadecimal digits for a subscription id.
    public init(random: @escaping @Sendable () -> String = { Hex.encode(SecureRandom.bytes(16)) }) {
        names = QueryNames(random)
    }

    /// Asks for the profiles of some keys, in their order. Keys that are looked up now, or were without success lately, are left
    /// out.
    public mutating func want(_ keys: some Sequence<Bytes32>, now: Int64) -> [QueryAction] {
        for key in keys where !isWanted.contains(key) && (pausedUntil[key] ?? now) <= now {
            pausedUntil[key] = nil
            isWanted.insert(key)
            wanted.append(key)
        }
        return start(now)
    }

    /// Takes an event that came for a query.
    /// - Returns: Whether it is a profile that was asked for; which of several is the newest is ``ProfileRecord``'s to say.
    public mutating func receive(_ event: Event, for query: String) -> Bool {
        guard let place = active.firstIndex(where: { $0.query.id == query }),
            active[place].query.filter.matches(event)
        else { return false }
        active[place].missing.remove(event.pubkey)
        return true
    }

    /// All relays that were asked have sent everything (EOSE): who is missing has no profile.
    public mutating func finish(_ query: String, now: Int64) -> [QueryAction] {
        guard let place = active.firstIndex(where: { $0.query.id == query }) else { return [] }
        let batch = active.remove(at: place)
        settle(batch, found: true, now)
        return [.close(batch.query)] + start(now)
    }

    /// The relays that were asked have refused or gone.
    public mutating func fail(_ query: String, now: Int64) -> [QueryAction] {
        guard let place = active.firstIndex(where: { $0.query.id == query }) else { return [] }
        let batch = active.remove(at: place)
        settle(batch, found: false, now)
        return [.close(batch.query)] + start(now)
    }

    /// Lets time pass.
    public mutating func advance(to now: Int64) -> [QueryAction] {
        pausedUntil = pausedUntil.filter { $0.value > now }
        let late = active.filter { $0.deadline <= now }
        active.removeAll { $0.deadline <= now }
        for batch in late { settle(batch, found: false, now) }
        return late.map { .close($0.query) } + start(now)
    }

    /// When ``advance(to:)`` has something to do; nil if nothing is waited for.
    public var nextDeadline: Int64? { active.map(\.deadline).min() }

    /// Forgets everything: another account.
    public mutating func reset() -> [QueryAction] {
        let open = active
        wanted = []
        retries = []
        isWanted = []
        active = []
        pausedUntil = [:]
        return open.map { .close($0.query) }
    }

    private mutating func settle(_ batch: Batch, found isAnswered: Bool, _ now: Int64) {
        isWanted.subtract(batch.query.filter.authors ?? [])
        guard !batch.missing.isEmpty else { return }
        if !isAnswered, batch.attempt + 1 < Self.timeouts.count {
            isWanted.formUnion(batch.missing)
            retries.append((batch.missing, batch.attempt + 1))
        } else {
            for key in batch.missing { pausedUntil[key] = now + Self.pause }
        }
    }

    private mutating func start(_ now: Int64) -> [QueryAction] {
        var actions: [QueryAction] = []
        while active.count < Self.maximumActive {
            let keys: Set<Bytes32>
            var attempt = 0
            if !retries.isEmpty {
                (keys, attempt) = retries.removeFirst()
            } else if !wanted.isEmpty {
                keys = Set(wanted.prefix(Self.batchSize))
                wanted.removeFirst(keys.count)
            } else {
                break
            }
            let query = Query(
                id: names.name("linkstr-profile-lookup-"),
                relay: nil,
                filter: Filter(authors: keys, kinds: [.metadata])
            )
            active.append(
                Batch(query: query, missing: keys, attempt: attempt, deadline: now + Self.timeouts[attempt])
            )
            actions.append(.open(query))
        }
        return actions
    }
}
