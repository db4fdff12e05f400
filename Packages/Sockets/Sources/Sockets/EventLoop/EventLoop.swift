import Locking
import Synchronization

/// A thread that waits for sockets, timers and work, and on which actors can run.
///
/// The loop is a `SerialExecutor`. An actor that returns it from `unownedExecutor` runs on the loop's thread, and code
/// that the loop calls enters such an actor at once, without suspending, through `assumeIsolated`:
///
/// ```swift
/// actor Session: ByteStreamHandler {
///     private let loop: EventLoop          // keeps the executor alive
///     nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
///     nonisolated func received(_ bytes: inout MutableRawSpan) { assumeIsolated { $0.parse(&bytes) } }
/// }
/// ```
///
/// **Who may call what where.** `execute`, `sleep`, `advance` and the executor's own requirements may be called
/// from anywhere. Everything else here, and everything of a ``ByteStream``, is called on the loop only; that is
/// checked, and a call from elsewhere stops the program. Nothing that blocks or computes for long belongs on a loop.
///
/// A hop from the loop to the default pool and back costs about 13 microseconds: hand work over in batches.
///
/// A loop lives as long as somebody holds it: an actor, an open stream, a pending timer. Its thread ends with it.
///
/// `@unchecked Sendable`: `inbox` and `thread` are synchronised, `poller` is Sendable, and all other state is touched by
/// the loop's own thread alone, which every entry point checks or which the executor guarantees.
public final class EventLoop: SerialExecutor, @unchecked Sendable {
    private enum Work {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    private struct Inbox {
        var work: [Work] = []
        var sleeping = false
    }

    private struct Registration {
        let token: UInt32
        var interest: Readiness
        let target: any Pollable
    }

    private let poller: Poller
    private let inbox = Locked(Inbox())
    private let thread = Atomic<UInt>(0)
    private let virtualTime: Bool

    private var taken: [Work] = []
    private var soon: [() -> Void] = []
    private var flushes: [any Flushable] = []
    private var timers = TimerHeap()
    private var timerSequence: UInt64 = 0
    private var registrations: [Int32: Registration] = [:]
    private var nextToken: UInt32 = 0
    private var clock = ContinuousClock.now
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 64)

    /// Starts a loop on a thread of its own.
    ///
    /// - Parameter virtualTime: for tests. Time stands still, and timers fire only when ``advance(by:)`` is called.
    /// - Throws: ``SocketsError/tooManyDescriptors`` when the two descriptors that a loop needs cannot be had.
    public init(virtualTime: Bool = false) throws(SocketsError) {
        self.virtualTime = virtualTime
        poller = try Poller()
        let reference = WeakLoop()
        reference.loop = self
        let poller = self.poller
        try SystemThread.start {
            while let timeout = Self.prepare(reference) {
                let count = poller.wait(milliseconds: timeout)
                guard Self.process(reference, count) else { return }
            }
        }
    }

    deinit {
        scratch.deallocate()
        poller.wake()
    }

    // MARK: Where am I

    /// Whether the caller runs on this loop.
    public var isCurrent: Bool { thread.load(ordering: .relaxed) == SystemThread.current }

    /// Stops the program when the caller does not run on this loop.
    public func assertInside() {
        precondition(isCurrent, "called from outside the event loop")
    }

    public func checkIsolated() {
        assertInside()
    }

    public func isIsolatingCurrentContext() -> Bool? {
        isCurrent
    }

    // MARK: Work

    /// Runs a job of an actor on the loop's thread.
    public func enqueue(_ job: consuming ExecutorJob) {
        submit(.job(UnownedJob(job)))
    }

    /// Runs a closure on the loop, after everything that was handed over before. From anywhere.
    public func execute(_ call: @escaping @Sendable () -> Void) {
        submit(.call(call))
    }

    private func submit(_ work: Work) {
        let wake = inbox.withLock { inbox in
            inbox.work.append(work)
            defer { inbox.sleeping = false }
            return inbox.sleeping
        }
        if wake { poller.wake() }
    }

    /// Runs a closure later in this turn of the loop, when the caller has returned. Only on the loop.
    func runSoon(_ call: @escaping () -> Void) {
        assertInside()
        soon.append(call)
    }

    /// Flushes a stream at the end of this turn.
    func flushLater(_ stream: any Flushable) {
        flushes.append(stream)
    }

    // MARK: Time

    /// The time of this turn of the loop. Only on the loop.
    public var now: ContinuousClock.Instant {
        assertInside()
        return clock
    }

