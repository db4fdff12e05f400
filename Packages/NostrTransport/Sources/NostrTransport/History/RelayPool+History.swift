import Negentropy
public import NostrEvents

/// How one walk through a relay's history went.
public struct HistoryResult: Sendable, Equatable {
    /// Events that were new and given to the caller.
    public internal(set) var events = 0
    /// Events that came, new or not.
    public internal(set) var received = 0
    /// Pages that came to their end.
    public internal(set) var pages = 0
    /// Seconds of which the relay has more than it gives.
    public internal(set) var incompleteSeconds: [Int64] = []
    /// Why the walk ended before the oldest event; nil if it did not.
    public internal(set) var failure: TransportError?

    /// Whether everything that the relay has came.
    public var isComplete: Bool { failure == nil && incompleteSeconds.isEmpty }
}

extension RelayPool {
    /// Walks through everything that one relay has for one filter, from the newest event to the oldest.
    ///
    /// Where a second holds more events than the relay gives at once, and the relay speaks NIP-77, that second is
    /// reconciled. A page without progress for `stallTime` ends the walk.
    ///
    /// - Parameters:
    ///   - filter: its `until` and `limit` are replaced.
    ///   - relay: the relay; added if it is not in the pool.
    ///   - name: what the names of the requests begin with.
    ///   - seen: events that are known and need not come again; new ones are entered.
    ///   - stallTime: how long a page may go without progress.
    ///   - receive: takes new events, in the order in which they came; the walk waits for it.
    /// - Returns: how it went. A call that is cancelled ends with ``TransportError/cancelled``.
    public func history(
        of filter: Filter,
        from relay: RelayURL,
        name: String = "history-",
        seen: SeenEvents = SeenEvents(),
        stallTime: Duration = .seconds(15),
        receive: ([Event]) async -> Void
    ) async -> HistoryResult {
        let connection = add(relay)
        var pager = HistoryPager()
        var result = HistoryResult()
        var options = SubscriptionOptions.stored
        options.name = name
        options.seen = seen
        options.stallTime = stallTime
        while case .page(let until, let limit) = pager.step {
            pager.relayLimit = await connection.relayInformation?.limits.filterLimit
            var page = filter
            page.until = until
            page.limit = limit
            let incomplete = pager.incompleteSeconds.count
            switch await read(page, from: relay, options, receive, &result) {
            case .success(let page): pager.pageEnded(page)
            case .failure(let error):
                result.failure = error
                pager.pageFailed()
            }
            if pager.incompleteSeconds.count > incomplete, let second = pager.incompleteSeconds.last,
                await complete(second, of: filter, on: connection, seen, receive, &result)
            {
                pager.completed(second)
            }
        }
        result.incompleteSeconds = pager.incompleteSeconds
        if pager.step == .failed, result.failure == nil { result.failure = .badAnswer }
        return result
    }

    private func read(
        _ filter: Filter,
        from relay: RelayURL,
        _ options: SubscriptionOptions,
        _ receive: ([Event]) async -> Void,
        _ result: inout HistoryResult
    ) async -> Result<StoredPage, TransportError> {
        let subscription = subscribe([filter], to: [relay], options: options)
        defer { subscription.close() }
        var page: StoredPage?
        var failure = TransportError.cancelled
        while let updates = await subscription.nextBatch() {
            var events: [Event] = []
            for update in updates {
                switch update {
                case .event(let event, _): events.append(event)
                case .endOfStoredEvents(_, let ended): page = ended
                case .closed(_, let error): failure = error ?? .cancelled
                case .interrupted: break
                }
            }
            if !events.isEmpty {
                result.events += events.count
                await receive(events)
            }
        }
        guard let page else { return .failure(failure) }
        result.pages += 1
        result.received += page.received
        return .success(page)
    }

    /// Fetches what is missing of one crowded second by its ids.
    private func complete(
        _ second: Int64,
        of filter: Filter,
        on connection: RelayConnection,
        _ seen: SeenEvents,
        _ receive: ([Event]) async -> Void,
        _ result: inout HistoryResult
    ) async -> Bool {
        guard await connection.relayInformation?.supports(77) == true else { return false }
        var crowded = filter
        crowded.since = second
        crowded.until = second
        crowded.limit = nil
        let none = InMemoryNegentropySet([])
        guard let found = try? await connection.reconcile(crowded, with: none, limit: 200_000) else { return false }
        let missing = found.need.filter { seen.time(of: $0) == nil }
        for ids in Self.portions(missing) {
            var options = SubscriptionOptions.stored
            options.seen = seen
            let fetched = await fetch([Filter(ids: Set(ids))], from: [connection.url], options: options)
            guard fetched.isComplete else { return false }
            result.events += fetched.events.count
            result.received += fetched.events.count
            await receive(fetched.events.filter { crowded.matches($0) })
        }
        return missing.allSatisfy { seen.time(of: $0) != nil }
    }
}
