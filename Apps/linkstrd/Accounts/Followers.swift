import LinkstrClient
import NostrCrypto

/// Who is told what happens to accounts, over every time that these are opened anew: an account is closed and opened again when its
/// relays change, and when another process works on the home for a moment.
struct Followers {
    /// What happens each time that the account is open. The last one ends with an ``OperationFailure`` that says why there is no more.
    typealias Openings = AsyncThrowingStream<AsyncStream<AccountEvent>, any Error>

    private var all: [Bytes32: [Int: Openings.Continuation]] = [:]
    private var last = 0

    /// The accounts that are followed.
    var accounts: [Bytes32] { Array(all.keys) }

    /// Adds one.
    /// - Parameters:
    ///   - runtime: The account, where it is open now.
    ///   - onLeaving: Told its number when it follows no longer.
    mutating func add(
        _ key: Bytes32,
        _ runtime: AccountRuntime?,
        onLeaving: @escaping @Sendable (Int) -> Void
    ) -> Openings {
        last += 1
        let number = last
        let (openings, continuation) = Openings.makeStream()
        continuation.onTermination = { _ in onLeaving(number) }
        if let runtime { continuation.yield(runtime.events()) }
        all[key, default: [:]][number] = continuation
        return openings
    }

    /// One follows no longer.
    mutating func remove(_ number: Int, of key: Bytes32) {
        all[key]?[number] = nil
        if all[key]?.isEmpty == true { all[key] = nil }
    }

    /// The account was opened. To be called before it connects, so that nothing is missed.
    func opened(_ runtime: AccountRuntime) {
        for follower in (all[runtime.account] ?? [:]).values { follower.yield(runtime.events()) }
    }

    /// There is no more to tell of an account.
    mutating func end(_ key: Bytes32, _ failure: OperationFailure) {
        let followers = all.removeValue(forKey: key) ?? [:]
        for follower in followers.values { follower.finish(throwing: failure) }
    }
}
