internal import Locking

/// Buckets that fill at a rate, one for each key, for a bounded number of keys.
///
/// Keys are held in two generations: when the young one is full it becomes the old one, and what is asked for again comes back
/// into the young one. So the oldest are forgotten without a list of who came when.
final class RateLimiter<Key: Hashable & Sendable>: Sendable {
    private struct Bucket {
        var level: Double
        var filled: Double
    }

    private struct State {
        var young: [Key: Bucket] = [:]
        var old: [Key: Bucket] = [:]
    }

    private let rate: PushLimits.Rate
    private let generation: Int
    private let state = Locked(State())

    /// Requests are counted at the time at which they came, a little late at times. A time that is earlier by more seconds than this is
    /// that of a clock that was set back, and nothing would fill until it is where it was.
    private static var clockIsSetBack: Double { 60 }

    init(_ rate: PushLimits.Rate, remembering count: Int) {
        self.rate = rate
        generation = max(1, count / 2)
    }

    /// Takes one from a key's bucket; false if it is empty.
    ///
    /// - Parameter now: seconds on any clock.
    func take(_ key: Key, at now: Double) -> Bool {
        change(key, at: now) { level in
            guard level >= 1 else { return false }
            level -= 1
            return true
        }
    }

    /// Takes as many as it turned out to cost, more than there are if need be: then nothing is left for a while.
    func charge(_ key: Key, _ count: Double, at now: Double) {
        change(key, at: now) { $0 -= count }
    }

    /// Seconds until a key has paid what it was charged; zero if it owes nothing.
    func wait(_ key: Key, at now: Double) -> Double {
        let level = level(key, at: now)
        guard level <= 0 else { return 0 }
        return rate.perSecond > 0 ? (1 - level) / rate.perSecond : .infinity
    }

    /// What is left in a key's bucket, less than nothing if it owes.
    func level(_ key: Key, at now: Double) -> Double {
        change(key, at: now) { $0 }
    }

    private func change<Result>(_ key: Key, at now: Double, _ body: (inout Double) -> Result) -> Result {
        state.withLock { state in
            var bucket =
                state.young[key] ?? state.old.removeValue(forKey: key) ?? Bucket(level: rate.burst, filled: now)
            if now < bucket.filled - Self.clockIsSetBack { bucket.filled = now }
            bucket.level = min(rate.burst, bucket.level + max(0, now - bucket.filled) * rate.perSecond)
            bucket.filled = max(now, bucket.filled)
            let result = body(&bucket.level)
            if state.young[key] == nil, state.young.count >= generation {
                state.old = state.young
                state.young = [:]
            }
            state.young[key] = bucket
            return result
        }
    }

    /// Gives back one that was taken.
    func giveBack(_ key: Key) {
        state.withLock { state in
            guard let level = state.young[key]?.level else { return }
            state.young[key]?.level = min(rate.burst, level + 1)
        }
    }

    /// How many keys are remembered.
    var count: Int { state.withLock { $0.young.count + $0.old.count } }
}
