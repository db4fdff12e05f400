import Negentropy
public import NostrEvents
public import SQLite

/// An event database.
///
/// ```swift
/// let store = try await EventStore(.file(path))
/// let outcome = try await store.ingest(event)
/// let notes = try await store.events(matching: [Filter(kinds: [.textNote], limit: 20)])
/// ```
///
/// Replaceable, addressable and ephemeral events are treated as NIP-01 says, deletion requests as NIP-09, expiration as
/// NIP-40 and requests to vanish as NIP-62.
public final class EventStore: Sendable {
    /// Where the database lies.
    public let location: Location

    private let options: StoreOptions
    private let keys: IndexKeys
    private let queue = IngestQueue()
    let writer: Writer
    private let published: PublishedMemory
    private let addresses = ServiceAddresses()
    private let turns: ReadTurns
    /// Nil for a database in memory, which has one connection for everything.
    private let readers: Database?

    /// Opens the database, or makes it if there is none.
    ///
    /// - Throws: ``StoreError``; a file that is damaged, foreign, newer or not permitted is left as it is.
    public init(_ location: Location, options: StoreOptions = StoreOptions()) async throws(StoreError) {
        self.location = location
        self.options = options
        published = PublishedMemory()
        turns = ReadTurns(max(1, options.readers))
        do {
            let lock: StoreLock? = if case .file(let path) = location { try StoreLock(path) } else { nil }
            let thread = DatabaseThread()
            let opener = Opener(thread: thread)
            addresses.add(options.serviceURLs)
            writer = try await opener.open(location, options, published, addresses, lock)
            keys = writer.keys
            readers =
                location == .memory
                ? nil
                : try await Database(
                    location,
                    access: .read,
                    readers: options.readers,
                    options: Options(cacheBytes: options.readerCacheBytes)
                )
        } catch {
            throw Self.translated(error)
        }
        // What was cut short the last time goes on.
        writer.drain(queue)
    }

    /// Adds addresses to ``StoreOptions/serviceURLs``: a relay knows some of its own only when it listens.
    public func serve(under urls: some Sequence<String>) {
        addresses.add(urls)
    }

    // MARK: Writing

    /// Stores an event. Returns when it is committed.
    public func ingest(_ event: Event) async throws(StoreError) -> IngestOutcome {
        try await ingest([event])[0]
    }

    /// Stores events in their order, in one commit with whatever others are storing at the time. Returns when they are
    /// committed. The waiting is short and is not cut off by cancellation: nobody would know what was stored.
    ///
    /// - Returns: for each event what became of it.
    /// - Throws: ``StoreError``; then none of the events is stored.
    public func ingest(_ events: [Event]) async throws(StoreError) -> [IngestOutcome] {
        try await withCheckedContinuation { continuation in
            ingest(events) { continuation.resume(returning: $0) }
        }.get()
    }

    /// The same for code that is not asynchronous.
    ///
    /// - Parameter then: is told what became of each event, or why none of them is stored; on the thread that writes, which
    ///   waits for it.
    public func ingest(
        _ events: [Event],
        then: @escaping @Sendable (Result<[IngestOutcome], StoreError>) -> Void
    ) {
        guard !events.isEmpty else { return writer.perform { then(.success([])) } }
        switch queue.add(IngestQueue.Part(events: events, then: then)) {
        case .first: writer.drain(queue)
        case .behindOthers: break
        case .closed: writer.perform { then(.failure(.database(.closed))) }
        }
    }

    /// Deletes events whose time is over (NIP-40). They are not given out anyway; this makes room.
    ///
    /// - Returns: how many were deleted.
    @discardableResult
    public func sweepExpired() async throws(StoreError) -> Int {
        do { return try await writer.sweep() } catch { throw Self.translated(error) }
    }

    /// Deletes events by their ids, whoever asks: for the operator of a relay. They may come again.
    ///
    /// - Returns: how many were there.
    @discardableResult
    public func remove(_ ids: some Sequence<EventID>) async throws(StoreError) -> Int {
        let ids = Array(ids)
        do { return try await writer.remove(ids) } catch { throw Self.translated(error) }
    }

    // MARK: Reading

