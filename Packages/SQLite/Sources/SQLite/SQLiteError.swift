/// What can go wrong with a database.
///
/// Paths are shown; bound values never are.
public enum SQLiteError: Error, Equatable, Sendable {
    // Opening

    /// There is no such file, or a folder on the way to it is missing.
    case notFound(path: String)
    /// The file or its folder may not be read, or not written where writing was asked for.
    case permissionDenied(path: String)
    /// The system could not open the file for another reason.
    case cannotOpen(path: String, code: ResultCode, reason: String)
    /// The file holds something else than an SQLite database, or is encrypted.
    case notADatabase(path: String)
    /// The content of the database is damaged.
    case damaged(path: String, code: ResultCode)
    /// The database file is missing or empty, but its write-ahead log is there: opening would throw the log away.
    case orphanedLog(path: String)
    /// A file that was to be made is there already.
    case alreadyExists(path: String)

    // Schema

    /// The database was written by a newer version of the program.
    case newerSchema(path: String, found: Int, known: Int)
    /// The database belongs to another program or another part of this one.
    case otherSchema(path: String, found: String)
    /// A migration that is already applied was changed in the program afterwards.
    case editedMigration(path: String, step: Int, name: String)
    /// A migration left rows that refer to nothing.
    case brokenReferences(path: String, table: String)

    // Working

    /// Another connection held a lock for longer than the busy timeout.
    case busy(path: String, code: ResultCode)
    /// The disk, or the page limit of the database, is full.
    case diskFull(path: String)
    /// Reading or writing the file failed.
    case inputOutput(path: String, code: ResultCode)
    /// A write was tried through a connection that only reads.
    case readOnly(path: String)
    /// A constraint of the schema refused the statement.
    case constraint(code: ResultCode, message: String)
    /// The task was cancelled; the transaction is rolled back.
    case cancelled
    /// The deadline passed; the transaction is rolled back.
    case deadlineExceeded
    /// The database was closed.
    case closed
    /// SQLite refused the statement for another reason: a mistake in the program.
    case statement(code: ResultCode, message: String, sql: String)

    // Values

    /// The statement has another number of parameters than values were given.
    case wrongParameterCount(sql: String, wanted: Int, given: Int)
    /// The text holds more than one statement where one is wanted.
    case severalStatements(sql: String)
    /// A value cannot be stored (not a number, or longer than SQLite takes).
    case unstorableValue(parameter: Int)
    /// The result has no such column.
    case noSuchColumn(Int, columns: Int)
    /// A column holds another type than was asked for.
    case wrongType(column: String, wanted: String, found: String)
    /// A column holds a value that the wanted type cannot represent.
    case unreadableValue(column: String, wanted: String)
}

extension SQLiteError: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .notFound(let path): "There is no database at \(path)."
        case .permissionDenied(let path): "Access to the database \(path) is not permitted."
        case .cannotOpen(let path, let code, let reason): "The database \(path) cannot be opened: \(reason), \(code)."
        case .notADatabase(let path): "\(path) is not an SQLite database; it was left as it is."
        case .damaged(let path, let code): "The database \(path) is damaged: \(code)."
        case .orphanedLog(let path):
            "The database \(path) is missing or empty but its log \(path)-wal is there; restore the file or move the log away."
        case .alreadyExists(let path): "\(path) is there already."
        case .newerSchema(let path, let found, let known):
            "The database \(path) has schema version \(found), this program knows versions up to \(known)."
        case .otherSchema(let path, let found): "The database \(path) belongs to \(found)."
        case .editedMigration(let path, let step, let name):
            "Migration \(step) (\(name)) of \(path) was applied in another form than this program has it."
        case .brokenReferences(let path, let table):
            "A migration of \(path) left rows in \(table) that refer to nothing."
        case .busy(let path, let code): "The database \(path) is in use elsewhere: \(code)."
        case .diskFull(let path): "There is no room left for the database \(path)."
        case .inputOutput(let path, let code): "Reading or writing the database \(path) failed: \(code)."
        case .readOnly(let path): "The database \(path) is open for reading only."
        case .constraint(let code, let message): "\(message) (SQLite \(code.rawValue))."
        case .cancelled: "The database operation was cancelled."
        case .deadlineExceeded: "The database operation took longer than allowed."
        case .closed: "The database is closed."
        case .statement(let code, let message, let sql): "\(message) (SQLite \(code.rawValue)) in: \(sql)"
        case .wrongParameterCount(let sql, let wanted, let given):
            "The statement takes \(wanted) values and \(given) were given: \(sql)"
        case .severalStatements(let sql): "One statement is wanted, this is more: \(sql)"
        case .unstorableValue(let parameter): "The value for parameter \(parameter) cannot be stored."
        case .noSuchColumn(let column, let columns): "There is no column \(column) in a row of \(columns)."
        case .wrongType(let column, let wanted, let found): "Column \(column) holds \(found), wanted was \(wanted)."
        case .unreadableValue(let column, let wanted): "The value in column \(column) is not a \(wanted)."
        }
    }
}
