internal import CSQLite

/// One connection to a database, for use from one thread or actor at a time: it is not `Sendable`, so the compiler sees to
/// that. For use from anywhere there is ``Database``.
///
/// Foreign keys are on, a file is in write-ahead mode, and double-quoted strings are errors. Work is stopped when the
/// current task is cancelled or the deadline of ``withDeadline(_:_:)`` passes.
public final class Connection {
    /// Where the database lies.
    public let location: Location

    let handle: OpaquePointer
    let watch: Watch
    var statements: StatementCache

    /// Opens a database.
    ///
    /// A file that is not a healthy database of ours is left exactly as it is.
    ///
    /// - Throws: one of the opening errors of ``SQLiteError``, with the path.
    public convenience init(
        _ location: Location,
        access: Access = .create,
        options: Options = Options()
    ) throws(SQLiteError) {
        let handle = try Opening.open(location, access)
        try self.init(adopting: handle, location: location, options: options)
        try Opening.prepare(self, access, options)
    }

    private init(adopting handle: OpaquePointer, location: Location, options: Options) throws(SQLiteError) {
        self.location = location
        self.handle = handle
        watch = Watch(handle: handle, options: options)
        statements = StatementCache(limit: max(0, options.cachedStatements))
        watch.install()
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    // MARK: Statements

    /// Runs one statement, ignoring rows it may return.
    public func execute<each Value: SQLValue>(_ sql: SQL, _ values: repeat each Value) throws(SQLiteError) {
        let cursor = try cursor(sql, repeat each values)
        while try cursor.step() {}
    }

    /// Runs one statement whose parameter `index` (from 1) is `bytes`, which SQLite reads in place instead of copying.
    ///
    /// The other parameters are `values`, in order; `bytes` has to be the last parameter.
    public func execute<each Value: SQLValue>(
        _ sql: SQL,
        _ values: repeat each Value,
        lastly bytes: RawSpan
    ) throws(SQLiteError) {
        let cursor = Cursor(try checkOut(sql), sql, self)
        let count = try cursor.bind(repeat each values, further: 1)
        let failure: SQLiteError? = bytes.withUnsafeBytes { bytes in
            do throws(SQLiteError) {
                try cursor.lend(bytes, to: count + 1)
                while try cursor.step() {}
                return nil
            } catch {
                return error
            }
        }
        cursor.close()
        if let failure { throw failure }
    }

    /// Every row of a query, mapped.
    public func all<each Value: SQLValue, Result>(
        _ sql: SQL,
        _ values: repeat each Value,
        read: (borrowing Row) throws -> Result
    ) throws -> [Result] {
        let cursor = try cursor(sql, repeat each values)
        var results: [Result] = []
        while let result = try cursor.next(read) { results.append(result) }
        return results
    }

    /// The first row of a query, mapped, or nil if there is none.
    public func first<each Value: SQLValue, Result>(
        _ sql: SQL,
        _ values: repeat each Value,
        read: (borrowing Row) throws -> Result
    ) throws -> Result? {
        try cursor(sql, repeat each values).next(read)
    }

    /// The first column of the first row, or nil if there is no row.
    public func value<each Value: SQLValue, Result: SQLValue>(
        _ sql: SQL,
        _ values: repeat each Value,
        as type: Result.Type = Result.self
    ) throws(SQLiteError) -> Result? {
        let cursor = try cursor(sql, repeat each values)
        guard try cursor.step() else { return nil }
        return try Result.read(cursor.row, 0)
    }

    /// Starts a query whose rows are fetched one by one, without holding the others in memory.
    public func cursor<each Value: SQLValue>(
        _ sql: SQL,
        _ values: repeat each Value
    ) throws(SQLiteError) -> Cursor {
        let cursor = Cursor(try checkOut(sql), sql, self)
        _ = try cursor.bind(repeat each values, further: 0)
        return cursor
    }

    /// Runs several statements without values, for instance a schema.
    public func script(_ sql: SQL) throws(SQLiteError) {
        try run(script: sql.description)
    }

    /// The number of rows that the last statement inserted, changed or deleted.
    public var changes: Int { Int(sqlite3_changes64(handle)) }

    /// The rowid of the last inserted row.
    public var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    /// Whether a transaction is open.
    public var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    // MARK: Limits

    /// Runs `body`; statements in it stop with ``SQLiteError/deadlineExceeded`` once the deadline has passed.
    ///
    /// An earlier deadline set around this one stays in force.
    public func withDeadline<Result>(
        _ deadline: ContinuousClock.Instant?,
        _ body: () throws -> Result
    ) rethrows -> Result {
        let outer = watch.deadline
        defer { watch.deadline = outer }
        if let deadline { watch.deadline = outer.map { min($0, deadline) } ?? deadline }
        return try body()
    }

    /// Throws if the task is cancelled or the deadline has passed, for work between statements.
    public func checkLimits() throws(SQLiteError) {
        if let reason = watch.reasonToStop { throw reason }
    }

    // MARK: Inside

    func checkOut(_ sql: SQL) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements.take(sql) { return statement }
        let (statement, rest) = sql.withUTF8 { text in
            let text = UnsafeRawBufferPointer(text)
            let first = prepare(text)
            // Only white space and comments may follow.
            let second = first.statement == nil ? nil : prepare(UnsafeRawBufferPointer(rebasing: text[first.length...]))
            return (first, second)
        }
        guard let prepared = statement.statement else {
            throw statement.code == SQLITE_OK
                ? .statement(code: ResultCode(rawValue: SQLITE_MISUSE), message: "no statement", sql: sql.description)
                : failure(statement.code, sql)
        }
        if let rest, rest.code != SQLITE_OK || rest.statement != nil {
            sqlite3_finalize(prepared)
            sqlite3_finalize(rest.statement)
            throw .severalStatements(sql: sql.description)
        }
        return prepared
    }

