import Locking
public import NostrEvents
import NostrCrypto

/// Bounds how many events come in a time: by connection or by author. Each has a bucket of tokens that fills steadily.
public final class RatePolicy: RelayPolicy {
    /// Whose events are counted together.
    public enum Subject: Sendable {
        /// Those of one connection, before they are verified.
        case connection
        /// Those of one author, after they are verified, so that nobody can use up another's share. The authors of gift
        /// wraps are random (NIP-59): there, count by connection.
        case author
    }

    private enum Key: Hashable {
        case connection(UInt64)
        case author(Bytes32)
    }

    private struct Bucket {
        var tokens: Double
        var time: ContinuousClock.Instant
    }

    private let subject: Subject
    private let perSecond: Double
    private let burst: Double
    private let clock: @Sendable () -> ContinuousClock.Instant
    private let buckets = Locked<[Key: Bucket]>([:])

    /// Buckets that are kept at most; full ones are thrown away first, since they say nothing.
    private static let mostBuckets = 65_536

    /// - Parameters:
    ///   - subject: whose events are counted together.
    ///   - perSecond: events for which there is room each second, on average.
    ///   - burst: events that may come at once after a silence.
    ///   - clock: what time it is.
    public init(
        per subject: Subject,
        perSecond: Double,
        burst: Int,
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.subject = subject
        self.perSecond = max(0, perSecond)
        self.burst = Double(max(1, burst))
        self.clock = clock
    }

    /// Counts the event against its connection, if that is the subject.
    public func screen(_ event: WireEvent, from client: RelayClient) -> PolicyDecision {
        guard case .connection = subject else { return .accept }
        return decide(.connection(client.id), "this connection")
    }

    /// Counts the event against its author, if that is the subject.
    public func accept(_ event: Event, from client: RelayClient) -> PolicyDecision {
        guard case .author = subject else { return .accept }
        return decide(.author(event.pubkey), "this author")
    }

    /// Forgets the connection.
    public func disconnected(_ client: RelayClient) {
        guard case .connection = subject else { return }
        buckets.withLock { _ = $0.removeValue(forKey: .connection(client.id)) }
    }

    private func decide(_ key: Key, _ name: String) -> PolicyDecision {
        let now = clock()
        let isTaken = buckets.withLock { buckets in
            if buckets[key] == nil, buckets.count >= Self.mostBuckets { makeRoom(&buckets, now) }
            var bucket = buckets[key] ?? Bucket(tokens: burst, time: now)
            bucket.tokens = level(bucket, now)
            bucket.time = now
            defer { buckets[key] = bucket }
            guard bucket.tokens >= 1 else { return false }
            bucket.tokens -= 1
            return true
        }
        return isTaken ? .accept : .refuse(.rateLimited, "too many events of \(name); try again later")
    }

    private func level(_ bucket: Bucket, _ now: ContinuousClock.Instant) -> Double {
        min(burst, bucket.tokens + (now - bucket.time) / .seconds(1) * perSecond)
    }

    private func makeRoom(_ buckets: inout [Key: Bucket], _ now: ContinuousClock.Instant) {
        buckets = buckets.filter { level($1, now) < burst }
        if buckets.count >= Self.mostBuckets { buckets.removeAll() }
    }
}
