/// A type that can be bound to a parameter and read from a column.
///
/// Integers, `Bool` (0 and 1), `Double`, `String`, `[UInt8]`, optionals of them, and enums over them conform.
public protocol SQLValue {
    /// Gives the value to the parameter that the binder stands at.
    func bind(to parameter: borrowing Parameter) throws(SQLiteError)

    /// Reads the value from a column, counted from zero.
    ///
    /// - Throws: ``SQLiteError/wrongType(column:wanted:found:)`` or ``SQLiteError/unreadableValue(column:wanted:)``.
    static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> Self
}

extension Int64: SQLValue {
    /// Binds an INTEGER.
    public func bind(to parameter: borrowing Parameter) throws(SQLiteError) {
        try parameter.bind(self)
    }

    /// Reads an INTEGER.
    public static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> Int64 {
        try row.integer(column)
    }
}

extension SQLValue where Self: FixedWidthInteger {
    static func readExactly(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> Self {
        guard let value = Self(exactly: try row.integer(column)) else {
            throw .unreadableValue(column: row.name(column), wanted: "\(Self.self)")
        }
        return value
    }
}

extension Int: SQLValue {
    /// Binds an INTEGER.
    public func bind(to parameter: borrowing Parameter) throws(SQLiteError) {
        try parameter.bind(Int64(self))
    }

    /// Reads an INTEGER.
    public static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> Int {
        try readExactly(row, column)
    }
}

extension Int32: SQLValue {
    /// Binds an INTEGER.
    public func bind(to parameter: borrowing Parameter) throws(SQLiteError) {
        try parameter.bind(Int64(self))
    }

    /// Reads an INTEGER that fits; ``SQLiteError/unreadableValue(column:wanted:)`` for others.
    public static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> Int32 {
        try readExactly(row, column)
    }
}

extension UInt32: SQLValue {
    /// Binds an INTEGER.
    public func bind(to parameter: borrowing Parameter) throws(SQLiteError) {
        try parameter.bind(Int64(self))
    }

    /// Reads an INTEGER that fits; ``SQLiteError/unreadableValue(column:wanted:)`` for others.
    public static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> UInt32 {
        try readExactly(row, column)
    }
}

extension UInt16: SQLValue {
    /// Binds an INTEGER.
    public func bind(to parameter: borrowing Parameter) throws(SQLiteError) {
        try parameter.bind(Int64(self))
    }

    /// Reads an INTEGER that fits; ``SQLiteError/unreadableValue(column:wanted:)`` for others.
    public static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> UInt16 {
        try readExactly(row, column)
    }
}

extension Bool: SQLValue {
    /// Binds the INTEGER 0 or 1.
    public func bind(to parameter: borrowing Parameter) throws(SQLiteError) {
        try parameter.bind(self ? 1 : 0 as Int64)
    }

    /// Reads the INTEGER 0 or 1; ``SQLiteError/unreadableValue(column:wanted:)`` for others.
    public static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> Bool {
        switch try row.integer(column) {
        case 0: return false
        case 1: return true
        default: throw .unreadableValue(column: row.name(column), wanted: "Bool")
        }
    }
}

extension Double: SQLValue {
    /// Binds a REAL.
    public func bind(to parameter: borrowing Parameter) throws(SQLiteError) {
        try parameter.bind(self)
    }

    /// Reads a REAL.
    public static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> Double {
        try row.real(column)
    }
}

extension String: SQLValue {
    /// Binds a TEXT in UTF-8.
    public func bind(to parameter: borrowing Parameter) throws(SQLiteError) {
        try parameter.bind(self)
    }

    /// Reads a TEXT.
    public static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> String {
        try row.text(column)
    }
}

extension [UInt8]: SQLValue {
    /// Binds a BLOB.
    public func bind(to parameter: borrowing Parameter) throws(SQLiteError) {
        try parameter.bind(span.bytes)
    }

    /// Reads a BLOB.
    public static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> [UInt8] {
        try row.bytes(column)
    }
}

extension Optional: SQLValue where Wrapped: SQLValue {
    /// Binds the value, or NULL.
    public func bind(to parameter: borrowing Parameter) throws(SQLiteError) {
        if let self {
            try self.bind(to: parameter)
        } else {
            try parameter.bindNull()
        }
    }

    /// Reads the value; nil for NULL.
    public static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> Wrapped? {
        try row.isNull(column) ? nil : Wrapped.read(row, column)
    }
}

extension SQLValue where Self: RawRepresentable, RawValue: SQLValue {
    /// Binds the raw value.
    public func bind(to parameter: borrowing Parameter) throws(SQLiteError) {
        try rawValue.bind(to: parameter)
    }

    /// Reads a raw value; ``SQLiteError/unreadableValue(column:wanted:)`` where no case has it.
    public static func read(_ row: borrowing Row, _ column: Int) throws(SQLiteError) -> Self {
        guard let value = Self(rawValue: try RawValue.read(row, column)) else {
            throw .unreadableValue(column: row.name(column), wanted: "\(Self.self)")
        }
        return value
    }
}
