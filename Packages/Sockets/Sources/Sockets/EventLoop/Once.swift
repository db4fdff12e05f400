import Locking

/// One value that arrives once, from whoever is first: the loop, a timer, or the cancellation of the waiting task.
final class Once<Value: Sendable>: Sendable {
    typealias Outcome = Result<Value, SocketsError>

    private enum State {
        case empty
        case waiting(CheckedContinuation<Void, Never>)
        case arrived(Outcome)
        case taken
    }

    private let state = Locked(State.empty)

    /// Returns false when another value was first: what was to be handed over is then the caller's to release.
    @discardableResult
    func resolve(_ outcome: Outcome) -> Bool {
        let (first, waiter): (Bool, CheckedContinuation<Void, Never>?) = state.withLock { state in
            switch state {
            case .empty:
                state = .arrived(outcome)
                return (true, nil)
            case .waiting(let continuation):
                state = .arrived(outcome)
                return (true, continuation)
            case .arrived, .taken:
                return (false, nil)
            }
        }
        waiter?.resume()
        return first
    }

    /// Waits for the value. Called by one task, once. When that task is cancelled first, the outcome is
    /// `SocketsError.cancelled` and `onCancel` runs.
    func wait(onCancel: @escaping @Sendable () -> Void = {}) async throws(SocketsError) -> Value {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isThere = state.withLock { state in
                    guard case .empty = state else { return true }
                    state = .waiting(continuation)
                    return false
                }
                if isThere { continuation.resume() }
            }
        } onCancel: {
            if resolve(.failure(.cancelled)) { onCancel() }
        }
        // The continuation only wakes: the value goes through the lock, which the thread sanitiser sees in every case.
        let outcome: Outcome = state.withLock { state in
            guard case .arrived(let outcome) = state else { return .failure(.cancelled) }
            state = .taken
            return outcome
        }
        return try outcome.get()
    }

    /// Waits for the value until a deadline; the outcome is then `SocketsError.timedOut`.
    ///
    /// - Parameter onAbandon: runs when the task is cancelled or the deadline passes first.
    func wait(
        _ what: SocketsError.Wait,
        until deadline: ContinuousClock.Instant,
        on loop: EventLoop,
        onAbandon: @escaping @Sendable () -> Void = {}
    ) async throws(SocketsError) -> Value {
        let timer = LoopAlarm()
        loop.execute {
            timer.set(
                loop.schedule(at: deadline) {
                    if self.resolve(.failure(.timedOut(what))) { onAbandon() }
                }
            )
        }
        defer { loop.execute { timer.cancel() } }
        return try await wait(onCancel: onAbandon)
    }
}

/// Holds a timer that is made and cancelled on the loop on behalf of code elsewhere.
///
/// `@unchecked Sendable`: both methods are called on the loop alone.
private final class LoopAlarm: @unchecked Sendable {
    private var timer: LoopTimer?
    func set(_ timer: LoopTimer) { self.timer = timer }
    func cancel() { timer?.cancel() }
}
