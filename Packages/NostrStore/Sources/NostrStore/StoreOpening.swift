import NostrCrypto
import NostrEvents
import SQLite

/// An opened database: the connection and what has to be in memory.
struct StoreOpening {
    let connection: Connection
    let keys: IndexKeys
    var state: Writer.State

    init(_ location: Location, _ options: StoreOptions) throws {
        connection = try Connection(
            location,
            options: Options(
                synchronous: options.synchronous,
                cacheBytes: options.writerCacheBytes,
                // Random keys touch a page each: seldom copying the log means copying a page once for many of them.
                checkpointPages: 8_000
            )
        )
        try Schema.migrations.apply(to: connection)
        try connection.execute(
            "INSERT OR IGNORE INTO meta(id, secret, indexed_up_to, search_kinds) VALUES (1, ?1, 0, '[]')",
            SecureRandom.bytes(16)
        )
        let meta = try connection.first("SELECT secret, indexed_up_to FROM meta") { row in
            (secret: try row.bytes(0), indexedUpTo: try row.integer(1))
        }
        guard let meta else { throw SQLiteError.damaged(path: location.path, code: ResultCode(rawValue: 11)) }
        keys = IndexKeys(secret: meta.secret)
        state = Writer.State()
        try load(after: meta.indexedUpTo)
        try SearchIndex(connection).prepare(for: options.searchKinds)
        let expiry: Int64? = try connection.value("SELECT time FROM expiry ORDER BY time LIMIT 1")
        state.nextExpiry = expiry ?? .max
        let requests = try connection.all("SELECT pubkey, time, request FROM vanished WHERE request IS NOT NULL") {
            row in
            (
                try Bytes32(try row.bytes(0)),
                Vanishing(time: try row.integer(1), request: EventID(try Bytes32(row.bytes(2))))
            )
        }
        for (pubkey, vanishing) in requests { state.memory.vanishing[pubkey] = vanishing }
        state.hasVanished = try connection.value("SELECT 1 FROM vanished LIMIT 1", as: Int.self) != nil
        state.hasDeletions = try connection.value("SELECT 1 FROM deletion LIMIT 1", as: Int.self) != nil
    }

    /// Makes the keys of the rows that are not in the tables.
    private mutating func load(after indexed: Int64) throws {
        var entries: [IndexEntry] = []
        var ids: [IndexEntry] = []
        let last: Int64? = try connection.value("SELECT row FROM event ORDER BY row DESC LIMIT 1")
        let lastRow = max(indexed, last ?? 0)
        let cursor = try connection.cursor("SELECT row, body FROM event WHERE row > ?1", indexed)
        while true {
            let event: (Int64, WireEvent)? = try cursor.next { columns in
                let row = try columns.integer(0)
                return try columns.withBytes(1) { span in
                    try span.withUnsafeBytes { bytes in
                        guard let packed = PackedEvent(bytes) else { throw StoreError.damagedEvent(row: row) }
                        return (row, try IndexReader.event(packed, bytes, row))
                    }
                }
            }
            guard let (row, event) = event else { break }
            entries.append(contentsOf: keys.entries(of: event, row: row))
            ids.append(.id(keys.id(event.id), row: row))
        }
        state.memory.active = Memtable.Part(entries: SortedEntries(entries), ids: SortedEntries(ids))
        state.nextRow = lastRow + 1
        // A merge may have been cut short.
        state.inTables = lastRow
    }
}