    /// The stored events that match one of the filters: newest first, at the same time lowest id first, each once, of each
    /// filter as many as its limit says. What a filter searches for (NIP-50) comes before the others, best match first, at
    /// most 500 events.
    ///
    /// - Throws: ``StoreError``, among them ``StoreError/searchUnavailable``.
    public func events(
        matching filters: [Filter],
        deadline: ContinuousClock.Instant? = nil
    ) async throws(StoreError) -> [WireEvent] {
        try await read(deadline) { reader, now in
            var query = try Query(filters, reader, now: now, from: .start(filters))
            var events: [WireEvent] = []
            while let match = try query.next() {
                if let event = match.event { events.append(event) }
            }
            return events
        }
    }

    /// A part of what ``events(matching:deadline:)`` gives: at most `count` events from `state` on, and no more bytes than
    /// `bytes` and one event. It may have fewer, even none, before the last part: a query that has to look at much does so a
    /// little at a time, and others have their turn in between.
    ///
    /// Between two parts nothing is held but `state`, no lock and no event; what is stored or deleted meanwhile may or may not
    /// be seen. What a search has found is remembered in it by number, at most 500 events a filter.
    ///
    /// - Returns: the events, and where to go on, nil if they were the last.
    public func page(
        matching filters: [Filter],
        from state: QueryState? = nil,
        count: Int,
        bytes: Int = .max,
        deadline: ContinuousClock.Instant? = nil
    ) async throws(StoreError) -> (events: [WireEvent], next: QueryState?) {
        let isFirst = state == nil
        return try await read(deadline, isFirst: isFirst) { reader, now in
            let budget = Self.budget(isFirst)
            var query = try Query(filters, reader, now: now, from: state ?? .start(filters), budget: budget)
            var events: [WireEvent] = []
            var size = 0
            while events.count < max(1, count), size < bytes, let match = try query.next() {
                if let event = match.event { events.append(event) }
                size += match.size
            }
            return (events, query.state)
        }
    }

    /// The matching events as a stream of parts, fetched as they are taken.
    public func stream(matching filters: [Filter], partSize: Int = 256) -> EventStream {
        EventStream(store: self, filters: filters, partSize: partSize)
    }

    /// How many stored events match one of the filters (NIP-45). Limits do not count.
    ///
    /// A single filter on nothing, or on kinds, authors or one value of one tag, with or without a time, is counted in the
    /// index. Other filters are counted by reading what they may match, within the deadline.
    public func count(
        matching filters: [Filter],
        deadline: ContinuousClock.Instant? = nil
    ) async throws(StoreError) -> Int {
        let filters = filters.map { filter in
            var filter = filter
            filter.limit = nil
            return filter
        }
        var total = 0
        var state: QueryState? = .start(filters)
        var isFirst = true
        while let from = state {
            let (count, next): (Int, QueryState?) = try await read(deadline, isFirst: isFirst) {
                [isFirst] reader, now in
                if isFirst, filters.count == 1, let count = try reader.count(filters[0], now: now) {
                    return (count, nil)
                }
                let budget = Self.budget(isFirst)
                var query = try Query(filters, reader, now: now, from: from, budget: budget, wantsEvents: false)
                var count = 0
                while try query.next() != nil { count += 1 }
                return (count, query.state)
            }
            total += count
            state = next
            isFirst = false
        }
        return total
    }

