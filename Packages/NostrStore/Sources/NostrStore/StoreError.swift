public import SQLite

/// What can go wrong with an event database.
public enum StoreError: Error, Equatable, Sendable {
    /// The database itself failed.
    case database(SQLiteError)
    /// Another process, or another store in this one, has the database open.
    case inUse(path: String)
    /// A stored event cannot be read: the database is damaged.
    case damagedEvent(row: Int64)
    /// The filter searches for text and the database has no search index.
    case searchUnavailable
    /// More events match than the caller allows.
    case tooManyEvents(limit: Int)
    /// A file that a large set needs beside the database at `path` cannot be made, written or read.
    case temporaryFile(path: String, reason: String)
}

extension StoreError: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .database(let error): error.description
        case .inUse(let path): "The event database \(path) is open elsewhere."
        case .damagedEvent(let row): "The stored event in row \(row) cannot be read."
        case .searchUnavailable: "This event database has no index for text search."
        case .tooManyEvents(let limit): "More than \(limit) events match."
        case .temporaryFile(let path, let reason): "A temporary file beside \(path) cannot be used: \(reason)."
        }
    }
}
