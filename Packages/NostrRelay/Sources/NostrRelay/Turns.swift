import Locking

/// Lets a few at a time do something; the others wait in the order in which they came.
final class Turns: Sendable {
    private struct State {
        var free: Int
        var waiting = Queue<CheckedContinuation<Void, Never>>()
    }

    private let state: Locked<State>

    /// - Parameter count: how many may have a turn at the same time.
    init(_ count: Int) {
        state = Locked(State(free: count))
    }

    /// Waits for a turn, which whoever has one ends by ``give()`` before long.
    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free > 0 {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Ends a turn.
    func give() {
        let next = state.withLock { state in
            let next = state.waiting.popFirst()
            if next == nil { state.free += 1 }
            return next
        }
        next?.resume()
    }
}
