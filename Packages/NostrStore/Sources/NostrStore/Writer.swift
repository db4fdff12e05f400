import Locking
import NostrCrypto
import NostrEvents
import SQLite

/// The one who writes: takes events in groups, commits them, and merges their keys into the tables.
actor Writer {
    /// What has to be as before when a transaction fails.
    struct State {
        var memory = Memtable()
        var nextRow: Int64 = 1
        /// Rows that are gone but whose keys are still in memory.
        var removed: Set<Int64> = []
        /// Rows up to this one may have keys in the tables.
        var inTables: Int64 = 0
        var merge: Merge?
        /// Nothing expires earlier.
        var nextExpiry: Int64 = .max
        var hasVanished = false
        var hasDeletions = false
    }

    let connection: Connection
    let keys: IndexKeys
    let options: StoreOptions
    var state: State
    let addresses: ServiceAddresses
    private let published: PublishedMemory
    private let thread: DatabaseThread
    private var lock: StoreLock?
    private var isClosed = false
    private var isWorkingAlone = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(
        _ opened: sending StoreOpening,
        thread: DatabaseThread,
        options: StoreOptions,
        published: PublishedMemory,
        addresses: ServiceAddresses,
        lock: StoreLock?
    ) {
        connection = opened.connection
        keys = opened.keys
        state = opened.state
        self.thread = thread
        self.options = options
        self.published = published
        self.addresses = addresses
        self.lock = lock
        published.set(opened.state.memory)
    }

    var reader: IndexReader { IndexReader(connection: connection, memory: state.memory, keys: keys) }

    /// Runs `body` in a transaction; keys in memory go back with it when it fails.
    func commit<Result>(_ body: () throws -> Result) throws -> Result {
        guard !isClosed else { throw SQLiteError.closed }
        let before = state
        do {
            let result = try connection.transaction(.write, body)
            published.set(state.memory)
            return result
        } catch {
            state = before
            throw error
        }
    }

    /// Runs a closure on the thread that writes.
    nonisolated func perform(_ body: @escaping @Sendable () -> Void) {
        thread.perform(body)
    }

    /// Commits what waits in the queue, group by group, until it is empty. Who reads or closes has a turn between two groups.
    nonisolated func drain(_ queue: IngestQueue) {
        thread.perform {
            self.assumeIsolated { writer in
                if writer.commitGroup(of: queue) { writer.drain(queue) } else { writer.workAlone() }
            }
        }
    }

    /// Commits a group of what waits, and tells those who have sent it; false if nothing waits.
    private func commitGroup(of queue: IngestQueue) -> Bool {
        let group = queue.take(options.groupSize)
        guard !group.isEmpty else { return false }
        do {
            let outcomes = try commit {
                let now = options.now()
                let keysBefore = state.memory.active.count
                if state.nextExpiry <= now { _ = try sweep(now, limit: options.groupSize) }
                let outcomes = try group.map { try $0.events.map { try store($0, now) } }
                try deleteVanished(limit: 64)
                if state.memory.active.count >= options.keysInMemory { freeze() }
                // Faster than new keys come, so that one merge is done before the next begins.
                try mergeSlice(max(64, 4 * (state.memory.active.count - keysBefore)))
                return outcomes
            }
            for (part, outcomes) in zip(group, outcomes) { part.then(.success(outcomes)) }
        } catch {
            let error = EventStore.translated(error)
            for part in group { part.then(.failure(error)) }
        }
        return true
    }

    private var hasWork: Bool { state.merge != nil || !state.memory.vanishing.isEmpty }

    /// Goes on merging and deleting while there is nothing else to do.
    private func workAlone() {
        guard hasWork, !isWorkingAlone else { return }
        isWorkingAlone = true
        Task {
            defer { isWorkingAlone = false }
            while hasWork {
                // What fails here is tried again with the next group, and reported there.
                do {
                    try commit {
                        try mergeSlice(512)
                        try deleteVanished(limit: 128)
                    }
                } catch { return }
                await Task.yield()
            }
        }
    }

    /// Merges everything in memory.
    func flush() throws {
        while !state.memory.vanishing.isEmpty { try commit { try deleteVanished(limit: 1_000) } }
        for _ in 0..<2 {
            freeze()
            while state.merge != nil { try commit { try mergeSlice(4_096) } }
        }
    }

    /// Deletes what has expired; returns how many events.
    func sweep() throws -> Int {
        var count = 0
        while true {
            let swept = try commit { try sweep(options.now(), limit: options.groupSize) }
            count += swept
            if swept < options.groupSize { return count }
        }
    }

    /// Deletes events; returns how many were there.
    func remove(_ ids: [EventID]) throws -> Int {
        try commit {
            try ids.reduce(0) { count, id in
                guard let row = try reader.row(of: id) else { return count }
                try remove(row)
                return count + 1
            }
        }
    }

    func statistics() throws -> StoreStatistics {
        guard !isClosed else { throw SQLiteError.closed }
        let events: Int? = try connection.value("SELECT count(*) FROM event")
        let pages: Int? = try connection.value("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        let free: Int? = try connection.value(
            "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"
        )
        return StoreStatistics(
            events: events ?? 0,
            bytes: pages ?? 0,
            freeBytes: free ?? 0,
            keysInMemory: state.memory.parts.reduce(0) { $0 + $1.count }
        )
    }

    func read<Result: Sendable>(
        _ deadline: ContinuousClock.Instant?,
        _ body: @Sendable (IndexReader) throws -> Result
    ) throws -> Result {
        guard !isClosed else { throw SQLiteError.closed }
        return try connection.withDeadline(deadline) { try connection.transaction(.read) { try body(reader) } }
    }

    /// Waits for what is under way, then merges everything and makes the log short.
    func finish(_ queue: IngestQueue) async throws {
        guard !isClosed else { return }
        while commitGroup(of: queue) {}
        while isWorkingAlone { await Task.yield() }
        try flush()
        if lock != nil { try connection.checkpoint(.truncate) }
        isClosed = true
        lock = nil
    }

    func maintain<Result: Sendable>(_ body: @Sendable (Connection) throws -> Result) throws -> Result {
        guard !isClosed else { throw SQLiteError.closed }
        return try body(connection)
    }
}

