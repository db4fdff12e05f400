/// The rule of bounded writes, the same for every stream: full at the high-water mark, refused at twice of it, and
/// room again below half of it.
struct WriteGate {
    let highWaterMark: Int
    private var toldFull = false

    init(highWaterMark: Int) {
        self.highWaterMark = max(1, min(highWaterMark, 1 << 40))
    }

    func admits(pending: Int) -> Bool {
        pending < 2 * highWaterMark
    }

    mutating func outcome(pending: Int) -> WriteOutcome {
        guard pending >= highWaterMark else { return .taken }
        toldFull = true
        return .full
    }

    /// True once when the writer is to be told that there is room again.
    mutating func opens(pending: Int) -> Bool {
        guard toldFull, pending <= highWaterMark / 2 else { return false }
        toldFull = false
        return true
    }
}
