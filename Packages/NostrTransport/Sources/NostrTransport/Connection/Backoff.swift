/// How long to wait before a relay is connected to again, or asked again.
public struct BackoffPolicy: Sendable, Equatable {
    /// The wait after the first failure.
    public var first: Duration = .seconds(1)
    /// No wait is longer.
    public var longest: Duration = .seconds(300)
    /// The share of a wait that is random, 0 to 1: clients that lost one relay together do not come back together.
    public var jitter: Double = 0.5
    /// A connection that lasted so long makes the next failure the first one again.
    public var stability: Duration = .seconds(60)

    /// The default values.
    public init() {}
}

/// Counts failures in a row and says how long to wait: the first wait, doubled with each failure up to the longest.
struct Backoff {
    let policy: BackoffPolicy
    private(set) var failures = 0

    init(_ policy: BackoffPolicy) {
        self.policy = policy
    }

    /// The wait after one more failure. `random` is from 0 to 1.
    mutating func nextDelay(random: Double) -> Duration {
        // Clamped before shifting: 2^20 seconds are more than any longest wait in use.
        let full = min(policy.first * (1 << min(failures, 20)), policy.longest)
        failures = min(failures + 1, 1_000_000)
        return full * (1 - min(max(policy.jitter, 0), 1) * min(max(random, 0), 1))
    }

    /// Takes note of how long a connection lasted before it ended.
    mutating func connectionLasted(_ time: Duration) {
        if time >= policy.stability { failures = 0 }
    }

    mutating func reset() {
        failures = 0
    }
}