/// The keys in memory as readers see them: those of committed events.
final class PublishedMemory: Sendable {
    private let memory = Locked(Memtable())

    var value: Memtable { memory.withLock { $0 } }

    func set(_ value: Memtable) { memory.withLock { $0 = value } }
}

/// Events that wait to be committed.
final class IngestQueue: Sendable {
    struct Part {
        let events: [Event]
        let then: @Sendable (Result<[IngestOutcome], StoreError>) -> Void
    }

    private struct State {
        var parts: [Part] = []
        var isDraining = false
        var isClosed = false
    }

    private let state = Locked(State())

    enum Place {
        /// Somebody has to start draining.
        case first
        case behindOthers
        /// It was not added.
        case closed
    }

    /// Adds events, unless no more are taken.
    func add(_ part: Part) -> Place {
        state.withLock { state in
            if state.isClosed { return .closed }
            state.parts.append(part)
            defer { state.isDraining = true }
            return state.isDraining ? .behindOthers : .first
        }
    }

    /// Takes parts of about `count` events, or stops draining if there are none.
    func take(_ count: Int) -> [Part] {
        state.withLock { state in
            var taken = 0
            var events = 0
            while taken < state.parts.count, events < count {
                events += state.parts[taken].events.count
                taken += 1
            }
            let group = Array(state.parts.prefix(taken))
            state.parts.removeFirst(taken)
            if group.isEmpty { state.isDraining = false }
            return group
        }
    }

    /// Refuses whatever comes from now on.
    func close() {
        state.withLock { $0.isClosed = true }
    }
}
