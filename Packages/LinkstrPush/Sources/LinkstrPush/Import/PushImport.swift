internal import NostrCrypto
public import SQLite

/// Takes over what the earlier push service of linkstr has in its database: devices, archived conversations, what has been told, and
/// jobs that still wait. That database is only read. What is in the store already stays, so that an import can be repeated; a job
/// that was sent meanwhile and has not expired would be sent again.
public struct PushImport: Sendable {
    /// What was taken over.
    public struct Report: Sendable, Equatable {
        /// Devices that were not known yet.
        public var devices = 0
        /// Archived conversations of accounts that have a device.
        public var archived = 0
        /// Accounts that have been told of an event, for 30 days.
        public var told = 0
        /// Notifications that still wait.
        public var jobs = 0
        /// Rows that could not be used: of another form, too old, or without a device.
        public var skipped = 0
        /// Tables that were looked for and are not there.
        public var missingTables: [String] = []

        /// Nothing yet.
        public init() {}
    }

    /// Why a database cannot be taken over.
    public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
        /// There is no table of devices: it is another program's.
        case noDevices
        /// A table has none of the columns that something could be in.
        case noColumn(table: String, what: String, columns: [String])

        /// One plain sentence.
        public var description: String {
            switch self {
            case .noDevices: "The file has no table of devices; it is not the database of a push service."
            case .noColumn(let table, let what, let columns):
                "The table \(table) has no column for the \(what) among \(columns.joined(separator: ", "))."
            }
        }
    }

    private let store: SQLitePushStore
    private let isPrivate: Bool

    /// - Parameters:
    ///   - store: takes everything.
    ///   - isPrivate: whether jobs become notifications that tell neither what happened nor where.
    public init(into store: SQLitePushStore, isPrivate: Bool = false) {
        self.store = store
        self.isPrivate = isPrivate
    }

    /// How many rows are written at once.
    private static let batch = 1_000

    /// Reads a database and writes what is in it.
    ///
    /// - Parameter now: milliseconds since 1970.
    /// - Throws: ``Failure``, `SQLiteError` when the file cannot be read, ``PushStoreError``.
    public func run(_ location: Location, now: Int64) async throws -> Report {
        let source = try ImportedTables(location)
        guard source.has(.devices) else { throw Failure.noDevices }
        var report = Report()
        try await copy(.devices, from: source, &report) { tables, row, report in
            guard let device = try ImportedDevice(row) else { return report.skipped += 1 }
            if try tables.addIfUnknown(device, now) { report.devices += 1 }
        }
        try await copy(.archived, from: source, &report) { tables, row, report in
            guard let account = try row.pubkey(), let session = try row.text("conversation", .conversation),
                let id = try tables.account(account)
            else { return report.skipped += 1 }
            try tables.add(archived: tables.session(session, of: account), to: id)
            report.archived += 1
        }
        try await copy(.told, from: source, &report) { tables, row, report in
            guard let account = try row.pubkey(), let kind = try row.kind(), let event = try row.text("event", .event),
                let time = try row.time("time", .created), time > now - PushTables.toldMemory
            else { return report.skipped += 1 }
            try tables.addTold(PushTables.key(ofEvent: event, kind: kind), account, time)
            report.told += 1
        }
        try await copy(.jobs, from: source, &report) { tables, row, report in
            guard let job = try ImportedJob(row, now: now, isPrivate: isPrivate), try tables.add(job) else {
                return report.skipped += 1
            }
            report.jobs += 1
        }
        return report
    }

    private func copy(
        _ table: ImportedTable,
        from source: ImportedTables,
        _ report: inout Report,
        _ body: @Sendable (PushTables, ImportedRow, inout Report) throws -> Void
    ) async throws {
        guard let rows = try source.rows(table) else {
            report.missingTables.append(table.rawValue)
            return
        }
        while true {
            var batch: [ImportedRow] = []
            while batch.count < Self.batch, let row = try rows.next() { batch.append(row) }
            guard !batch.isEmpty else { return }
            let (some, before) = (batch, report)
            report = try await store.write { tables in
                var report = before
                for row in some { try body(tables, row, &report) }
                return report
            }
        }
    }
}

extension PushTables {
    fileprivate func addIfUnknown(_ device: ImportedDevice, _ now: Int64) throws -> Bool {
        let known: Int64? = try connection.value("SELECT 1 FROM device WHERE token = ?1", device.registration.token)
        guard known == nil else { return false }
        try register(device.registration, device.account, device.registered ?? now)
        return true
    }

    fileprivate func addTold(_ event: [UInt8], _ account: Bytes32, _ time: Int64) throws {
        try connection.execute(
            "INSERT INTO told(event, recipient, at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
            event,
            account.array,
            time
        )
    }

    /// False if the device is not known, or the notification waits for it already.
    fileprivate func add(_ job: ImportedJob) throws -> Bool {
        let device: Int64? = try connection.value("SELECT id FROM device WHERE token = ?1", job.token)
        guard let device else { return false }
        let waiting: Int64? = try connection.value(
            """
            SELECT 1 FROM job JOIN notification ON notification.id = job.notification
                WHERE job.device = ?1 AND notification.collapse = ?2
            """,
            device,
            job.notification.collapseID
        )
        guard waiting == nil else { return false }
        let id = try add(job.notification, expires: job.expires)
        try connection.execute(
            "INSERT INTO job(notification, device, session, due, failures) VALUES (?1, ?2, ?3, ?4, ?5)",
            id,
            device,
            session(job.conversation, of: job.account),
            job.due,
            job.failures
        )
        return true
    }
}
