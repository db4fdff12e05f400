internal import CSQLite

/// A running query. Rows are fetched one by one.
///
/// The statement goes back to the connection's cache when the last row was fetched, at ``close()``, or when the cursor is
/// released.
public final class Cursor {
    private var statement: OpaquePointer?
    private let sql: SQL
    private let connection: Connection

    init(_ statement: OpaquePointer, _ sql: SQL, _ connection: Connection) {
        self.statement = statement
        self.sql = sql
        self.connection = connection
    }

    deinit {
        close()
    }

    /// The next row, mapped, or nil after the last one.
    public func next<Result>(_ read: (borrowing Row) throws -> Result) throws -> Result? {
        guard try step() else { return nil }
        return try read(row)
    }

    /// Ends the query.
    public func close() {
        guard let statement else { return }
        self.statement = nil
        connection.checkIn(statement, sql)
    }

    /// The row that the last ``step()`` stands at.
    var row: Row {
        // Only called after a step that returned true, when the statement is there; SQLite answers NULL otherwise.
        Row(statement: statement)
    }

    func step() throws(SQLiteError) -> Bool {
        guard let statement else { return false }
        let code = sqlite3_step(statement)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE:
            close()
            return false
        default:
            let failure = connection.failure(sqlite3_extended_errcode(connection.handle), sql)
            close()
            throw failure
        }
    }

    /// Binds the values in order and returns how many there are.
    func bind<each Value: SQLValue>(_ values: repeat each Value, further: Int32) throws(SQLiteError) -> Int32 {
        guard let statement else { return 0 }
        var count: Int32 = 0
        for value in repeat each values {
            count += 1
            guard count <= sqlite3_bind_parameter_count(statement) else { continue }
            try value.bind(to: Parameter(statement: statement, index: count))
        }
        let wanted = sqlite3_bind_parameter_count(statement)
        guard wanted == count + further else {
            throw .wrongParameterCount(sql: sql.description, wanted: Int(wanted), given: Int(count + further))
        }
        return count
    }

    /// Binds bytes that stay where they are until the statement is reset.
    func lend(_ bytes: UnsafeRawBufferPointer, to index: Int32) throws(SQLiteError) {
        let code =
            bytes.count == 0
            ? sqlite3_bind_zeroblob(statement, index, 0)
            : sqlite3_bind_blob64(statement, index, bytes.baseAddress, UInt64(bytes.count), nil)
        guard code == SQLITE_OK else { throw .unstorableValue(parameter: Int(index)) }
    }
}
