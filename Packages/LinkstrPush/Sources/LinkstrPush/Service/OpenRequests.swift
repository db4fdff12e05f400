internal import Locking

/// The requests that are being answered.
final class OpenRequests: Sendable {
    private struct State {
        var count = 0
        var isFinishing = false
        var waiter: CheckedContinuation<Void, Never>?

        mutating func takeWaiter() -> CheckedContinuation<Void, Never>? {
            defer { waiter = nil }
            return waiter
        }
    }

    private let state = Locked(State())

    /// False when no more may begin.
    func begin() -> Bool {
        state.withLock { state in
            guard !state.isFinishing else { return false }
            state.count += 1
            return true
        }
    }

    func end() {
        let waiter = state.withLock { state in
            state.count -= 1
            return state.count == 0 ? state.takeWaiter() : nil
        }
        waiter?.resume()
    }

    /// Lets no more begin and waits for the others.
    func finish(within time: Duration) async {
        let alarm = Task {
            if (try? await Task.sleep(for: time)) != nil { state.withLock { $0.takeWaiter() }?.resume() }
        }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                state.isFinishing = true
                if state.count > 0 { state.waiter = continuation }
                return state.count == 0
            }
            if isIdle { continuation.resume() }
        }
        alarm.cancel()
    }
}
