import Locking

/// Lets a few parts of answers be made at the same time, and shares that time fairly among the clients.
///
/// This is start-time fair queueing: a client's next turn begins, in virtual time, where what it has had ends, but not before
/// what is being served now. So who asks for little comes at once, however many clients ask for much, and nobody waits for ever.
/// Who is new has a small debt, or those who come again and again would be ahead of those who stay. The first part of an answer
/// may always be made; further parts leave one place free.
final class FairTurns: Sendable {
    enum Part { case first, further }

    /// A turn that somebody has.
    struct Turn: Sendable {
        fileprivate let part: Part
        /// In virtual time, nanoseconds.
        fileprivate let start: Int64
        fileprivate let began: ContinuousClock.Instant
    }

    private struct Waiting {
        let start: Int64
        let number: UInt64
        let continuation: CheckedContinuation<Void, Never>

        /// The order in which they come; who came first does at the same time.
        func isBefore(_ other: Waiting) -> Bool { (start, number) < (other.start, other.number) }
    }

    /// Those who wait, the next one last.
    private struct Line {
        private var waiting: [Waiting] = []

        var next: Waiting? { waiting.last }
        var count: Int { waiting.count }

        mutating func insert(_ new: Waiting) {
            var (low, high) = (0, waiting.count)
            while low < high {
                let middle = (low + high) / 2
                if new.isBefore(waiting[middle]) { low = middle + 1 } else { high = middle }
            }
            waiting.insert(new, at: low)
        }

        mutating func removeNext() { waiting.removeLast() }
    }

    private struct State {
        /// Where the turn began that was given last.
        var now: Int64 = 0
        var arrivals: UInt64 = 0
        var running = 0
        var runningFurther = 0
        var first = Line()
        var further = Line()
    }

    private let state = Locked(State())
    private let most: Int
    private let mostFurther: Int
    /// What a new client is taken to have had already, nanoseconds: more than a small request costs.
    private static let debt: Int64 = 2_000_000
    private let clock: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - count: how many may have a turn at the same time.
    ///   - clock: what turns are measured with.
    init(_ count: Int, clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        most = max(1, count)
        mostFurther = max(1, count - 1)
        self.clock = clock
    }

    /// Waits for a turn, which whoever has one ends by ``give(_:)`` before long. Who need not wait goes on where it is.
    ///
    /// - Parameter share: what the client has had so far, as ``give(_:)`` has said; nil for a new one.
    nonisolated(nonsending) func take(_ part: Part, after share: Int64?) async -> Turn {
        let start = state.withLock { state in share.map { max(state.now, $0) } ?? state.now + Self.debt }
        await withCheckedContinuation { continuation in
            let next = state.withLock { state in
                state.arrivals += 1
                let waiting = Waiting(start: start, number: state.arrivals, continuation: continuation)
                switch part {
                case .first: state.first.insert(waiting)
                case .further: state.further.insert(waiting)
                }
                return begin(&state)
            }
            next?.resume()
        }
        return Turn(part: part, start: start, began: clock())
    }

    /// Ends a turn.
    ///
    /// - Returns: what the client has had with it.
    func give(_ turn: Turn) -> Int64 {
        let time = (clock() - turn.began) / .nanoseconds(1)
        let next = state.withLock { state in
            state.running -= 1
            if turn.part == .further { state.runningFurther -= 1 }
            return begin(&state)
        }
        next?.resume()
        return turn.start + max(1, Int64(time))
    }

    /// Whose turn it is, if somebody may have one.
    private func begin(_ state: inout State) -> CheckedContinuation<Void, Never>? {
        guard state.running < most else { return nil }
        let further = state.runningFurther < mostFurther ? state.further.next : nil
        let next: Waiting
        if let further, state.first.next.map(further.isBefore) ?? true {
            state.further.removeNext()
            state.runningFurther += 1
            next = further
        } else if let first = state.first.next {
            state.first.removeNext()
            next = first
        } else {
            return nil
        }
        state.running += 1
        state.now = max(state.now, next.start)
        return next.continuation
    }

    /// How many wait.
    var waitingCount: Int { state.withLock { $0.first.count + $0.further.count } }
}
