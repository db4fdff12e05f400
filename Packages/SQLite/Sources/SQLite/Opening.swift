internal import CSQLite

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Opening a file without ever harming it.
enum Opening {
    /// Opens the file, or says why not.
    static func open(_ location: Location, _ access: Access) throws(SQLiteError) -> OpaquePointer {
        if case .file(let path) = location { try lookFirst(path, access) }
        let flags =
            switch access {
            case .read: SQLITE_OPEN_READONLY
            case .readWrite, .create: SQLITE_OPEN_READWRITE
            }
        // Each connection is confined, so SQLite's own mutexes would only cost.
        let memory = location == .memory ? SQLITE_OPEN_MEMORY : 0
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            location.path,
            &handle,
            flags | memory | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
            nil
        )
        guard code == SQLITE_OK, let handle else {
            let number = handle.map { sqlite3_system_errno($0) } ?? ENOMEM
            sqlite3_close_v2(handle)
            throw failure(location.path, code, number)
        }
        return handle
    }

    /// Reads before anything is written, then sets the connection up.
    static func prepare(_ connection: Connection, _ access: Access, _ options: Options) throws(SQLiteError) {
        // A file that may not be written is opened for reading without a word.
        guard access == .read || sqlite3_db_readonly(connection.handle, "main") == 0 else {
            throw .permissionDenied(path: connection.location.path)
        }
        do {
            let _: Int64? = try connection.value("SELECT count(*) FROM sqlite_schema")
        } catch .statement(let code, _, _) where code.primary == SQLITE_CANTOPEN {
            throw failure(connection.location.path, code.rawValue, sqlite3_system_errno(connection.handle))
        }
        if access != .read {
            if connection.location != .memory { try connection.execute("PRAGMA journal_mode = WAL") }
        } else {
            try connection.execute("PRAGMA query_only = ON")
        }
        try connection.script("PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA temp_store = MEMORY")
        switch options.synchronous {
        case .full:
            try connection.execute("PRAGMA synchronous = FULL")
            #if canImport(Darwin)
                try connection.execute("PRAGMA fullfsync = ON")
            #endif
        case .normal: try connection.execute("PRAGMA synchronous = NORMAL")
        }
        // A pragma takes no parameters. The number cannot be anything but a number.
        let kibibytes = max(16, min(options.cacheBytes >> 10, Int(Int32.max)))
        try connection.run(script: "PRAGMA cache_size = -\(kibibytes)")
    }

    /// Finds what SQLite would not tell apart, or would do without asking.
    private static func lookFirst(_ path: String, _ access: Access) throws(SQLiteError) {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw .cannotOpen(path: path, code: ResultCode(rawValue: SQLITE_CANTOPEN), reason: "not a file name")
        }
        var status = stat()
        let exists = stat(path, &status) == 0
        let number = errno
        if exists, status.st_mode & S_IFMT == S_IFDIR {
            throw .cannotOpen(path: path, code: ResultCode(rawValue: SQLITE_CANTOPEN), reason: "it is a folder")
        }
        if !exists, number != ENOENT { throw failure(path, SQLITE_CANTOPEN, number) }
        if !exists || status.st_size == 0 {
            var log = stat()
            if stat(path + "-wal", &log) == 0, log.st_size > 0 { throw .orphanedLog(path: path) }
        }
        if exists { return }
        guard access == .create else { throw .notFound(path: path) }
        try make(path)
    }

    /// Makes an empty file that its owner alone may read; the log beside it will get the same mode.
    static func make(_ path: String) throws(SQLiteError) {
        let descriptor = Platform.createExclusively(path)
        guard descriptor >= 0 else {
            // Another process may have made it a moment ago, which is as good.
            if errno == EEXIST { return }
            throw failure(path, SQLITE_CANTOPEN, errno)
        }
        close(descriptor)
    }

    static func failure(_ path: String, _ code: Int32, _ number: Int32) -> SQLiteError {
        switch (code & 0xff, number) {
        case (SQLITE_NOTADB, _): return .notADatabase(path: path)
        case (SQLITE_CORRUPT, _): return .damaged(path: path, code: ResultCode(rawValue: code))
        case (_, EACCES), (_, EPERM), (_, EROFS): return .permissionDenied(path: path)
        case (_, ENOENT), (_, ENOTDIR): return .notFound(path: path)
        case (_, ENOSPC), (_, EDQUOT): return .diskFull(path: path)
        default:
            let reason = number == 0 ? "the file cannot be used" : String(cString: strerror(number))
            return .cannotOpen(path: path, code: ResultCode(rawValue: code), reason: reason)
        }
    }
}