    /// Calls a closure at a time, on the loop. Only on the loop; so is ``LoopTimer/cancel()``.
    @discardableResult
    public func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping () -> Void) -> LoopTimer {
        assertInside()
        timerSequence += 1
        let timer = LoopTimer(deadline: deadline, sequence: timerSequence, loop: self, action: action)
        timers.insert(timer)
        return timer
    }

    /// Calls a closure after a time, on the loop. Only on the loop.
    @discardableResult
    public func schedule(after delay: Duration, _ action: @escaping () -> Void) -> LoopTimer {
        schedule(at: now.advanced(by: delay), action)
    }

    /// Timers that are made by the calls, even for now, wait for the next turn.
    private func fireDueTimers() {
        guard let deadline = timers.nextDeadline(), deadline <= clock else { return }
        var due: [LoopTimer] = []
        while let timer = timers.popDue(clock) { due.append(timer) }
        for timer in due { timer.fire() }
    }

    func timerWasCancelled() {
        timers.noteCancelled()
    }

    /// Waits on the loop's clock, which a test may hold. From anywhere.
    ///
    /// - Throws: ``SocketsError/cancelled`` when the task is cancelled first.
    public func sleep(for delay: Duration) async throws(SocketsError) {
        let once = Once<Void>()
        let alarm = Once<LoopTimer>()
        execute {
            alarm.resolve(.success(self.schedule(after: delay) { once.resolve(.success(())) }))
        }
        let timer = try await alarm.wait { once.resolve(.failure(.cancelled)) }
        try await once.wait { self.execute { timer.cancel() } }
    }

    /// The loop's time, read from anywhere: the clock's, or the held time of a loop for tests.
    public func currentTime() async -> ContinuousClock.Instant {
        guard virtualTime else { return .now }
        let once = Once<ContinuousClock.Instant>()
        execute { once.resolve(.success(self.clock)) }
        return (try? await once.wait()) ?? .now
    }

    /// Moves the time of a loop made with `virtualTime` forward, firing on the way what is due, in order, with all
    /// work that it causes on this loop.
    public func advance(by duration: Duration) async {
        precondition(virtualTime, "only a loop made with virtualTime can be advanced")
        let done = Once<Void>()
        execute { self.advance(to: self.clock.advanced(by: duration), done) }
        try? await done.wait()
    }

    private func advance(to end: ContinuousClock.Instant, _ done: Once<Void>) {
        guard let next = timers.nextDeadline(), next <= end else {
            clock = end
            done.resolve(.success(()))
            return
        }
        clock = max(clock, next)
        fireDueTimers()
        // Behind whatever the timers have handed to the loop.
        execute { self.advance(to: end, done) }
    }

    // MARK: Descriptors

    /// Watches a descriptor. An empty set stops watching. Returns zero or the error.
    func watch(_ descriptor: Int32, for interest: Readiness, _ target: any Pollable) -> Int32 {
        if var registration = registrations[descriptor] {
            guard registration.interest != interest else { return 0 }
            let code = poller.watch(descriptor, token: registration.token, from: registration.interest, to: interest)
            registration.interest = interest
            registrations[descriptor] = interest.isEmpty ? nil : registration
            return code
        }
        guard !interest.isEmpty else { return 0 }
        nextToken &+= 1
        let code = poller.watch(descriptor, token: nextToken, from: [], to: interest)
        if code == 0 {
            registrations[descriptor] = Registration(token: nextToken, interest: interest, target: target)
        }
        return code
    }

    // MARK: The turn

    private static func prepare(_ reference: WeakLoop) -> Int32? {
        reference.loop.map { $0.prepare() }
    }

    private static func process(_ reference: WeakLoop, _ count: Int) -> Bool {
        guard let loop = reference.loop else { return false }
        loop.process(count)
        return true
    }

    private func prepare() -> Int32 {
        if thread.load(ordering: .relaxed) == 0 { thread.store(SystemThread.current, ordering: .relaxed) }
        guard soon.isEmpty, flushes.isEmpty else { return 0 }
        let idle = inbox.withLock { inbox in
            inbox.sleeping = inbox.work.isEmpty
            return inbox.sleeping
        }
        guard idle else { return 0 }
        guard !virtualTime, let deadline = timers.nextDeadline() else { return -1 }
        let left = deadline - ContinuousClock.now
        guard left > .zero else { return 0 }
        // Rounded up, or a timer would spin through its last millisecond; capped to what fits.
        let (seconds, attoseconds) = left.components
        return seconds > 86_400 ? 86_400_000 : Int32(seconds) * 1000 + Int32(attoseconds / 1_000_000_000_000_000) + 1
    }

    private func process(_ count: Int) {
        if !virtualTime { clock = .now }
        for index in 0..<count {
            guard let event = poller.event(index) else { continue }
            guard let registration = registrations[event.descriptor], registration.token == event.token else {
                continue
            }
            registration.target.ready(event.readiness)
        }
        inbox.withLock { inbox in
            inbox.sleeping = false
            swap(&inbox.work, &taken)
        }
        for work in taken {
            switch work {
            case .job(let job): job.runSynchronously(on: asUnownedSerialExecutor())
            case .call(let call): call()
            }
        }
        taken.removeAll(keepingCapacity: taken.count <= 1024)
        if !virtualTime {
            fireDueTimers()
        }
        if !soon.isEmpty {
            let calls = soon
            soon = []
            for call in calls { call() }
        }
        // A flush may make the stream below want one.
        while !flushes.isEmpty {
            let streams = flushes
            flushes = []
            for stream in streams { stream.flush() }
        }
    }
}

/// Something with a descriptor that a loop watches.
protocol Pollable: AnyObject {
    func ready(_ readiness: Readiness)
}

/// Something that gathers what is written in a turn of the loop.
protocol Flushable: AnyObject {
    func flush()
}

/// What the thread knows of its loop while it waits.
///
/// `@unchecked Sendable`: set once before the thread starts; weak references are loaded atomically.
private final class WeakLoop: @unchecked Sendable {
    weak var loop: EventLoop?
}
