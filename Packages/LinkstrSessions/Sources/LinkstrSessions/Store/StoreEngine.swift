import NostrCrypto
import NostrEvents
import SQLite

/// The database of one account with what is remembered of it. It belongs to one thread; ``SessionStore`` is its door.
final class StoreEngine {
    let connection: Connection
    let owner: Bytes32
    let options: SessionStoreOptions
    let sealer: Sealer
    let people: People
    let keys: KeyTables
    var isRestoring: Bool
    /// Facts in the tables of recent keys.
    var recentCount: Int
    var nextRow: Int64
    /// At least as many facts as count for nothing; exact after each reckoning.
    var waiting: Int64
    var lostElsewhere: SessionEntry.LostFacts
    /// Whether what history brings counts as read. Decided at the first historical fact of a run.
    var isSuppressed: Bool?
    /// Sealed values that did not open since the last answer.
    var unreadable = 0

    private var entries: [SessionID: SessionEntry] = [:]
    private var uses: UInt64 = 0

    init(_ location: Location, owner: Bytes32, dataKey: SecretBytes?, options: SessionStoreOptions) throws {
        self.owner = owner
        self.options = options
        guard let dataKey else {
            // Nothing is made: what is said depends on whether there is a database.
            _ = try Connection(location, access: .read)
            throw SessionStoreError.keyMissing(path: location.path)
        }
        connection = try Connection(
            location,
            options: Options(
                synchronous: options.synchronous,
                cacheBytes: options.cacheBytes,
                busyTimeout: .milliseconds(500),
                // Keys are merged seldom and touch many pages: copying the log seldom copies a page once for many of them.
                checkpointPages: 8_000
            )
        )
        // Recent keys are in this connection alone, so a second writer would not see them.
        try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        try StoreSchema.migrations.apply(to: connection)
        let check: [UInt8]? = try connection.value("SELECT key_check FROM meta")
        sealer = try Sealer(dataKey: dataKey)
        if let check {
            guard let opened = sealer.open(check, .keyCheck, row: 1) else {
                throw SessionStoreError.wrongKey(path: location.path)
            }
            guard opened == owner.array else { throw SessionStoreError.wrongAccount(path: location.path) }
        } else {
            try connection.execute(
                """
                INSERT INTO meta(id, key_check, is_restoring, indexed_up_to, waiting, lost_elsewhere)
                VALUES (1, ?1, 1, 0, 0, 0)
                """,
                try sealer.seal(owner.array, .keyCheck, row: 1)
            )
        }
        people = People(connection, sealer)
        keys = KeyTables(connection: connection)
        // Takes the lock even where nothing was to be written.
        try connection.execute("UPDATE meta SET id = 1")
        try connection.script(StoreSchema.recent)
        isRestoring = true
        waiting = 0
        lostElsewhere = .no
        recentCount = 0
        nextRow = 1
        try readMeta()
        let indexed: Int64 = try connection.value("SELECT indexed_up_to FROM meta") ?? 0
        let last: Int64? = try connection.value("SELECT row FROM fact ORDER BY row DESC LIMIT 1")
        nextRow = max(indexed, last ?? 0) + 1
        recentCount = try connection.transaction { try keys.rebuild(after: indexed) }
    }

    func identity() throws -> [UInt8] {
        // Sealed under a nonce of its own when the database was made, and never again.
        let check: [UInt8] = try connection.value("SELECT key_check FROM meta") ?? []
        return Array(SHA256.hash(check).array.prefix(16))
    }

    private func readMeta() throws {
        let meta = try connection.first("SELECT is_restoring, waiting, lost_elsewhere FROM meta") { row in
            (
                isRestoring: try row.get(0, as: Bool.self), waiting: try row.integer(1),
                lost: try row.get(2, as: SessionEntry.LostFacts.self)
            )
        }
        guard let meta else { return }
        isRestoring = meta.isRestoring
        waiting = meta.waiting
        lostElsewhere = meta.lost
    }

    func writeMeta() throws {
        try connection.execute(
            "UPDATE meta SET is_restoring = ?1, waiting = ?2, lost_elsewhere = ?3",
            isRestoring,
            waiting,
            lostElsewhere
        )
    }

