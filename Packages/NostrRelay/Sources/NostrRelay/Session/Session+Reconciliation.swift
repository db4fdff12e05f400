import Negentropy
import NostrEvents
import NostrStore
import Sockets

/// A reconciliation that a client has begun (NIP-77).
struct Reconciliation {
    /// Tells it from an earlier one of the same id.
    let generation: Int
    /// Nil while the events are being looked up.
    var server: NegentropyServer<EventSet>?
    /// Events that it counts for in the relay's budget.
    var reserved = 0
    /// Whether a message is being answered.
    var isBusy = true
    var timer: LoopTimer?
}

// NEG-OPEN, NEG-MSG and NEG-CLOSE.

extension Session {
    func reconcile(_ id: SubscriptionID, _ filter: Filter, _ message: [UInt8]) {
        endReconciliation(id)
        let narrowed: [Filter]
        let needsCheck: Bool
        switch permission(for: [filter]) {
        case .filters(let filters, let check): (narrowed, needsCheck) = (filters, check)
        case .refused(let status):
            if status.prefix == .authenticationRequired { sendChallenge() }
            send(.reconciliationError(id, status, mostRecords: nil))
            return
        }
        guard reconciliations.count < limits.reconciliations else {
            let status = StatusMessage(.rateLimited, "more than \(limits.reconciliations) reconciliations are open")
            send(.reconciliationError(id, status, mostRecords: nil))
            return
        }
        generation += 1
        let generation = generation
        reconciliations[id] = Reconciliation(generation: generation)
        let rights = rights
        Task {
            do throws(StoreError) {
                let set = try await core.reconciliationSet(narrowed, rights, needsCheck: needsCheck) {
                    await self.isOpen(id, generation)
                }
                guard let set else { return }
                guard reconciliations[id]?.generation == generation,
                    let server = try? NegentropyServer(set, frameSizeLimit: Self.frameSize)
                else {
                    core.release(set.count)
                    return
                }
                reconciliations[id]?.server = server
                reconciliations[id]?.reserved = set.count
                await respond(id, generation, message)
            } catch {
                guard reconciliations[id]?.generation == generation else { return }
                var most: Int64?
                if case .tooManyEvents(let limit) = error { most = Int64(limit) }
                fail(id, error.status, mostRecords: most)
            }
        }
    }

    /// The next message of a client.
    func goOn(_ id: SubscriptionID, _ message: [UInt8]) {
        guard let reconciliation = reconciliations[id] else {
            let status = StatusMessage(.closed, "there is no reconciliation of this id")
            send(.reconciliationError(id, status, mostRecords: nil))
            return
        }
        guard !reconciliation.isBusy else {
            fail(id, StatusMessage(.invalid, "one message at a time"))
            return
        }
        reconciliations[id]?.isBusy = true
        reconciliation.timer?.cancel()
        Task { await respond(id, reconciliation.generation, message) }
    }

    func endReconciliation(_ id: SubscriptionID) {
        guard let reconciliation = reconciliations.removeValue(forKey: id) else { return }
        reconciliation.timer?.cancel()
        core.release(reconciliation.reserved)
    }

    private func isOpen(_ id: SubscriptionID, _ generation: Int) -> Bool {
        reconciliations[id]?.generation == generation
    }

    private func respond(_ id: SubscriptionID, _ generation: Int, _ message: [UInt8]) async {
        guard let server = reconciliations[id]?.server else { return }
        await waitForRoom()
        let answer = await Self.answer(server, message)
        guard reconciliations[id]?.generation == generation else { return }
        switch answer {
        case .success(let bytes):
            reconciliations[id]?.isBusy = false
            reconciliations[id]?.timer = loop.schedule(after: limits.reconciliationIdleTime) { [weak self] in
                self?.assumeIsolated { $0.expire(id, generation) }
            }
            send(.reconciliation(id, bytes))
            flush()
        case .failure(let error):
            fail(id, StatusMessage(.invalid, "\(error)"))
        }
    }

    /// Computed off the loop.
    private nonisolated static func answer(
        _ server: NegentropyServer<EventSet>,
        _ message: [UInt8]
    ) async -> Result<[UInt8], any Error> {
        Result { try server.respond(to: message) }
    }

    private func expire(_ id: SubscriptionID, _ generation: Int) {
        guard reconciliations[id]?.generation == generation else { return }
        fail(id, StatusMessage(.closed, "nothing came for too long"))
    }

    private func fail(_ id: SubscriptionID, _ status: StatusMessage, mostRecords: Int64? = nil) {
        endReconciliation(id)
        send(.reconciliationError(id, status, mostRecords: mostRecords))
        flush()
    }

    /// Bytes of an answer, half of what it has as hex.
    private static let frameSize = 128 << 10
}
