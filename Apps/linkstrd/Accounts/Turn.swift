import Locking

/// Lets one task after the other do something that takes several steps, in the order in which they come.
final class Turn: Sendable {
    private struct Line {
        var isTaken = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let line = Locked(Line())

    /// Waits for the turn. What is done in it is bounded, so the wait is.
    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = line.withLock { line in
                guard line.isTaken else {
                    line.isTaken = true
                    return true
                }
                line.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    /// Gives it to the next.
    func give() {
        let next: CheckedContinuation<Void, Never>? = line.withLock { line in
            guard !line.waiting.isEmpty else {
                line.isTaken = false
                return nil
            }
            return line.waiting.removeFirst()
        }
        next?.resume()
    }
}
