internal import CSQLite

/// One step from a version of a schema to the next.
public struct Migration: Sendable {
    /// A few words for messages.
    public let name: StaticString
    /// The statements, run as they are.
    public let sql: SQL
    /// What statements alone cannot do, run after them in the same transaction.
    let work: (@Sendable (Connection) throws -> Void)?

    /// A step.
    /// - Parameters:
    ///   - name: a few words for messages.
    ///   - sql: the statements.
    ///   - work: what statements alone cannot do, run after them in the same transaction.
    public init(_ name: StaticString, _ sql: SQL, then work: (@Sendable (Connection) throws -> Void)? = nil) {
        self.name = name
        self.sql = sql
        self.work = work
    }

    /// FNV-1a over the name and the text. It is there to notice a mistake, not an attacker.
    var checksum: Int64 {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        let bytes = Array(name.description.utf8) + [0] + Array(sql.description.utf8)
        for byte in bytes { state = (state ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return Int64(bitPattern: state)
    }
}

/// The history of a schema, oldest step first. Steps are only ever added at the end.
public struct Migrations: Sendable {
    /// Whose schema it is; a database of another one is refused.
    public let schema: String
    let steps: [Migration]

    /// A history.
    /// - Parameters:
    ///   - schema: whose schema it is.
    ///   - steps: oldest first.
    public init(schema: String, _ steps: [Migration]) {
        self.schema = schema
        self.steps = steps
    }

    private struct Applied {
        let schema: String
        let name: String
        let checksum: Int64
    }

    /// Brings the database to the newest version. All missing steps are one transaction.
    ///
    /// - Throws: ``SQLiteError/newerSchema(path:found:known:)``, ``SQLiteError/editedMigration(path:step:name:)``,
    ///   ``SQLiteError/otherSchema(path:found:)``, ``SQLiteError/brokenReferences(path:table:)`` or what a step throws; the
    ///   database is as before.
    public func apply(to connection: Connection) throws {
        // Most openings find nothing to do; they must not wait for a writer.
        if try connection.transaction(.read, { try compare(connection) }) == steps.count { return }
        try connection.transaction {
            let done = try compare(connection)
            try connection.script(
                """
                CREATE TABLE IF NOT EXISTS schema_migration(
                    step INTEGER PRIMARY KEY, schema TEXT NOT NULL, name TEXT NOT NULL, checksum INTEGER NOT NULL
                ) STRICT
                """
            )
            for (index, step) in steps.enumerated().dropFirst(done) {
                try connection.script(step.sql)
                try step.work?(connection)
                try connection.execute(
                    "INSERT INTO schema_migration(step, schema, name, checksum) VALUES (?1, ?2, ?3, ?4)",
                    index + 1,
                    schema,
                    step.name.description,
                    step.checksum
                )
            }
            let broken: String? = try connection.value("SELECT \"table\" FROM pragma_foreign_key_check LIMIT 1")
            if let broken { throw SQLiteError.brokenReferences(path: connection.location.path, table: broken) }
        }
    }

    /// Checks that the database can be read by this program without changing it: every step applied, none unknown.
    ///
    /// - Returns: how many steps are applied.
    @discardableResult
    public func compare(_ connection: Connection) throws -> Int {
        let path = connection.location.path
        let tables: Int? = try connection.value("SELECT count(*) FROM sqlite_schema WHERE name = 'schema_migration'")
        guard tables == 1 else {
            let others: String? = try connection.value("SELECT name FROM sqlite_schema LIMIT 1")
            if others != nil { throw SQLiteError.otherSchema(path: path, found: "another program") }
            return 0
        }
        let applied = try connection.all("SELECT schema, name, checksum FROM schema_migration ORDER BY step") {
            row throws(SQLiteError) in
            Applied(schema: try row.text(0), name: try row.text(1), checksum: try row.integer(2))
        }
        if let other = applied.first(where: { $0.schema != schema }) {
            throw SQLiteError.otherSchema(path: path, found: other.schema)
        }
        for (index, (applied, known)) in zip(applied, steps).enumerated() where applied.checksum != known.checksum {
            throw SQLiteError.editedMigration(path: path, step: index + 1, name: applied.name)
        }
        guard applied.count <= steps.count else {
            throw SQLiteError.newerSchema(path: path, found: applied.count, known: steps.count)
        }
        return applied.count
    }
}
