/// One call that an `EventLoop` makes later. Belongs to its loop: cancel it there.
///
/// `@unchecked Sendable`: the state is touched on the loop's thread alone; `cancel` checks it.
public final class LoopTimer: @unchecked Sendable {
    let deadline: ContinuousClock.Instant
    let sequence: UInt64
    private(set) var action: (() -> Void)?
    var isQueued = true
    private unowned let loop: EventLoop

    init(deadline: ContinuousClock.Instant, sequence: UInt64, loop: EventLoop, action: @escaping () -> Void) {
        self.deadline = deadline
        self.sequence = sequence
        self.loop = loop
        self.action = action
    }

    /// Whether the call is still to come.
    public var isPending: Bool { action != nil }

    /// Takes the call back; nothing happens when it was made already. Only on the loop.
    public func cancel() {
        guard action != nil else { return }
        loop.assertInside()
        action = nil
        if isQueued { loop.timerWasCancelled() }
    }

    func fire() {
        let action = self.action
        self.action = nil
        action?()
    }

    func precedes(_ other: LoopTimer) -> Bool {
        deadline < other.deadline || (deadline == other.deadline && sequence < other.sequence)
    }
}
