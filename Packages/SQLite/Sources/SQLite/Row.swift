internal import CSQLite

/// The current row of a query. It cannot be kept: read what is wanted inside the closure.
///
/// Columns are counted from zero. Types are not converted: asking an integer column for text is an error.
public struct Row: ~Copyable {
    let statement: OpaquePointer?

    /// The number of columns.
    public var count: Int { Int(sqlite3_column_count(statement)) }

    /// The value of a column as the type that the caller expects.
    public func get<Value: SQLValue>(_ column: Int, as type: Value.Type = Value.self) throws(SQLiteError) -> Value {
        try Value.read(self, column)
    }

    /// Whether the column is NULL.
    public func isNull(_ column: Int) throws(SQLiteError) -> Bool {
        sqlite3_column_type(statement, try index(column)) == SQLITE_NULL
    }

    /// An integer column.
    public func integer(_ column: Int) throws(SQLiteError) -> Int64 {
        sqlite3_column_int64(statement, try index(column, holding: SQLITE_INTEGER))
    }

    /// A floating-point column.
    public func real(_ column: Int) throws(SQLiteError) -> Double {
        sqlite3_column_double(statement, try index(column, holding: SQLITE_FLOAT))
    }

    /// A text column.
    ///
    /// - Throws: ``SQLiteError/unreadableValue(column:wanted:)`` if the text is not valid UTF-8.
    public func text(_ column: Int) throws(SQLiteError) -> String {
        let index = try index(column, holding: SQLITE_TEXT)
        let start = sqlite3_column_text(statement, index)
        let utf8 = UnsafeBufferPointer(
            start: start,
            count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, index))
        )
        guard let text = String(validating: utf8, as: UTF8.self) else {
            throw .unreadableValue(column: name(column), wanted: "String")
        }
        return text
    }

    /// A copy of a blob column.
    public func bytes(_ column: Int) throws(SQLiteError) -> [UInt8] {
        Array(try blob(column))
    }

    /// Lends the bytes of a blob column without copying them.
    public func withBytes<R, Failure: Error>(_ column: Int, _ body: (RawSpan) throws(Failure) -> R) throws -> R {
        try body(try blob(column).bytes)
    }

    /// The name of a column in the statement, for messages.
    public func name(_ column: Int) -> String {
        guard let index = Int32(exactly: column), let name = sqlite3_column_name(statement, index) else {
            return "\(column)"
        }
        return String(cString: name)
    }

    private func blob(_ column: Int) throws(SQLiteError) -> UnsafeRawBufferPointer {
        let index = try index(column, holding: SQLITE_BLOB)
        let start = sqlite3_column_blob(statement, index)
        return UnsafeRawBufferPointer(
            start: start,
            count: start == nil ? 0 : Int(sqlite3_column_bytes(statement, index))
        )
    }

    private func index(_ column: Int) throws(SQLiteError) -> Int32 {
        let count = sqlite3_column_count(statement)
        guard column >= 0, column < Int(count) else { throw .noSuchColumn(column, columns: Int(count)) }
        return Int32(column)
    }

    private func index(_ column: Int, holding wanted: Int32) throws(SQLiteError) -> Int32 {
        let index = try index(column)
        let found = sqlite3_column_type(statement, index)
        guard found == wanted else {
            throw .wrongType(column: name(column), wanted: Self.typeName(wanted), found: Self.typeName(found))
        }
        return index
    }

    private static func typeName(_ type: Int32) -> String {
        switch type {
        case SQLITE_INTEGER: "an integer"
        case SQLITE_FLOAT: "a real number"
        case SQLITE_TEXT: "text"
        case SQLITE_BLOB: "bytes"
        default: "NULL"
        }
    }
}
