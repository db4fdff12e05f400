import LinkstrPush
import Locking

/// A store that fails when it is told to.
final class FailingStore: PushStore {
    let fails = Locked(false)
    private let store: SQLitePushStore

    init(_ store: SQLitePushStore) {
        self.store = store
    }

    private func check() throws {
        if fails.withLock({ $0 }) { throw PushStoreError.failed("The disk is full.") }
    }

    func perform(_ command: PushCommand, for claim: NonceClaim, now: Int64) async throws -> PushReply {
        try check()
        return try await store.perform(command, for: claim, now: now)
    }

    func claimJobs(upTo limit: Int, lease: PushLease, now: Int64) async throws -> ClaimedJobs {
        try check()
        return try await store.claimJobs(upTo: limit, lease: lease, now: now)
    }

    func settle(_ settlements: [PushSettlement], lease: PushLease) async throws {
        try check()
        try await store.settle(settlements, lease: lease)
    }

    func counts() async throws -> PushCounts { try await store.counts() }
    func close() async { await store.close() }
}
