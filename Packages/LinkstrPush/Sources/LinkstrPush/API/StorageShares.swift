internal import Locking
internal import NostrCrypto

/// What each account and each address has had stored lately. A storage that all share would otherwise be filled by whoever sends the
/// most, and everybody else be refused. Held in memory: an address is never written down.
struct StorageShares: Sendable {
    private let accounts: Shares<Bytes32>
    private let addresses: Shares<ClientAddress>

    init(_ limits: PushLimits) {
        accounts = Shares(limits.storedPerAccount, remembering: limits.remembered)
        addresses = Shares(limits.storedPerAddress, remembering: limits.remembered)
    }

    /// Seconds until an account at an address may have more stored; zero for now: then so much counts as theirs until it is settled.
    func reserve(_ account: Bytes32, _ address: ClientAddress?, _ most: Double, at now: Double) -> Double {
        let wait = accounts.reserve(account, most, at: now)
        guard wait == 0, let address else { return wait }
        let longer = addresses.reserve(address, most, at: now)
        if longer > 0 { accounts.settle(account, most, 0, at: now) }
        return longer
    }

    /// Counts what a request for which so much was reserved has added.
    func settle(_ account: Bytes32, _ address: ClientAddress?, _ most: Double, _ weight: Int, at now: Double) {
        accounts.settle(account, most, Double(weight), at: now)
        if let address { addresses.settle(address, most, Double(weight), at: now) }
    }
}

/// The shares of the keys of one sort. What a request costs is known only when it is stored, so that until then it counts for the most
/// that it may cost: many that come at the same time would else all be let in before the first is counted.
private final class Shares<Key: Hashable & Sendable>: Sendable {
    private let stored: RateLimiter<Key>
    /// Of the requests that are being stored.
    private let reserved = Locked<[Key: Double]>([:])

    init(_ rate: PushLimits.Rate, remembering count: Int) {
        stored = RateLimiter(rate, remembering: count)
    }

    func reserve(_ key: Key, _ most: Double, at now: Double) -> Double {
        let wait = stored.wait(key, at: now)
        guard wait == 0 else { return wait }
        return reserved.withLock { reserved in
            let others = reserved[key] ?? 0
            // What is reserved is mostly given back, and soon.
            guard others == 0 || others < stored.level(key, at: now) else { return 1 }
            reserved[key] = others + most
            return 0
        }
    }

    func settle(_ key: Key, _ most: Double, _ weight: Double, at now: Double) {
        if weight > 0 { stored.charge(key, weight, at: now) }
        reserved.withLock { reserved in
            let others = (reserved[key] ?? 0) - most
            reserved[key] = others > 0 ? others : nil
        }
    }
}
