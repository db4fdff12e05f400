internal import NostrCrypto

/// Takes notifications from the store and brings them to a sender, many at a time.
///
/// What became of them is written in groups: all that ended while the last group was being written is the next.
actor PushWorker {
    /// How a worker goes about it.
    struct Options: Sendable {
        /// How many notifications are being sent at the same time.
        var concurrency = 1_000
        /// How long one may take.
        var sendTime: Duration = .seconds(10)
        /// How long writing down what became of it may take.
        var settleTime: Duration = .seconds(15)
        /// How long a job is this worker's. It is not begun when the lease could end before its outcome is written down.
        var leaseTime: Duration = .seconds(30)
        /// How often it looks for jobs unasked: for those that are due again, and those of other processes.
        var interval: Duration = .seconds(1)

        /// With a shorter lease nothing could be begun.
        var shortestLease: Duration { sendTime + settleTime + .seconds(5) }
    }

    private let store: any PushStore
    private let sender: any PushSender
    private let options: Options
    private let metrics: PushMetrics
    private let log: PushLog
    private let clock: PushClock
    private let random: @Sendable () -> Double
    private let owner = SecureRandom.bytes32()
    private let bell: AsyncStream<Void>
    private nonisolated let ringer: AsyncStream<Void>.Continuation

    /// Jobs that are this worker's until what became of them is written down. If a lease runs out all the same, because the process
    /// had no processor or the clock was set, the job is not begun a second time here.
    private var held: Set<Int64> = []
    private var inFlight = 0
    private var settled: [PushSettlement] = []
    private var isSettling = false
    private var isStopping = false
    /// Whether the last look at the queue found as much as there was room for, or there was no room to look.
    private var mayHaveMore = false
    private var lastSaid: [String: Int64] = [:]

    init(
        store: any PushStore,
        sender: any PushSender,
        options: Options,
        metrics: PushMetrics,
        log: PushLog,
        clock: PushClock,
        random: @escaping @Sendable () -> Double
    ) {
        self.store = store
        self.sender = sender
        self.options = options
        self.metrics = metrics
        self.log = log
        self.clock = clock
        self.random = random
        (bell, ringer) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Says that there is something to do.
    nonisolated func ring() {
        ringer.yield()
    }

    /// Works until the task is cancelled; then waits for what is being sent, which is told to stop, and gives the rest back.
    func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [options, ringer] in
                while (try? await Task.sleep(for: options.interval)) != nil { ringer.yield() }
            }
            ring()
            for await _ in bell {
                // What could not be written down.
                if !settled.isEmpty, !isSettling { group.addTask { await self.flush() } }
                while !Task.isCancelled, await fill(&group) {}
            }
            isStopping = true
            group.cancelAll()
        }
        await flush()
    }

    /// True if there may be more.
    private func fill(_ group: inout DiscardingTaskGroup) async -> Bool {
        let room = options.concurrency - inFlight
        // Few large transactions instead of one for each that ends, and none while what has ended waits to be written down.
        guard room * 2 > options.concurrency, settled.count <= options.concurrency else {
            mayHaveMore = true
            return false
        }
        let now = clock.milliseconds()
        let time = max(options.leaseTime, options.shortestLease)
        let lease = PushLease(owner: owner, ends: now + time.milliseconds)
        let claimed: ClaimedJobs
        do {
            claimed = try await store.claimJobs(upTo: room, lease: lease, now: now)
        } catch {
            if !Task.isCancelled { log.write("the queue cannot be read: \(error)") }
            metrics.storeFailed()
            return false
        }
        metrics.storeWorked()
        metrics.add(claimed.expired, to: \.expired)
        for job in claimed.jobs where held.insert(job.id).inserted {
            inFlight += 1
            if job.isReclaimed { metrics.add(1, to: \.reclaimed) }
            group.addTask { await self.process(job, lease) }
        }
        mayHaveMore = claimed.jobs.count + claimed.expired == room
        return mayHaveMore
    }

    private func process(_ job: PushJob, _ lease: PushLease) async {
        let settlement = await attempt(job, lease)
        inFlight -= 1
        settled.append(settlement)
        if mayHaveMore, inFlight * 2 < options.concurrency { ring() }
        await flush()
    }

    private func attempt(_ job: PushJob, _ lease: PushLease) async -> PushSettlement {
        let now = clock.milliseconds()
        let time = min(options.sendTime.milliseconds, job.expires - now)
        guard !isStopping, now + time + options.settleTime.milliseconds < lease.ends else { return .release(job) }
        guard time > 0 else { return .retry(job, due: job.expires) }
        metrics.add(1, to: \.attempts)
        let outcome = await sender.send(
            job.notification,
            to: job.target,
            expiration: job.expires / 1000,
            within: .milliseconds(time)
        )
        switch outcome {
        case .delivered:
            metrics.add(1, to: \.delivered)
            return .delivered(job)
        case .deviceGone:
            metrics.add(1, to: \.devicesGone)
            return .deviceGone(job)
        case .failed(let reason):
            let settlement = retry(job)
            metrics.add(1, to: \.failed)
            say("a notification waits for another try: \(reason)")
            return settlement
        case .misconfigured(let reason):
            let settlement = retry(job)
            metrics.add(1, to: \.misconfigured)
            say("notifications are refused because of the settings: \(reason)")
            return settlement
        case .interrupted:
            return .release(job)
        }
    }

    /// The same sentence once in ten seconds: an outage concerns thousands of notifications.
    private func say(_ sentence: String) {
        let now = clock.milliseconds()
        if let last = lastSaid[sentence], (last...(last + 10_000)).contains(now) { return }
        if lastSaid.count >= 64 { lastSaid = [:] }
        lastSaid[sentence] = now
        log.write(sentence)
    }

    private func retry(_ job: PushJob) -> PushSettlement {
        let (failures, overflow) = job.failures.addingReportingOverflow(1)
        let delay = Backoff.delay(failures: overflow ? .max : failures, random: random())
        return .retry(job, due: clock.milliseconds() + delay)
    }

    /// Writes down what became of jobs. What cannot be written is kept for the next time.
    private func flush() async {
        guard !isSettling else { return }
        isSettling = true
        defer { isSettling = false }
        while !settled.isEmpty {
            let group = settled
            settled = []
            // Not in this task, which may be cancelled: what was sent must not be sent again.
            let (store, lease) = (store, PushLease(owner: owner, ends: 0))
            let result = await Task.detached { try await store.settle(group, lease: lease) }.result
            if case .failure(let error) = result {
                settled = group + settled
                metrics.storeFailed()
                say("what became of notifications cannot be stored: \(error)")
                return
            }
            for settlement in group { held.remove(settlement.job) }
            if mayHaveMore { ring() }
        }
    }
}
