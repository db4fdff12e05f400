import NostrEvents
import NostrStore
import SQLite

/// Stored events first, then new ones, until it is closed.
struct Subscription {
    /// Its number in the index of the shard.
    let number: Int
    let filterValues: Int
    /// Tells it from an earlier one of the same id.
    let generation: Int
    /// Whether stored events are still being sent.
    var isQuerying = true
    /// New events that came meanwhile.
    var pending: [(id: EventID, message: Outgoing)] = []
    var pendingBytes = 0
    /// Events that were found in the database before they were announced as new.
    var sentEarly: Set<EventID> = []
}

/// A request that waits for its turn.
enum WaitingQuery {
    case stored(SubscriptionID, generation: Int, StoredQuery)
    case count(SubscriptionID, [Filter], ReadRights, needsCheck: Bool)
}

// REQ, CLOSE and COUNT.

extension Session {
    func request(_ id: SubscriptionID, _ filters: [Filter]) {
        end(id)
        guard let (filters, needsCheck) = permitted(filters, id) else { return }
        guard subscriptions.count < limits.subscriptions else {
            send(.closed(id, StatusMessage(.rateLimited, "more than \(limits.subscriptions) subscriptions are open")))
            return
        }
        let values = filters.reduce(0) { $0 + $1.valueCount }
        guard filterValues + values <= limits.filterValues else {
            send(.closed(id, StatusMessage(.rateLimited, "the filters of all subscriptions are too large")))
            return
        }
        guard core.filterValues.allows(filterValues, adding: values) else {
            send(.closed(id, StatusMessage(.rateLimited, "the relay has too many subscriptions now")))
            return
        }
        let query = StoredQuery(filters, for: id, rights: rights, needsCheck: needsCheck, limits: limits)
        generation += 1
        filterValues += values
        subscriptions[id] = Subscription(
            number: shard.assumeIsolated { $0.subscribe(self, id, filters) },
            filterValues: values,
            generation: generation
        )
        core.counters.subscriptions.add()
        if !enqueue(.stored(id, generation: generation, query)) { refuse(id) }
    }

    func count(_ id: SubscriptionID, _ filters: [Filter]) {
        guard let (filters, needsCheck) = permitted(filters, id) else { return }
        if !enqueue(.count(id, filters, rights, needsCheck: needsCheck)) { refuse(id) }
    }

    private func refuse(_ id: SubscriptionID) {
        end(id)
        send(.closed(id, StatusMessage(.rateLimited, "too many requests wait for an answer")))
    }

    /// Closes a subscription; nothing if there is none of the id.
    func end(_ id: SubscriptionID) {
        guard let subscription = subscriptions.removeValue(forKey: id) else { return }
        filterValues -= subscription.filterValues
        pendingBytes -= subscription.pendingBytes
        shard.assumeIsolated { $0.unsubscribe(subscription.number) }
        core.counters.subscriptions.add(-1)
    }

    /// The filters as far as they may be answered; nil after a refusal.
    private func permitted(_ filters: [Filter], _ id: SubscriptionID) -> (filters: [Filter], needsCheck: Bool)? {
        switch permission(for: filters) {
        case .filters(let filters, let needsCheck): return (filters, needsCheck)
        case .refused(let status):
            if status.prefix == .authenticationRequired { sendChallenge() }
            send(.closed(id, status))
            return nil
        }
    }

    /// Whether filters may be answered, and how far.
    func permission(for filters: [Filter]) -> ReadRights.Narrowed {
        core.counters.queries.add()
        if core.options.authentication.contains(.read), client.authenticated.isEmpty {
            return .refused(StatusMessage(.authenticationRequired, "only authenticated clients may read here"))
        }
        if case .refuse(let status) = core.policies.answer(filters, to: client) { return .refused(status) }
        return rights.narrow(filters)
    }

    // MARK: Queries

    private func enqueue(_ query: WaitingQuery) -> Bool {
        guard waitingQueries.count < 2 * limits.subscriptions else { return false }
        waitingQueries.append(query)
        startQueries()
        return true
    }

