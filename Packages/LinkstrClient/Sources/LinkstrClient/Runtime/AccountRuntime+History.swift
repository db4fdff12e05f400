public import LinkstrSessions
import NostrCrypto
public import NostrEvents
import NostrPreferences
import NostrTransport

extension AccountRuntime {
    /// How far history is read.
    public enum Extent: Sendable {
        /// From shortly before each relay's last complete reading; all of it where there was none.
        case recent
        /// All of it.
        case full
    }

    /// What catching up brought.
    public struct Report: Sendable {
        /// Gift wraps that were opened.
        public internal(set) var opened = 0
        /// Gift wraps that are not for this account, not genuine, or hold nothing that is understood.
        public internal(set) var refused = 0
        /// What changed.
        public internal(set) var effects: [SessionEffect] = []
        /// Relays whose history was not read to its end, and why.
        public internal(set) var incomplete: [RelayURL: String] = [:]
        /// Relays whose history was read to its end.
        public internal(set) var complete: [RelayURL] = []
        /// Relays whose history was read to its end but for seconds of which they have more than they give. Anybody can bring that
        /// about with junk, so that it is no reason to do without the rest.
        public internal(set) var crowded: [RelayURL] = []
        /// Whether a relay was read to its end, crowded seconds aside.
        public var hasAnswer: Bool { !complete.isEmpty || !crowded.isEmpty }
    }

    /// Reads what relays hold for this account, each on its own: one bad relay never ends another's reading. What waits to be sent
    /// on behalf of earlier statements goes out too.
    /// - Parameter progress: Told the number of gift wraps read so far.
    /// - Throws: ``ClientError/noRelayEnabled``, ``ClientError/store(_:)``.
    public func catchUp(
        _ extent: Extent = .recent,
        progress: (@Sendable (Int) -> Void)? = nil
    ) async throws(ClientError) -> Report {
        guard !relays.isEmpty else { throw .noRelayEnabled }
        let started = options.now()
        do throws(SessionStoreError) {
            let isRestoring = try await store.isRestoring
            let wantsAll = try await store.wantsFullHistory
            let isFull = extent == .full || isRestoring || wantsAll
            let coverage = isFull ? try await coverage() : nil
            let intake = Intake(progress: progress) { [self] (events) async throws(SessionStoreError) in
                try await ingest(events.map { ($0, .historical) }, coverage: coverage)
            }
            let answers = await readAll(isFull: isFull, seen: try await seenWraps(isFull: isFull), into: intake)
            await intake.finish()
            if let error = await intake.failure { throw error }
            var report = await intake.report
            for answer in answers { report.note(answer.relay, answer.wraps) }
            for relay in report.complete { passes.complete(relay, start: started) }
            // A relay that did not answer at all counts as settled, but not when none did.
            if report.hasAnswer || report.opened > 0 {
                report.effects += try await settle(isRestoring: isRestoring, isFull: isFull)
            }
            noteRecordHistory(answers.map { ($0.relay, $0.records.isComplete) })
            try await settleRecords()
            if report.incomplete.isEmpty, let lost = coverage?.left { await putBack(lost) }
            if report.hasAnswer {
                await performDuties()
                if !preferences.pending.isEmpty { await uploadPreferences() }
            }
            syncArchiveSoon()
            await saveWraps()
            try await vault.save([PassLog.document: passes.json])
            return report
        } catch {
            throw .store(error)
        }
    }

    private struct Answer: Sendable {
        let relay: RelayURL
        let wraps: HistoryResult
        let records: HistoryResult
    }

    private func readAll(isFull: Bool, seen: SeenEvents, into intake: Intake) async -> [Answer] {
        let seenRecords = seenRecords()
        return await withTaskGroup(of: Answer.self) { group in
            for relay in relays {
                let filter = historyFilter(of: relay, isFull: isFull)
                group.addTask { [pool, options] in
                    async let records = self.readRecords(of: relay, seen: seenRecords)
                    let wraps = await pool.history(
                        of: filter,
                        from: relay,
                        name: Self.historyName,
                        seen: seen,
                        stallTime: options.stallTime
                    ) { events in await intake.take(events) }
                    return Answer(relay: relay, wraps: wraps, records: await records)
                }
            }
            var answers: [Answer] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
    }

    /// The gift wraps that need not come again. Where the whole history is read they are let through, to see what relays still have.
    private func seenWraps(isFull: Bool) async throws(SessionStoreError) -> SeenEvents {
        let seen = SeenEvents()
        guard !isFull else { return seen }
        let since = relays.map { passes.starts[$0] ?? 0 }.min() ?? 0
        for wrap in try await vault.wraps(since: since - ClientOptions.overlap, limit: 50_000) {
            seen.insert(wrap.id, createdAt: wrap.time)
        }
        return seen
    }

    static let historyName = "linkstr-backfill-"

    /// What a relay is asked for: the gift wraps to this account.
    func historyFilter(of relay: RelayURL, isFull: Bool) -> Filter {
        var filter = Filter(kinds: [.giftWrap])
        filter.tags[.p] = [account.hex]
        if !isFull, let last = passes.starts[relay] { filter.since = max(0, last - ClientOptions.overlap) }
        return filter
    }

    /// Every relay was read as far as it can be now.
    func settle(isRestoring: Bool, isFull: Bool) async throws(SessionStoreError) -> [SessionEffect] {
        var effects: [SessionEffect] = []
        if isRestoring { effects = try await store.completeRestore() }
        if isFull { await forget(try await store.settleHistory()) }
        try await follow(effects)
        return effects
    }
}

extension AccountRuntime.Report {
    fileprivate mutating func note(_ relay: RelayURL, _ result: HistoryResult) {
        if result.isComplete {
            complete.append(relay)
        } else {
            incomplete[relay] = result.sentence
            if result.failure == nil { crowded.append(relay) }
        }
    }
}

extension HistoryResult {
    /// Why it is not complete.
    var sentence: String {
        failure?.description ?? "It has more of one second than it sends."
    }
}
