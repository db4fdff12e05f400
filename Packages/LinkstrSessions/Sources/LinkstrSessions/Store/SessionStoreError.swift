public import SQLite

/// What can go wrong with an account's session database.
public enum SessionStoreError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The database itself failed; opening errors name the file.
    case database(SQLiteError)
    /// Another process, or another store in this one, has the database open.
    case inUse(path: String)
    /// The database holds sealed rows and their key is not here. A new key would open none of them.
    case keyMissing(path: String)
    /// The key does not open this database.
    case wrongKey(path: String)
    /// The database belongs to another account.
    case wrongAccount(path: String)
    /// A data key has 32 bytes.
    case invalidKey
    /// There is no such session, or it was deleted.
    case unknownSession
    /// There is no such post.
    case unknownPost
    /// Who is named has no claim to the session.
    case notAClaimant
    /// The store was closed.
    case closed

    /// What an error means that came up in working with a database of sealed rows.
    public init(_ error: any Error) {
        self =
            switch error {
            case let error as SessionStoreError: error
            case let error as SQLiteError: .database(error)
            // What is left are errors of the cipher and of reading bytes of a fixed length: a damaged database.
            default: .database(.statement(code: ResultCode(rawValue: 11), message: "\(error)", sql: ""))
            }
    }

    public var description: String {
        switch self {
        case .database(let error): error.description
        case .inUse(let path): "The session database \(path) is open elsewhere."
        case .keyMissing(let path):
            "The key that opens the session database \(path) is missing; put it back, a new one cannot read what is there."
        case .wrongKey(let path): "The key does not open the session database \(path)."
        case .wrongAccount(let path): "The session database \(path) belongs to another account."
        case .invalidKey: "The key of a session database has 32 bytes."
        case .unknownSession: "There is no such session."
        case .unknownPost: "There is no such post."
        case .notAClaimant: "This key does not claim to have made the session."
        case .closed: "The session database is closed."
        }
    }
}