    private func startQueries() {
        while runningQueries < limits.runningQueries, let next = waitingQueries.popFirst() {
            if case .stored(let id, let generation, _) = next, subscriptions[id]?.generation != generation { continue }
            runningQueries += 1
            Task {
                switch next {
                case .stored(let id, let generation, let query): await run(query, id, generation)
                case .count(let id, let filters, let rights, let needsCheck):
                    await runCount(id, filters, rights, needsCheck)
                }
                runningQueries -= 1
                startQueries()
            }
        }
    }

    private func run(_ query: StoredQuery, _ id: SubscriptionID, _ generation: Int) async {
        var query = query
        while true {
            await waitForRoom()
            guard subscriptions[id]?.generation == generation else { return }
            do throws(StoreError) {
                let outcome = try await nextPart(of: query, id, generation)
                guard subscriptions[id]?.generation == generation else { return }
                guard let (part, next) = outcome else { continue }
                query = next
                deliver(part, id)
                if let hints = part.end { finishStored(id, hints) }
                flush()
                if part.end != nil { return }
            } catch {
                guard subscriptions[id]?.generation == generation else { return }
                end(id)
                send(.closed(id, error.status))
                flush()
                return
            }
        }
    }

    /// Fetches a part when it is this client's turn; nil if it cannot be sent now, so that nothing is held for a client that
    /// does not read.
    private func nextPart(
        of query: StoredQuery,
        _ id: SubscriptionID,
        _ generation: Int
    ) async throws(StoreError) -> (part: StoredQuery.Part, query: StoredQuery)? {
        let turn = await core.turns.take(query.isFirst ? .first : .further, after: share)
        defer { share = max(share ?? 0, core.turns.give(turn)) }
        guard subscriptions[id]?.generation == generation, !isBlocked else { return nil }
        return try await query.next(from: core.store)
    }

    /// Sends a part, which is small, as a whole.
    private func deliver(_ part: StoredQuery.Part, _ id: SubscriptionID) {
        guard var subscription = subscriptions[id] else { return }
        if !subscription.pending.isEmpty {
            let stored = Set(part.ids)
            subscription.pending.removeAll { stored.contains($0.id) }
            pendingBytes -= subscription.pendingBytes
            subscription.pendingBytes = subscription.pending.reduce(0) { $0 + $1.message.cost }
            pendingBytes += subscription.pendingBytes
        }
        // The announcement of these is still to come, and shall not repeat them.
        subscription.sentEarly.formUnion(core.pipeline.unannounced(among: part.ids))
        subscriptions[id] = subscription
        core.counters.storedEventsSent.add(part.messages.count)
        for message in part.messages { send(message) }
    }

    private func finishStored(_ id: SubscriptionID, _ hints: EndOfStoredEventsHints) {
        send(.endOfStoredEvents(id, hints))
        guard var subscription = subscriptions[id] else { return }
        let pending = subscription.pending
        pendingBytes -= subscription.pendingBytes
        subscription.isQuerying = false
        subscription.pending = []
        subscription.pendingBytes = 0
        subscriptions[id] = subscription
        core.counters.liveEventsSent.add(pending.count)
        for (_, message) in pending { send(message) }
    }

    private func runCount(_ id: SubscriptionID, _ filters: [Filter], _ rights: ReadRights, _ needsCheck: Bool) async {
        do throws(StoreError) {
            let count = try await core.count(filters, rights, needsCheck: needsCheck)
            send(.count(id, EventCount(count: Int64(count))))
        } catch {
            send(.closed(id, error.status))
        }
        flush()
    }
}

extension Filter {
    /// How many values its lists have, itself counted too.
    var valueCount: Int {
        let lists = (ids?.count ?? 0) + (authors?.count ?? 0) + (kinds?.count ?? 0)
        return tags.values.reduce(1 + lists) { $0 + $1.count }
    }
}

extension StoreError {
    /// What a client is told; the rest is the operator's affair.
    var status: StatusMessage {
        switch self {
        case .searchUnavailable: StatusMessage(.unsupported, "this relay has no index for searches")
        case .tooManyEvents(let limit): StatusMessage(.blocked, "more than \(limit) events match")
        case .database(.deadlineExceeded): StatusMessage(.error, "the search took too long; ask for less")
        default: StatusMessage(.error, "the database cannot answer now")
        }
    }
}
