import LinkstrSessions
import NostrEvents
import NostrTransport

extension AccountRuntime {
    /// Connects to the relays, reads their history and receives what is new, until ``stop()``. Returns at once; how it goes is told
    /// by ``events(buffering:)`` and ``status()``. Does nothing while it is on.
    public func start() async {
        guard live == nil else { return }
        advance(to: .relays)
        let run = LiveRun(self)
        live = run
        await run.begin()
    }

    /// Stops receiving and disconnects. Returns when nothing is under way any more; what is stored stays.
    public func stop() async {
        guard let run = live else { return }
        live = nil
        await run.end()
        advance(to: .data)
    }

    /// Whether connections are kept open between calls.
    public var isLive: Bool { live != nil }

    /// How it goes.
    public func status() async -> RuntimeStatus {
        var reports: [RelayReport] = []
        for relay in relays {
            // Asked of the connection, because the pool notes figures with changes of the state alone.
            let status = await pool.connection(to: relay)?.status
            let condition = RelayCondition(status, now: options.now())
            reports.append(
                RelayReport(
                    url: relay,
                    state: condition.state,
                    statistics: status?.statistics,
                    condition: condition,
                    acceptanceTime: acceptanceTimes[relay],
                    history: await live?.history(of: relay) ?? .waiting,
                    lastCompletePass: passes.starts[relay]
                )
            )
        }
        return RuntimeStatus(
            stage: stage,
            isLive: live != nil,
            relays: reports,
            counters: await counted,
            waiting: (try? await store.waitingCount) ?? 0,
            acceptanceTime: acceptanceTime,
            subscribers: hub.count,
            storeFailure: storeFailure
        )
    }

    private var counted: RuntimeCounters {
        get async {
            var counters = counters
            counters.announced = await courier.announced
            counters.failedAnnouncements = await courier.failed
            return counters
        }
    }

    /// The network has changed: relays that wait to be connected to again are tried at once.
    public func networkChanged() async {
        await pool.networkChanged()
    }

    // MARK: What the live run asks for

    /// Takes in gift wraps; nil where they could not be stored.
    func take(_ wraps: [(wrap: Event, source: Source)], coverage: Coverage? = nil) async -> Int? {
        do throws(SessionStoreError) {
            let result = try await ingest(wraps, coverage: coverage)
            storeFailure = nil
            if result.effects.contains(.wantsFullHistory) { await live?.readAll() }
            return result.opened
        } catch {
            if storeFailure == nil { hub.tell(.notice("What relays send cannot be stored: \(error)")) }
            storeFailure = error.description
            return nil
        }
    }

    /// Whether the next reading goes over the whole history.
    func readsAll() async -> Bool {
        if options.historyExtent == .full { return true }
        if (try? await store.isRestoring) == true { return true }
        return await wantsAll()
    }

    func wantsAll() async -> Bool {
        (try? await store.wantsFullHistory) == true
    }

    func complete(_ relay: RelayURL, start: Int64) async {
        passes.complete(relay, start: start)
        await saveWraps()
        do throws(ClientError) {
            try await save(PassLog.document, passes.json)
        } catch {
            hub.tell(.notice("When history was read cannot be stored: \(error)"))
        }
    }

    /// Every relay was read as far as it can be now.
    /// - Parameter isFirst: Whether for the first time since ``start()``.
    func settled(isFirst: Bool) async {
        do throws(SessionStoreError) {
            _ = try await settle(isRestoring: isFirst, isFull: !isFirst || options.historyExtent == .full)
        } catch {
            storeFailure = error.description
        }
    }

    /// Every relay that can be reached has told this account's records.
    func recordsSettled() async {
        do throws(SessionStoreError) {
            try await settleRecords()
        } catch {
            storeFailure = error.description
        }
        uploadPreferencesSoon()
        performDutiesSoon()
        syncArchiveSoon()
    }
}
