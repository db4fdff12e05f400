internal import CSQLite

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What SQLite's callbacks of one connection need: when to give up, and how long the log is.
///
/// SQLite calls back on the thread that uses the connection, so nothing here is shared between threads.
final class Watch {
    let handle: OpaquePointer
    let busyTimeout: Duration
    let checkpointPages: Int

    /// When the current work has to be done.
    var deadline: ContinuousClock.Instant?
    /// The length of the write-ahead log after the last commit of this connection, in pages.
    var logPages = 0

    /// Set while a transaction ends: a commit that is interrupted after it was done would be reported as failed.
    var isSuspended = false

    private var busySince: ContinuousClock.Instant?

    init(handle: OpaquePointer, options: Options) {
        self.handle = handle
        busyTimeout = options.busyTimeout
        checkpointPages = options.checkpointPages
    }

    /// Often enough to stop within a fraction of a millisecond, seldom enough not to be seen in a profile.
    private static let operationsBetweenLooks: Int32 = 1_000

    /// Has the callbacks called. The connection keeps `self` alive for as long as it is open.
    func install() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            handle,
            Self.operationsBetweenLooks,
            { context in
                guard let context else { return 0 }
                return Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().reasonToStop == nil ? 0 : 1
            },
            context
        )
        sqlite3_busy_handler(
            handle,
            { context, attempt in
                guard let context else { return 0 }
                return Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().waitForLock(attempt) ? 1 : 0
            },
            context
        )
        sqlite3_wal_hook(
            handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<Watch>.fromOpaque(context).takeUnretainedValue().committed(logPages: Int(pages))
                return SQLITE_OK
            },
            context
        )
    }

    /// Why the current work has to stop, if it has to.
    var reasonToStop: SQLiteError? {
        if isSuspended { return nil }
        if Task.isCancelled { return .cancelled }
        if let deadline, deadline <= .now { return .deadlineExceeded }
        return nil
    }

    /// Sleeps a little, longer each time, unless waiting has no point any more.
    private func waitForLock(_ attempt: Int32) -> Bool {
        guard reasonToStop == nil else { return false }
        let now = ContinuousClock.now
        let since = attempt == 0 ? now : busySince ?? now
        busySince = since
        guard now - since < busyTimeout else { return false }
        usleep(min(100 << UInt32(min(attempt, 7)), 10_000))
        return true
    }

    private func committed(logPages pages: Int) {
        logPages = pages
        guard checkpointPages > 0, pages >= checkpointPages else { return }
        // Not done now means done at a later commit, so the outcome does not matter here.
        _ = sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }
}
