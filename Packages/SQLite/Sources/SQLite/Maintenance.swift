internal import CSQLite

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// How far a checkpoint goes.
public enum CheckpointMode: Hashable, Sendable {
    /// Copies what can be copied without waiting for anybody.
    case passive
    /// Waits for readers, then copies everything; the next writer starts the log anew.
    case restart
    /// As `restart`, and gives the log's room on the disk back.
    case truncate
}

/// What a checkpoint did.
public struct CheckpointResult: Hashable, Sendable {
    /// The length of the log, in pages.
    public let logPages: Int
    /// How many of them are in the database file.
    public let copiedPages: Int

    /// Whether nothing is left to copy.
    public var isComplete: Bool { logPages == copiedPages }
}

extension Connection {
    /// The length of the write-ahead log after this connection's last commit, in pages.
    public var logPages: Int { watch.logPages }

    /// Copies the write-ahead log into the database file.
    ///
    /// A passive checkpoint that finds the log in use is not an error: the result says how far it came.
    ///
    /// - Throws: ``SQLiteError/busy(path:code:)`` if `restart` or `truncate` did not get everybody out of the way within the
    ///   busy timeout.
    @discardableResult
    public func checkpoint(_ mode: CheckpointMode = .passive) throws(SQLiteError) -> CheckpointResult {
        let flag =
            switch mode {
            case .passive: SQLITE_CHECKPOINT_PASSIVE
            case .restart: SQLITE_CHECKPOINT_RESTART
            case .truncate: SQLITE_CHECKPOINT_TRUNCATE
            }
        var pages: Int32 = 0
        var copied: Int32 = 0
        let code = sqlite3_wal_checkpoint_v2(handle, nil, flag, &pages, &copied)
        guard code == SQLITE_OK || (mode == .passive && code & 0xff == SQLITE_BUSY) else { throw failure(code, nil) }
        if mode != .passive { watch.logPages = 0 }
        // A database that has no log answers -1.
        return CheckpointResult(logPages: max(0, Int(pages)), copiedPages: max(0, Int(copied)))
    }

    /// Looks for damage: every page, every index entry, every constraint.
    ///
    /// - Returns: what was found, in SQLite's words; empty for a sound database.
    public func integrityCheck() throws -> [String] {
        try problems("PRAGMA integrity_check") + referenceProblems()
    }

    /// As ``integrityCheck()``, without comparing indexes with tables: several times faster.
    public func quickCheck() throws -> [String] {
        try problems("PRAGMA quick_check")
    }

    private func problems(_ sql: SQL) throws -> [String] {
        do {
            let lines = try all(sql) { row throws(SQLiteError) in try row.text(0) }
            return lines == ["ok"] ? [] : lines
        } catch SQLiteError.damaged(_, let code) {
            return [code.description]
        }
    }

    func referenceProblems() throws -> [String] {
        try all("SELECT DISTINCT \"table\" FROM pragma_foreign_key_check") { row throws(SQLiteError) in
            "rows of \(try row.text(0)) refer to nothing"
        }
    }

    /// Writes a copy of the database as it is now to a new file, while others go on reading and writing.
    ///
    /// The copy appears under its name when it is complete and on the disk.
    ///
    /// - Throws: ``SQLiteError/alreadyExists(path:)`` if there is such a file; it is not touched.
    public func backUp(to path: String, pagesPerStep: Int = 256) throws(SQLiteError) {
        guard access(path, F_OK) != 0 else { throw .alreadyExists(path: path) }
        let partial = path + ".partial"
        guard Platform.createExclusively(partial) >= 0 else {
            throw errno == EEXIST ? .alreadyExists(path: partial) : Opening.failure(partial, SQLITE_CANTOPEN, errno)
        }
        do throws(SQLiteError) {
            try copyPages(to: partial, pagesPerStep: Int32(clamping: max(1, pagesPerStep)))
            // Unlike rename, link does not replace a file that came into being meanwhile.
            guard link(partial, path) == 0 else {
                throw errno == EEXIST ? .alreadyExists(path: path) : Opening.failure(path, SQLITE_CANTOPEN, errno)
            }
            unlink(partial)
            Platform.synchroniseFolder(of: path)
        } catch {
            unlink(partial)
            throw error
        }
    }

    private func copyPages(to path: String, pagesPerStep: Int32) throws(SQLiteError) {
        let target = try Opening.open(.file(path), .readWrite)
        defer { sqlite3_close_v2(target) }
        guard let backup = sqlite3_backup_init(target, "main", handle, "main") else {
            throw .statement(
                code: ResultCode(rawValue: sqlite3_extended_errcode(target)),
                message: "no backup",
                sql: ""
            )
        }
        var code = SQLITE_OK
        var stopped: SQLiteError?
        let start = ContinuousClock.now
        while stopped == nil {
            code = sqlite3_backup_step(backup, pagesPerStep)
            if code & 0xff == SQLITE_BUSY || code & 0xff == SQLITE_LOCKED {
                if ContinuousClock.now - start > watch.busyTimeout { break }
                usleep(1_000)
            } else if code != SQLITE_OK {
                break
            }
            stopped = watch.reasonToStop
        }
        sqlite3_backup_finish(backup)
        if code == SQLITE_DONE { return }
        if let stopped { throw stopped }
        throw SQLiteError(code: ResultCode(rawValue: code), path: path, message: "the backup failed", sql: nil)
    }
}