    private func prepare(_ text: UnsafeRawBufferPointer) -> (code: Int32, statement: OpaquePointer?, length: Int) {
        guard let start = text.baseAddress?.assumingMemoryBound(to: CChar.self) else { return (SQLITE_OK, nil, 0) }
        var statement: OpaquePointer?
        var tail: UnsafePointer<CChar>?
        let flags = UInt32(SQLITE_PREPARE_PERSISTENT)
        let code = sqlite3_prepare_v3(handle, start, Int32(text.count), flags, &statement, &tail)
        return (code, statement, tail.map { $0 - start } ?? text.count)
    }

    func checkIn(_ statement: OpaquePointer, _ sql: SQL) {
        sqlite3_reset(statement)
        sqlite3_clear_bindings(statement)
        statements.give(statement, sql)
    }

    func run(script: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw failure(code, nil) }
    }

    /// The error for a result code of this connection, with what SQLite has to say about it.
    func failure(_ code: Int32, _ sql: SQL?) -> SQLiteError {
        if code & 0xff == SQLITE_INTERRUPT { return watch.reasonToStop ?? .cancelled }
        if code & 0xff == SQLITE_BUSY, let reason = watch.reasonToStop { return reason }
        let message = String(cString: sqlite3_errmsg(handle))
        return SQLiteError(code: ResultCode(rawValue: code), path: location.path, message: message, sql: sql)
    }
}

extension SQLiteError {
    init(code: ResultCode, path: String, message: String, sql: SQL?) {
        self =
            switch code.primary {
            case SQLITE_BUSY, SQLITE_LOCKED: .busy(path: path, code: code)
            case SQLITE_FULL: .diskFull(path: path)
            case SQLITE_IOERR: .inputOutput(path: path, code: code)
            case SQLITE_READONLY: .readOnly(path: path)
            case SQLITE_CORRUPT: .damaged(path: path, code: code)
            case SQLITE_NOTADB: .notADatabase(path: path)
            case SQLITE_CONSTRAINT: .constraint(code: code, message: message)
            default: .statement(code: code, message: message, sql: sql?.description ?? "")
            }
    }
}