    /// Runs `body` in a transaction; what is remembered goes back with it when it fails.
    func commit<Result>(_ body: () throws -> Result) throws -> Result {
        let before = (nextRow, recentCount, isSuppressed)
        do {
            return try connection.transaction(.write, body)
        } catch {
            entries.removeAll()
            people.forget()
            (nextRow, recentCount, isSuppressed) = before
            try readMeta()
            throw error
        }
    }

    /// Merges the recent keys, for instance because there are many.
    func merge() throws {
        guard recentCount > 0 else { return }
        try connection.transaction {
            try keys.merge(upTo: nextRow - 1)
        }
        recentCount = 0
    }

    // MARK: Sessions

    /// A session that something is known of.
    func entry(_ id: SessionID) throws -> SessionEntry? {
        if let entry = entries[id] {
            uses += 1
            entry.lastUse = uses
            return entry
        }
        let row = try connection.first(
            """
            SELECT number, pin, pin_needs_confirmation, tombstone, tombstone_time, tombstone_id, has_dropped_claimants,
                lost_facts, newest_root, is_archived, request
            FROM session WHERE id = ?1
            """,
            id.text
        ) { row in
            (
                number: try row.integer(0), pin: try row.get(1, as: [UInt8]?.self),
                confirm: try row.get(2, as: Bool.self),
                tombstone: try row.get(3, as: [UInt8]?.self),
                moment: try row.isNull(5)
                    ? nil : Moment(time: try row.integer(4), id: try StoredFact.id(row, 5)),
                dropped: try row.get(6, as: Bool.self), lost: try row.get(7, as: SessionEntry.LostFacts.self),
                newest: try row.integer(8), archived: try row.get(9, as: Bool.self),
                request: SessionRequest(rawValue: try row.integer(10)) ?? .none
            )
        }
        guard let row else { return nil }
        var pin: SessionLog.Pin?
        if let sealed = row.pin {
            pin = try opened(sealed, .pin, row.number).map {
                SessionLog.Pin(creator: $0, needsConfirmation: row.confirm)
            }
        }
        var tombstone: SessionLog.Tombstone?
        if let sealed = row.tombstone, let moment = row.moment {
            // An id that was closed stays closed, even if who closed it cannot be read.
            tombstone = SessionLog.Tombstone(
                creator: try opened(sealed, .tombstone, row.number) ?? .zero,
                moment: moment
            )
        }
        let entry = SessionEntry(
            number: row.number,
            log: SessionLog(
                id: id,
                owner: owner,
                pin: pin,
                tombstone: tombstone,
                hasDroppedClaimants: row.dropped
            ),
            request: row.request,
            isArchived: row.archived,
            lostFacts: row.lost,
            newestRoot: row.newest
        )
        entry.isSealedForGood = row.pin != nil && pin == nil || tombstone?.creator == .zero
        try loadLog(entry)
        remember(entry)
        return entry
    }

    /// The session, with a row of its own if nothing was known of it.
    func entryMakingOne(_ id: SessionID) throws -> SessionEntry {
        if let entry = try entry(id) { return entry }
        try connection.execute("INSERT INTO session(id) VALUES (?1)", id.text)
        let entry = SessionEntry(number: connection.lastInsertedRow, log: SessionLog(id: id, owner: owner))
        remember(entry)
        return entry
    }

    /// Every session with a creator, those that are deleted but not yet closed among them.
    func idsWithCreator() throws -> [SessionID] {
        try ids("SELECT id FROM session WHERE has_creator = 1 ORDER BY id")
    }

    func ids(_ sql: SQL) throws -> [SessionID] {
        try connection.all(sql) { row in SessionID(try row.text(0)) }.compactMap { $0 }
    }

    func entry(number: Int64) throws -> SessionEntry? {
        let id: String? = try connection.value("SELECT id FROM session WHERE number = ?1", number)
        return try id.flatMap { SessionID($0) }.flatMap { try entry($0) }
    }

    private func opened(_ sealed: [UInt8], _ column: Sealer.Column, _ row: Int64) throws -> Bytes32? {
        let key = sealer.open(sealed, column, row: row).flatMap { try? Bytes32($0) }
        if key == nil { unreadable += 1 }
        return key
    }

