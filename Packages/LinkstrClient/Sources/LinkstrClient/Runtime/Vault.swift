import LinkstrSessions
import NostrCrypto
import NostrEvents
import SQLite

/// What an account keeps beside its sessions: whole documents by name, chat messages, and which gift wraps are known. One SQLite
/// file, with everything that says something sealed under the account's data key; names, ids and times are plain.
///
/// A file that cannot be opened is left as it is, and a key is never made here.
actor Vault {
    private let thread = DatabaseThread()
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    private var connection: Connection?
    private let sealer: VaultSealer

    private init(_ sealer: VaultSealer) {
        self.sealer = sealer
    }

    static func open(
        _ location: Location,
        owner: Bytes32,
        key: SecretBytes
    ) async throws(SessionStoreError) -> Vault {
        guard let sealer = VaultSealer(dataKey: key) else { throw .invalidKey }
        let vault = Vault(sealer)
        try await vault.start(location, owner)
        return vault
    }

    private func start(_ location: Location, _ owner: Bytes32) throws(SessionStoreError) {
        do {
            let connection = try Connection(
                location,
                options: Options(cacheBytes: 1 << 20, busyTimeout: .milliseconds(500))
            )
            try connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            try VaultSchema.migrations.apply(to: connection)
            let check: [UInt8]? = try connection.value("SELECT key_check FROM meta")
            if let check {
                guard let opened = sealer.open(check, "meta.key_check", "") else {
                    throw SessionStoreError.wrongKey(path: location.path)
                }
                guard opened == owner.array else { throw SessionStoreError.wrongAccount(path: location.path) }
            } else {
                let sealed = try sealer.seal(owner.array, "meta.key_check", "")
                try connection.execute("INSERT INTO meta(id, key_check) VALUES (1, ?1)", sealed)
            }
            // A cache without end would be no cache.
            try connection.execute(
                "DELETE FROM wrap WHERE row <= (SELECT max(row) FROM wrap) - ?1",
                VaultSchema.mostWraps
            )
            self.connection = connection
        } catch SQLiteError.busy(let path, _) {
            throw .inUse(path: path)
        } catch {
            throw SessionStoreError(error)
        }
    }

    func close() {
        guard let connection else { return }
        self.connection = nil
        _ = try? connection.checkpoint(.truncate)
    }

    /// Looks for damage; empty for a sound database.
    func integrityCheck() throws(SessionStoreError) -> [String] {
        try work { connection, _ in try connection.integrityCheck() }
    }

    // MARK: Documents

    /// A document, or nil where there is none.
    func document(_ name: String) throws(SessionStoreError) -> [UInt8]? {
        try work { connection, sealer in
            let sealed: [UInt8]? = try connection.value("SELECT sealed FROM document WHERE name = ?1", name)
            guard let sealed else { return nil }
            return try sealer.opened(sealed, "document.sealed", name)
        }
    }

    /// All documents whose names begin with this, by name.
    func documents(beginningWith prefix: String) throws(SessionStoreError) -> [String: [UInt8]] {
        try work { connection, sealer in
            let rows = try connection.all(
                "SELECT name, sealed FROM document WHERE substr(name, 1, length(?1)) = ?1",
                prefix
            ) { row in (name: try row.text(0), sealed: try row.bytes(1)) }
            var found: [String: [UInt8]] = [:]
            for row in rows { found[row.name] = try sealer.opened(row.sealed, "document.sealed", row.name) }
            return found
        }
    }

    /// Writes documents, and removes those that are nil; all or none.
    func save(_ documents: [String: [UInt8]?]) throws(SessionStoreError) {
        try work { connection, sealer in
            try connection.transaction {
                for (name, bytes) in documents {
                    if let bytes {
                        try connection.execute(
                            "INSERT OR REPLACE INTO document(name, sealed) VALUES (?1, ?2)",
                            name,
                            try sealer.seal(bytes, "document.sealed", name)
                        )
                    } else {
                        try connection.execute("DELETE FROM document WHERE name = ?1", name)
                    }
                }
            }
        }
    }

    /// The names of the documents that begin with this.
    func names(beginningWith prefix: String) throws(SessionStoreError) -> [String] {
        try work { connection, _ in
            try connection.all("SELECT name FROM document WHERE substr(name, 1, length(?1)) = ?1", prefix) { row in
                try row.text(0)
            }
        }
    }

    // MARK: Known gift wraps

    /// A gift wrap that was opened and stored.
    struct KnownWrap: Sendable {
        let id: EventID
        let rumor: EventID
        /// The wrap's own time.
        let time: Int64
    }

    /// Remembers gift wraps, so that later runs need not open them again.
    func remember(_ wraps: [KnownWrap]) throws(SessionStoreError) {
        try work { connection, _ in
            try connection.transaction {
                for wrap in wraps {
                    try connection.execute(
                        "INSERT OR IGNORE INTO wrap(id, rumor, time) VALUES (?1, ?2, ?3)",
                        wrap.id.bytes.array,
                        wrap.rumor.bytes.array,
                        wrap.time
                    )
                }
            }
        }
    }

    /// The rumors in those of these gift wraps that are known.
    func rumors(in wraps: [EventID]) throws(SessionStoreError) -> [EventID: EventID] {
        try work { connection, _ in
            var found: [EventID: EventID] = [:]
            for id in wraps {
                let rumor: [UInt8]? = try connection.value("SELECT rumor FROM wrap WHERE id = ?1", id.bytes.array)
                if let rumor { found[id] = EventID(try Bytes32(rumor)) }
            }
            return found
        }
    }

    /// The newest known gift wraps that are not older than a time.
    func wraps(since time: Int64, limit: Int) throws(SessionStoreError) -> [KnownWrap] {
        try work { connection, _ in
            try connection.all(
                "SELECT id, rumor, time FROM wrap WHERE time >= ?1 ORDER BY row DESC LIMIT ?2",
                time,
                limit
            ) { row in
                KnownWrap(
                    id: EventID(try Bytes32(row.bytes(0))),
                    rumor: EventID(try Bytes32(row.bytes(1))),
                    time: try row.integer(2)
                )
            }
        }
    }

    /// Forgets the gift wraps of rumors that are wanted again.
    func forget(rumors: [EventID]) throws(SessionStoreError) {
        try work { connection, _ in
            try connection.transaction {
                for rumor in rumors {
                    try connection.execute("DELETE FROM wrap WHERE rumor = ?1", rumor.bytes.array)
                }
            }
        }
    }

    /// Remembers which session database the known gift wraps are stored in. Where that is another one than before, the former
    /// one is lost and nothing counts as read: all comes again from relays.
    /// - Returns: Whether that was so.
    func attach(to sessions: [UInt8]) throws(SessionStoreError) -> Bool {
        let former = try document(Self.sessions)
        guard former != sessions else { return false }
        try work { connection, sealer in
            try connection.transaction {
                if former != nil {
                    try connection.execute("DELETE FROM wrap")
                    try connection.execute("DELETE FROM document WHERE name = ?1", PassLog.document)
                }
                try connection.execute(
                    "INSERT OR REPLACE INTO document(name, sealed) VALUES (?1, ?2)",
                    Self.sessions,
                    try sealer.seal(sessions, "document.sealed", Self.sessions)
                )
            }
        }
        return former != nil
    }

    private static let sessions = "sessions"

    // MARK: Common

    func work<Result>(
        _ body: (Connection, VaultSealer) throws -> Result
    ) throws(SessionStoreError) -> Result {
        guard let connection else { throw .closed }
        do {
            return try body(connection, sealer)
        } catch {
            throw SessionStoreError(error)
        }
    }
}