    /// The events that match one of the filters as a sorted set for reconciliation (NIP-77).
    ///
    /// Their ids and times are fetched in parts, between which other reads have their turn, and are not all held in memory: see
    /// ``EventSet``. What is stored or deleted meanwhile may or may not be in it.
    ///
    /// - Parameters:
    ///   - filters: what the set is about; they must not search (NIP-50).
    ///   - maximum: how many items the set may have.
    ///   - deadline: when it has to be complete.
    ///   - isWanted: leaves out matching events for which it is false; with it the events are read as a whole.
    /// - Throws: ``StoreError/tooManyEvents(limit:)`` if more than `maximum` match, ``StoreError/searchUnavailable``, and others.
    public func negentropySet(
        matching filters: [Filter],
        maximum: Int = 1_000_000,
        deadline: ContinuousClock.Instant? = nil,
        where isWanted: (@Sendable (WireEvent) -> Bool)? = nil
    ) async throws(StoreError) -> EventSet {
        guard !filters.contains(where: { $0.search.flatMap(SearchIndex.query) != nil }) else {
            throw .searchUnavailable
        }
        var builder = EventSetBuilder(beside: location == .memory ? nil : location.path)
        var state: QueryState? = .start(filters)
        var isFirst = true
        while let from = state {
            let (items, next) = try await read(deadline, isFirst: isFirst) { [isFirst] reader, now in
                let budget = Self.budget(isFirst)
                var query = try Query(
                    filters,
                    reader,
                    now: now,
                    from: from,
                    budget: budget,
                    wantsEvents: isWanted != nil
                )
                var items: [NegentropyItem] = []
                while let match = try query.next() {
                    if let event = match.event, isWanted?(event) == false { continue }
                    // Times are 0 to 2^53 - 1.
                    items.append(try NegentropyItem(timestamp: UInt64(match.createdAt), id: match.id))
                }
                return (items, query.state)
            }
            guard builder.count + items.count <= maximum else { throw .tooManyEvents(limit: maximum) }
            for item in items { try builder.append(item) }
            state = next
            isFirst = false
        }
        return try builder.finish()
    }

    /// Events that a filter looks at in one part: few, so that others do not wait long, and enough that planning the query anew
    /// for each part is not seen.
    private static func budget(_ isFirst: Bool) -> Int { isFirst ? 2_048 : 8_192 }

    private func read<Result: Sendable>(
        _ deadline: ContinuousClock.Instant?,
        isFirst: Bool = true,
        _ body: @Sendable (IndexReader, _ now: Int64) throws -> Result
    ) async throws(StoreError) -> Result {
        let now = options.now()
        let part = isFirst ? ReadTurns.Part.first : .further
        await turns.take(part)
        defer { turns.give(part) }
        do {
            guard let readers else { return try await writer.read(deadline) { try body($0, now) } }
            return try await readers.read(deadline: deadline) { [published, keys] connection in
                // In this order: see IndexReader.
                let memory = published.value
                return try body(IndexReader(connection: connection, memory: memory, keys: keys), now)
            }
        } catch {
            throw Self.translated(error)
        }
    }

    // MARK: Care

    /// How much is stored.
    public func statistics() async throws(StoreError) -> StoreStatistics {
        do {
            return try await writer.statistics()
        } catch {
            throw Self.translated(error)
        }
    }

    /// Looks for damage; empty for a sound database.
    public func integrityCheck() async throws(StoreError) -> [String] {
        do {
            if let readers { return try await readers.integrityCheck() }
            return try await writer.maintain { try $0.integrityCheck() }
        } catch {
            throw Self.translated(error)
        }
    }

    /// Writes a copy to a new file while everything goes on.
    public func backUp(to path: String) async throws(StoreError) {
        do {
            if let readers {
                try await readers.backUp(to: path)
            } else {
                try await writer.maintain { try $0.backUp(to: path) }
            }
        } catch {
            throw Self.translated(error)
        }
    }

    /// Puts everything in its place and closes the database, so that it opens at once the next time.
    public func close() async throws(StoreError) {
        queue.close()
        await readers?.close()
        do { try await writer.finish(queue) } catch { throw Self.translated(error) }
    }

    static func translated(_ error: any Error) -> StoreError {
        switch error {
        case let error as StoreError: error
        case let error as SQLiteError: .database(error)
        // Only an error of the reading closures above is left, and they throw those two.
        default: .database(.cancelled)
        }
    }
}

/// Opens on the thread that will own the connection.
private actor Opener {
    private let thread: DatabaseThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(thread: DatabaseThread) {
        self.thread = thread
    }

    func open(
        _ location: Location,
        _ options: StoreOptions,
        _ published: PublishedMemory,
        _ addresses: ServiceAddresses,
        _ lock: StoreLock?
    ) throws -> Writer {
        Writer(
            try StoreOpening(location, options),
            thread: thread,
            options: options,
            published: published,
            addresses: addresses,
            lock: lock
        )
    }
}
