internal import CSQLite

/// When a transaction takes its locks.
public enum TransactionKind: Hashable, Sendable {
    /// At the start, for writing: waits for another writer there, and cannot fail for that reason later.
    case write
    /// At the first statement, for reading: everything in it sees one state of the database.
    case read
}

extension Connection {
    /// Runs `body` in a transaction that is committed at its end, or rolled back if it throws.
    ///
    /// Inside another transaction it is a savepoint: throwing undoes this part alone.
    public func transaction<Result>(_ kind: TransactionKind = .write, _ body: () throws -> Result) throws -> Result {
        if isInTransaction { return try savepoint(body) }
        switch kind {
        case .write: try execute("BEGIN IMMEDIATE")
        case .read: try execute("BEGIN DEFERRED")
        }
        do {
            let result = try body()
            try finish("COMMIT")
            return result
        } catch {
            try rollBack("ROLLBACK", beneath: error)
        }
    }

    private func savepoint<Result>(_ body: () throws -> Result) throws -> Result {
        // Equal names nest: release and rollback mean the innermost.
        try execute("SAVEPOINT part")
        do {
            let result = try body()
            try finish("RELEASE part")
            return result
        } catch {
            try rollBack("ROLLBACK TO part; RELEASE part", beneath: error)
        }
    }

    private func finish(_ sql: SQL) throws(SQLiteError) {
        // Some errors roll back by themselves; having caught one must not look like success.
        guard isInTransaction else { throw rolledBack() }
        if let reason = watch.reasonToStop { throw reason }
        watch.isSuspended = true
        defer { watch.isSuspended = false }
        try execute(sql)
    }

    private func rollBack(_ sql: SQL, beneath error: any Error) throws -> Never {
        // The first error says what went wrong; one of rolling back would hide it.
        if isInTransaction {
            watch.isSuspended = true
            defer { watch.isSuspended = false }
            do {
                try script(sql)
            } catch let failure {
                throw SQLiteError.statement(
                    code: ResultCode(rawValue: sqlite3_extended_errcode(handle)),
                    message: "rolling back failed (\(failure)) after: \(error)",
                    sql: sql.description
                )
            }
        }
        throw error
    }

    private func rolledBack() -> SQLiteError {
        watch.reasonToStop
            ?? .statement(
                code: ResultCode(rawValue: SQLITE_ABORT_ROLLBACK_CODE),
                message: "the transaction was rolled back by an error inside it",
                sql: ""
            )
    }
}

// SQLITE_ABORT_ROLLBACK is an expression macro, which is not imported.
private let SQLITE_ABORT_ROLLBACK_CODE: Int32 = SQLITE_ABORT | (2 << 8)
