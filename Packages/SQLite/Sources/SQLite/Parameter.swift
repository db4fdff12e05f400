internal import CSQLite

/// A parameter of a statement that waits for its value; handed to ``SQLValue/bind(to:)``.
public struct Parameter: ~Copyable {
    let statement: OpaquePointer
    let index: Int32

    /// Binds a 64-bit integer.
    public func bind(_ value: Int64) throws(SQLiteError) {
        try check(sqlite3_bind_int64(statement, index, value))
    }

    /// Binds a floating-point number. Not a number is refused, because SQLite would store NULL.
    public func bind(_ value: Double) throws(SQLiteError) {
        guard !value.isNaN else { throw .unstorableValue(parameter: Int(index)) }
        try check(sqlite3_bind_double(statement, index, value))
    }

    /// Binds text, copied once by SQLite.
    public func bind(_ value: String) throws(SQLiteError) {
        var value = value
        let code = value.withUTF8 { utf8 in
            // A null pointer would bind NULL, not the empty text.
            utf8.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text64(
                    statement,
                    index,
                    $0.baseAddress ?? Self.nothing,
                    UInt64($0.count),
                    Self.copied,
                    UInt8(SQLITE_UTF8)
                )
            }
        }
        try check(code)
    }

    /// Binds bytes, copied once by SQLite.
    public func bind(_ value: RawSpan) throws(SQLiteError) {
        try check(
            value.withUnsafeBytes {
                $0.count == 0
                    ? sqlite3_bind_zeroblob(statement, index, 0)
                    : sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), Self.copied)
            }
        )
    }

    /// Binds NULL.
    public func bindNull() throws(SQLiteError) {
        try check(sqlite3_bind_null(statement, index))
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw .unstorableValue(parameter: Int(index)) }
    }

    // SQLITE_TRANSIENT is the destructor -1, which the importer cannot express.
    private static var copied: sqlite3_destructor_type {
        unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    }

    private static var nothing: UnsafePointer<CChar> {
        let empty: StaticString = "\0"
        return UnsafeRawPointer(empty.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
