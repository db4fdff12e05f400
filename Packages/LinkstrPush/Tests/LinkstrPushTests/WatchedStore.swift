import LinkstrPush

/// A store that lets a test in where requests come, where jobs are taken and where they are finished.
final class WatchedStore: PushStore {
    private let store: SQLitePushStore
    private let performing: @Sendable () async -> Void
    private let finds: @Sendable () -> Bool
    private let claimed: @Sendable (ClaimedJobs) -> Void
    private let settling: @Sendable () throws -> Void

    /// - Parameters:
    ///   - performing: returns when a request may be stored.
    ///   - finds: whether jobs are found at all.
    ///   - claimed: is given the jobs before the worker gets them.
    ///   - settling: throws when what became of jobs cannot be stored.
    init(
        _ store: SQLitePushStore,
        performing: @escaping @Sendable () async -> Void = {},
        finds: @escaping @Sendable () -> Bool = { true },
        claimed: @escaping @Sendable (ClaimedJobs) -> Void = { _ in },
        settling: @escaping @Sendable () throws -> Void = {}
    ) {
        self.store = store
        self.performing = performing
        self.finds = finds
        self.claimed = claimed
        self.settling = settling
    }

    func perform(_ command: PushCommand, for claim: NonceClaim, now: Int64) async throws -> PushReply {
        await performing()
        return try await store.perform(command, for: claim, now: now)
    }

    func claimJobs(upTo limit: Int, lease: PushLease, now: Int64) async throws -> ClaimedJobs {
        guard finds() else { return ClaimedJobs(jobs: [], expired: 0) }
        let jobs = try await store.claimJobs(upTo: limit, lease: lease, now: now)
        claimed(jobs)
        return jobs
    }

    func settle(_ settlements: [PushSettlement], lease: PushLease) async throws {
        try settling()
        try await store.settle(settlements, lease: lease)
    }

    func counts() async throws -> PushCounts { try await store.counts() }
    func close() async { await store.close() }
}
