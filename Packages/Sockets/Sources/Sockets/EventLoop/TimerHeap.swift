/// Timers by deadline; those of one deadline in the order they were made. Cancelled ones are left in place and
/// swept when they are the majority, so that cancelling costs nothing and memory stays bounded.
struct TimerHeap {
    private var timers: [LoopTimer] = []
    private var cancelled = 0

    var count: Int { timers.count - cancelled }

    mutating func insert(_ timer: LoopTimer) {
        timers.append(timer)
        siftUp(timers.count - 1)
    }

    mutating func noteCancelled() {
        cancelled += 1
        guard cancelled > 64, cancelled > timers.count / 2 else { return }
        timers.removeAll { !$0.isPending }
        cancelled = 0
        for index in stride(from: timers.count / 2 - 1, through: 0, by: -1) { siftDown(index) }
    }

    /// The earliest deadline of a timer that is still to fire.
    mutating func nextDeadline() -> ContinuousClock.Instant? {
        while let first = timers.first {
            if first.isPending { return first.deadline }
            cancelled -= 1
            removeFirst()
        }
        return nil
    }

    /// Takes out the first timer that is due.
    mutating func popDue(_ now: ContinuousClock.Instant) -> LoopTimer? {
        guard let deadline = nextDeadline(), deadline <= now else { return nil }
        let timer = timers[0]
        timer.isQueued = false
        removeFirst()
        return timer
    }

    private mutating func removeFirst() {
        let last = timers.removeLast()
        guard !timers.isEmpty else { return }
        timers[0] = last
        siftDown(0)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard timers[index].precedes(timers[parent]) else { return }
            timers.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            let left = 2 * index + 1
            guard left < timers.count else { return }
            let right = left + 1
            let child = right < timers.count && timers[right].precedes(timers[left]) ? right : left
            guard timers[child].precedes(timers[index]) else { return }
            timers.swapAt(index, child)
            index = child
        }
    }
}
