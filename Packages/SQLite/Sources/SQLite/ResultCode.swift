internal import CSQLite

/// A result code of SQLite, extended form.
///
/// The low byte is the primary code (5 is `SQLITE_BUSY`); the rest says more (517 is `SQLITE_BUSY_SNAPSHOT`).
public struct ResultCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The number as SQLite gives it, an extended code where there is one.
    public let rawValue: Int32

    /// A code of SQLite.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

    /// The code without its extension.
    public var primary: Int32 { rawValue & 0xff }

    /// SQLite's English sentence for the code, and the number.
    public var description: String {
        let sentence = sqlite3_errstr(rawValue).map { String(cString: $0) } ?? "unknown error"
        return "\(sentence) (SQLite \(rawValue))"
    }
}
