import CAllocations

/// How long operations take that run in turns, so that noise of the machine falls on all of them alike.
struct Measurement {
    /// Seconds an operation, the best of all rounds.
    let seconds: [Double]
    /// Allocations an operation.
    let allocations: [Double]

    private static let clock = ContinuousClock()

    /// - Parameters:
    ///   - rounds: how often each operation has its turn.
    ///   - turn: seconds a turn should last at least.
    init(_ operations: [() -> Void], rounds: Int, turn: Double) {
        let counts = operations.map { Self.repetitions(of: $0, lasting: turn) }
        var best = [Double](repeating: .infinity, count: operations.count)
        for _ in 0..<rounds {
            for (index, operation) in operations.enumerated() {
                best[index] = min(best[index], Self.time(operation, counts[index]) / Double(counts[index]))
            }
        }
        seconds = best
        allocations = zip(operations, counts).map { operation, count in
            let count = min(count, 100)
            let before = allocations_of_this_thread()
            for _ in 0..<count { operation() }
            return Double(allocations_of_this_thread() - before) / Double(count)
        }
    }

    private static func time(_ operation: () -> Void, _ count: Int) -> Double {
        let start = clock.now
        for _ in 0..<count { operation() }
        let elapsed = clock.now - start
        return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
    }

    private static func repetitions(of operation: () -> Void, lasting turn: Double) -> Int {
        var count = 1
        while true {
            let seconds = time(operation, count)
            if seconds >= turn || count >= 1 << 24 { return count }
            count = seconds > turn / 50 ? Int(Double(count) * turn / seconds) + 1 : count * 8
        }
    }
}