    private func remember(_ entry: SessionEntry) {
        uses += 1
        entry.lastUse = uses
        entries[entry.id] = entry
    }

    /// Reads the member lists and the wishes to end the session.
    private func loadLog(_ entry: SessionEntry) throws {
        let cursor = try connection.cursor(
            """
            SELECT f.row, f.id, f.session, f.sender, f.kind, f.time, f.flags, f.target, f.slot, f.sealed
            FROM (
                SELECT row FROM temp.recent_log WHERE session = ?1 UNION ALL
                SELECT row FROM log_key WHERE session = ?1
            ) k JOIN fact f ON f.row = k.row
            """,
            entry.number
        )
        while let (fact, sealed) = try cursor.next({ row in (try StoredFact(row), try row.get(9, as: [UInt8]?.self)) })
        {
            guard let sender = try people.key(fact.sender) else {
                unreadable += 1
                continue
            }
            if fact.kind == .sessionDelete {
                _ = entry.log.insertDelete(fact.moment, by: sender)
                continue
            }
            guard let body = sealed.flatMap({ sealer.open($0, .fact, row: fact.row) }),
                let snapshot = FactRow.snapshot(body, moment: fact.moment, isCreate: fact.kind == .create)
            else {
                unreadable += 1
                continue
            }
            _ = entry.log.insert(snapshot, by: sender)
        }
    }

    /// Writes what a session's row holds.
    func write(_ entry: SessionEntry) throws {
        let log = entry.log
        let pin = try log.pin.map { try sealer.seal($0.creator.array, .pin, row: entry.number) }
        let tombstone = try log.tombstone.map { try sealer.seal($0.creator.array, .tombstone, row: entry.number) }
        try connection.execute(
            """
            UPDATE session SET has_creator = ?2, pin = iif(?13, pin, ?3),
                pin_needs_confirmation = iif(?13, pin_needs_confirmation, ?4), tombstone = iif(?13, tombstone, ?5),
                tombstone_time = iif(?13, tombstone_time, ?6), tombstone_id = iif(?13, tombstone_id, ?7),
                has_dropped_claimants = ?8, lost_facts = ?9, newest_root = ?10, is_archived = ?11, request = ?12
            WHERE number = ?1
            """,
            entry.number,
            log.creator != nil,
            pin,
            log.pin?.needsConfirmation ?? false,
            tombstone,
            log.tombstone?.moment.time,
            log.tombstone?.moment.id.bytes.array,
            log.hasDroppedClaimants,
            entry.lostFacts,
            entry.newestRoot,
            entry.isArchived,
            entry.request.rawValue,
            entry.isSealedForGood
        )
    }

    /// Forgets sessions that were not asked for lately when what is remembered has become large.
    func trim() {
        let cost = entries.values.reduce(0) { $0 + $1.cost }
        guard cost > options.rememberedKeys else { return }
        var left = cost
        for entry in entries.values.sorted(by: { $0.lastUse < $1.lastUse }) {
            entries[entry.id] = nil
            left -= entry.cost
            if left <= options.rememberedKeys / 2 { return }
        }
    }

    func forgetAllSessions() {
        entries.removeAll()
    }

    // MARK: Facts

    /// A stored fact by its id.
    func fact(_ id: EventID) throws -> StoredFact? {
        let rows = try connection.all(
            "SELECT row FROM temp.recent_id WHERE key = ?1 UNION ALL SELECT row FROM id_key WHERE key = ?1",
            id.prefix
        ) { row in try row.integer(0) }
        for row in rows {
            if let fact = try fact(row: row), fact.moment.id == id { return fact }
        }
        return nil
    }

    func fact(row: Int64) throws -> StoredFact? {
        try connection.first(
            "SELECT row, id, session, sender, kind, time, flags, target, slot FROM fact WHERE row = ?1",
            row
        ) { row in try StoredFact(row) }
    }

    func erase(_ fact: StoredFact) throws {
        try keys.remove(fact)
        try connection.execute("DELETE FROM fact WHERE row = ?1", fact.row)
    }
}

extension SessionEntry.LostFacts: SQLValue {}
