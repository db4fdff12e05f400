internal import NostrCrypto

/// What each account and each address has had stored lately. A storage that all share would otherwise be filled by whoever sends the
/// most, and everybody else be refused. Held in memory: an address is never written down.
struct StorageShares: Sendable {
    private let accounts: RateLimiter<Bytes32>
    private let addresses: RateLimiter<ClientAddress>

    init(_ limits: PushLimits) {
        accounts = RateLimiter(limits.storedPerAccount, remembering: limits.remembered)
        addresses = RateLimiter(limits.storedPerAddress, remembering: limits.remembered)
    }

    /// Seconds until an account at an address may have more stored; zero for now.
    func wait(_ account: Bytes32, _ address: ClientAddress?, at now: Double) -> Double {
        max(accounts.wait(account, at: now), address.map { addresses.wait($0, at: now) } ?? 0)
    }

    /// Counts what a request has added.
    func charge(_ account: Bytes32, _ address: ClientAddress?, _ weight: Int, at now: Double) {
        guard weight > 0 else { return }
        accounts.charge(account, Double(weight), at: now)
        if let address { addresses.charge(address, Double(weight), at: now) }
    }
}
