import Locking

/// Connections that are lent to one user at a time, first come first served.
final class Pool: Sendable {
    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<ConnectionActor, any Error>
    }

    private struct State {
        var idle: [ConnectionActor]
        var waiters: [Waiter] = []
        var nextID: UInt64 = 0
        var isClosed = false
    }

    private let state: Locked<State>
    private let size: Int

    init(_ members: [ConnectionActor]) {
        size = members.count
        state = Locked(State(idle: members))
    }

    /// Lends a connection to `body`.
    func lend<Result: Sendable>(
        until deadline: ContinuousClock.Instant?,
        _ body: @Sendable (ConnectionActor) async throws -> Result
    ) async throws -> Result {
        let member = try await take(until: deadline, evenClosed: false)
        defer { give(member) }
        return try await body(member)
    }

    /// Refuses whoever comes from now on or waits, and closes each connection when its user is done.
    func close() async {
        let refused = state.withLock { state in
            state.isClosed = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in refused { waiter.continuation.resume(throwing: SQLiteError.closed) }
        // Connections come back one by one; a closed one answers later users with `closed`.
        for _ in 0..<size {
            guard let member = try? await take(until: nil, evenClosed: true) else { return }
            await member.close()
        }
    }

    private func take(until deadline: ContinuousClock.Instant?, evenClosed: Bool) async throws -> ConnectionActor {
        let (id, member) = try state.withLock { state throws(SQLiteError) in
            if state.isClosed && !evenClosed { throw .closed }
            state.nextID += 1
            return (state.nextID, state.idle.popLast())
        }
        if let member { return member }
        let timer = deadline.map { deadline in
            Task {
                try await Task.sleep(until: deadline, clock: .continuous)
                refuse(id, .deadlineExceeded)
            }
        }
        defer { timer?.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                wait(id, continuation, evenClosed: evenClosed)
                // The handler and the timer may have come before the waiter was there.
                if Task.isCancelled && !evenClosed { refuse(id, .cancelled) }
                if let deadline, deadline <= .now { refuse(id, .deadlineExceeded) }
            }
        } onCancel: {
            if !evenClosed { refuse(id, .cancelled) }
        }
    }

    private func wait(_ id: UInt64, _ continuation: CheckedContinuation<ConnectionActor, any Error>, evenClosed: Bool) {
        let outcome: Result<ConnectionActor, SQLiteError>? = state.withLock { state in
            if state.isClosed && !evenClosed { return .failure(.closed) }
            if let member = state.idle.popLast() { return .success(member) }
            state.waiters.append(Waiter(id: id, continuation: continuation))
            return nil
        }
        switch outcome {
        case .success(let member): continuation.resume(returning: member)
        case .failure(let error): continuation.resume(throwing: error)
        case nil: break
        }
    }

    private func refuse(_ id: UInt64, _ error: SQLiteError) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters.remove(at: index)
        }
        waiter?.continuation.resume(throwing: error)
    }

    private func give(_ member: ConnectionActor) {
        let waiter = state.withLock { state -> Waiter? in
            guard state.waiters.isEmpty else { return state.waiters.removeFirst() }
            state.idle.append(member)
            return nil
        }
        waiter?.continuation.resume(returning: member)
    }
}
