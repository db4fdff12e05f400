import Locking

/// Lets as many queries read at the same time as there are readers.
///
/// The first part of a query comes before further parts of others, so that who asks for little does not wait for those who ask
/// for much; now and then a further part comes first, so that these get on too. One reader, and with it some of the processors,
/// is left to first parts, unless it is the only one.
final class ReadTurns: Sendable {
    enum Part { case first, further }

    private struct State {
        var first: [CheckedContinuation<Void, Never>] = []
        var further: [CheckedContinuation<Void, Never>] = []
        var running = 0
        var runningFurther = 0
        /// First parts in a row that have come before a further part that waited.
        var overtaken = 0
    }

    private let state = Locked(State())
    private let most: Int
    private let mostFurther: Int
    private static let mostOvertaking = 8

    /// - Parameter count: how many may have a turn at the same time.
    init(_ count: Int) {
        most = count
        mostFurther = max(1, count - 1)
    }

    /// Waits for a turn. Whoever has one ends it by ``give(_:)``, after one part.
    func take(_ part: Part) async {
        await withCheckedContinuation { continuation in
            let next = state.withLock { state in
                switch part {
                case .first: state.first.append(continuation)
                case .further: state.further.append(continuation)
                }
                return begin(&state)
            }
            next?.resume()
        }
    }

    /// Ends a turn.
    func give(_ part: Part) {
        let next = state.withLock { state in
            state.running -= 1
            if part == .further { state.runningFurther -= 1 }
            return begin(&state)
        }
        next?.resume()
    }

    /// Whose turn it is, if somebody may have one.
    private func begin(_ state: inout State) -> CheckedContinuation<Void, Never>? {
        guard state.running < most else { return nil }
        let mayFurther = !state.further.isEmpty && state.runningFurther < mostFurther
        if mayFurther, state.first.isEmpty || state.overtaken >= Self.mostOvertaking {
            state.overtaken = 0
            state.running += 1
            state.runningFurther += 1
            return state.further.removeFirst()
        }
        guard !state.first.isEmpty else { return nil }
        state.overtaken = state.further.isEmpty ? 0 : state.overtaken + 1
        state.running += 1
        return state.first.removeFirst()
    }

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.first.count + $0.further.count } }
}
