import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrTransport

/// Receiving: keeps a subscription to new gift wraps on each relay, and reads each relay's history at the start and after each
/// new connection. Each relay goes its own way; all that they share is what has been seen.
actor LiveRun {
    private struct Work {
        var state = RelayState.disconnected
        var connections = 0
        var history = RelayReport.History.waiting
        var isSettled = false
        var isComplete = false
        var hasRecords = false
        var retries = 0
        var retry: Task<Void, Never>?
        var trigger: AsyncStream<Void>.Continuation
    }

    private let runtime: AccountRuntime
    private let since: Int64
    private let liveSeen = SeenEvents()
    private let liveRecords = SeenEvents()
    private var historySeen = SeenEvents()
    /// What relays should have and were not met with yet, while the whole history is read for the first time.
    private var coverage: Coverage?
    private var work: [RelayURL: Work] = [:]
    private var tasks: [Task<Void, Never>] = []
    private var read = 0
    private var opened = 0
    /// Every relay is read to its end or could not be reached.
    private var isRestored = false
    /// The relays that a reading of the whole history, which the sessions asked for, still waits for.
    private var round: Set<RelayURL>?
    private var lastRound: Int64 = 0

    init(_ runtime: AccountRuntime) {
        self.runtime = runtime
        since = max(0, runtime.options.now() - ClientOptions.overlap)
    }

    // MARK: Life

    func begin() async {
        if runtime.options.historyExtent == .full { coverage = try? await runtime.coverage() }
        for relay in runtime.relays {
            let (triggers, trigger) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            work[relay] = Work(trigger: trigger)
            tasks.append(Task { await self.listen(to: relay) })
            tasks.append(Task { await self.listenForRecords(of: relay) })
            tasks.append(Task { for await _ in triggers { await self.readHistory(of: relay) } })
        }
        let updates = runtime.pool.statusUpdates()
        tasks.append(Task { for await statuses in updates { await self.note(statuses) } })
    }

    /// Ends everything and waits until nothing of it is under way.
    func end() async {
        for task in tasks { task.cancel() }
        for entry in work.values {
            entry.trigger.finish()
            entry.retry?.cancel()
        }
        for task in tasks { await task.value }
        tasks = []
        for relay in runtime.relays { await runtime.pool.remove(relay) }
    }

    func history(of relay: RelayURL) -> RelayReport.History {
        work[relay]?.history ?? .waiting
    }

    // MARK: New events

    private func listen(to relay: RelayURL) async {
        var filter = Filter(kinds: [.giftWrap])
        filter.tags[.p] = [runtime.account.hex]
        filter.since = since
        filter.limit = ClientOptions.liveLimit
        var options = SubscriptionOptions()
        options.name = "linkstr-live-"
        options.seen = liveSeen
        var waits = 0
        while !Task.isCancelled {
            let subscription = runtime.pool.subscribe([filter], to: [relay], options: options)
            // What comes before the end of stored events is history.
            var isLive = false
            while let updates = await subscription.nextBatch() {
                var batch: [(wrap: Event, source: Source)] = []
                for update in updates {
                    switch update {
                    case .event(let wrap, _): batch.append((wrap, isLive ? .live : .historical))
                    case .endOfStoredEvents:
                        isLive = true
                        waits = 0
                    case .interrupted, .closed: isLive = false
                    }
                }
                guard !batch.isEmpty else { continue }
                if await runtime.take(batch) == nil {
                    // What could not be stored comes again with the history.
                    retryHistory(of: relay)
                }
            }
            // The relay refused for good: asked again much later.
            try? await runtime.options.sleep(delay(waits))
            waits += 1
        }
    }

    // MARK: Connections

    private func note(_ statuses: [RelayURL: RelayStatus]) async {
        for (relay, status) in statuses {
            guard let before = work[relay] else { continue }
            if status.state != before.state {
                work[relay]?.state = status.state
                runtime.hub.tell(.relay(relay, status.state))
            }
            switch status.state {
            case .failed, .disabled:
                // A relay that cannot be reached holds nobody up. It has a reading of its own once it is there.
                work[relay]?.isSettled = true
                round?.remove(relay)
                await settleIfDone()
            case .connected, .authenticating, .readOnly:
                guard status.statistics.connections != before.connections else { break }
                work[relay]?.connections = status.statistics.connections
                await runtime.advance(to: isRestored ? .ready : .sessions)
                before.trigger.yield()
            case .connecting, .disconnected: break
            }
        }
    }

    // MARK: History

    /// Reads the whole history of every relay, unless that was done a short while ago.
    func readAll() {
        let now = runtime.options.now()
        guard round == nil, isRestored, now - lastRound >= ClientOptions.wantedHistoryInterval else { return }
        lastRound = now
        let open = work.filter { $0.value.state.isOpen }
        guard !open.isEmpty else { return }
        round = Set(open.keys)
        historySeen = SeenEvents()
        for entry in open.values { entry.trigger.yield() }
    }

    private func readHistory(of relay: RelayURL) async {
        guard !Task.isCancelled else { return }
        let isWanted = round?.contains(relay) ?? false
        work[relay]?.retry?.cancel()
        work[relay]?.history = .reading(0)
        let started = runtime.options.now()
        let isFull = await runtime.readsAll() || isWanted
        let filter = await runtime.historyFilter(of: relay, isFull: isFull)
        async let records = runtime.readRecords(of: relay, seen: await runtime.seenRecords())
        let (result, isStored) = await walk(filter, relay, historySeen)
        let hasRecords = await records.isComplete
        guard !Task.isCancelled else { return }
        if result.isComplete, isStored {
            work[relay]?.history = .complete(result.received)
            work[relay]?.isComplete = true
            work[relay]?.retries = 0
            await runtime.complete(relay, start: started)
        } else {
            if !isStored { historySeen = SeenEvents() }
            work[relay]?.history = .incomplete(isStored ? result.sentence : "What came could not be stored.")
            if result.failure != nil || !isStored { retryHistory(of: relay) }
        }
        work[relay]?.hasRecords = hasRecords
        work[relay]?.isSettled = true
        round?.remove(relay)
        tellProgress()
        await settleIfDone()
        await putBackIfLost()
    }

    /// Once every relay was read to its end: what none of them has any more is sent again.
    private func putBackIfLost() async {
        guard let coverage, work.values.allSatisfy(\.isComplete) else { return }
        self.coverage = nil
        await runtime.putBack(coverage.left)
    }

    private nonisolated func walk(
        _ filter: Filter,
        _ relay: RelayURL,
        _ seen: SeenEvents
    ) async -> (HistoryResult, isStored: Bool) {
        var isStored = true
        let result = await runtime.pool.history(
            of: filter,
            from: relay,
            name: AccountRuntime.historyName,
            seen: seen,
            stallTime: runtime.options.stallTime
        ) { events in
            isStored = await self.take(events, from: relay) && isStored
        }
        return (result, isStored)
    }

    private func take(_ events: [Event], from relay: RelayURL) async -> Bool {
        let count = await runtime.take(events.map { ($0, .historical) }, coverage: coverage)
        read += events.count
        opened += count ?? 0
        if case .reading(let before) = work[relay]?.history {
            work[relay]?.history = .reading(before + events.count)
        }
        tellProgress()
        return count != nil
    }

    private func tellProgress() {
        guard !isRestored || round != nil else { return }
        runtime.hub.tell(
            .progress(
                RestoreProgress(
                    read: read,
                    opened: opened,
                    settledRelays: work.values.count { $0.isSettled },
                    relays: work.count
                )
            )
        )
    }

    private func retryHistory(of relay: RelayURL) {
        guard let entry = work[relay] else { return }
        let wait = delay(entry.retries)
        work[relay]?.retries += 1
        entry.retry?.cancel()
        work[relay]?.retry = Task { [runtime] in
            try? await runtime.options.sleep(wait)
            if !Task.isCancelled { entry.trigger.yield() }
        }
    }

    /// Doubled each time, up to an hour.
    private func delay(_ count: Int) -> Duration {
        min(runtime.options.historyRetryTime * (1 << min(count, 12)), .seconds(3_600))
    }

    private func settleIfDone() async {
        if round?.isEmpty == true {
            round = nil
            await runtime.settled(isFirst: false)
        }
        if isRestored { await settleRecords() }
        guard !isRestored, work.values.allSatisfy(\.isSettled) else { return }
        // A relay that did not answer at all counts as settled, but not when none did.
        guard work.values.contains(where: \.isComplete) || opened > 0 else { return }
        isRestored = true
        lastRound = runtime.options.now()
        await runtime.settled(isFirst: true)
        await settleRecords()
        await runtime.advance(to: .ready)
        runtime.hub.tell(.restored)
        if await runtime.wantsAll() { readAll() }
    }

    // MARK: Records

    private func listenForRecords(of relay: RelayURL) async {
        var options = SubscriptionOptions()
        options.name = "linkstr-records-"
        options.seen = liveRecords
        var waits = 0
        while !Task.isCancelled {
            let subscription = runtime.pool.subscribe(runtime.recordFilters(), to: [relay], options: options)
            while let updates = await subscription.nextBatch() {
                var events: [Event] = []
                for update in updates {
                    if case .event(let event, _) = update { events.append(event) }
                    if case .endOfStoredEvents = update { waits = 0 }
                }
                if !events.isEmpty { await runtime.take(records: events) }
            }
            try? await runtime.options.sleep(delay(waits))
            waits += 1
        }
    }

    /// Tells the runtime whose records are here to their end. Relays that cannot be reached are not waited for.
    private func settleRecords() async {
        await runtime.noteRecordHistory(work.map { ($0.key, $0.value.hasRecords) })
        await runtime.recordsSettled()
    }
}