/// The tables of a ``Vault``.
enum VaultSchema {
    /// So many known gift wraps are kept, the newest.
    static let mostWraps: Int64 = 100_000

    static let migrations = Migrations(
        schema: "LinkstrClient",
        [
            Migration(
                "documents, gift wraps and messages",
                """
                CREATE TABLE meta(id INTEGER PRIMARY KEY CHECK(id = 1), key_check BLOB NOT NULL) STRICT;
                CREATE TABLE document(name TEXT PRIMARY KEY, sealed BLOB NOT NULL) STRICT, WITHOUT ROWID;
                CREATE TABLE wrap(
                    row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, rumor BLOB NOT NULL, time INTEGER NOT NULL
                ) STRICT;
                CREATE INDEX wrap_of_rumor ON wrap(rumor);
                CREATE TABLE message(
                    row INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, room BLOB NOT NULL, time INTEGER NOT NULL,
                    is_unread INTEGER NOT NULL, sealed BLOB NOT NULL
                ) STRICT;
                CREATE INDEX message_of_room ON message(room, time, id);
                CREATE TABLE room(
                    key BLOB PRIMARY KEY, request INTEGER NOT NULL, sealed BLOB NOT NULL
                ) STRICT, WITHOUT ROWID;
                """
            )
        ]
    )
}
