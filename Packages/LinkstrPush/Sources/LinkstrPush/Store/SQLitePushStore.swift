internal import NostrCrypto
public import SQLite

/// A ``PushStore`` in an SQLite file: write-ahead log, every commit on the disk, requests that come together in one commit.
/// Several processes may open the same file.
public final class SQLitePushStore: PushStore {
    private struct Operation: Sendable {
        let command: PushCommand
        let claim: NonceClaim
        let now: Int64
    }

    private let database: Database
    private let salt: [UInt8]
    private let limits: PushLimits
    private let commits: GroupCommit<Operation, PushReply>

    /// How long one transaction may take.
    private static let patience: Duration = .seconds(15)

    /// Opens or makes the database, and removes what is too old.
    ///
    /// - Parameters:
    ///   - location: the file.
    ///   - limits: how much of one account is kept.
    ///   - now: milliseconds since 1970.
    /// - Throws: `SQLiteError`, the file is left as it was then.
    public init(_ location: Location, limits: PushLimits = PushLimits(), now: Int64) async throws {
        var options = Options(cacheBytes: 64 << 20, busyTimeout: Self.patience)
        options.synchronous = .full
        let database = try await Database(
            location,
            migrations: PushSchema.migrations,
            readers: 1,
            options: options,
            readerOptions: Options(cacheBytes: 2 << 20, busyTimeout: Self.patience)
        )
        let salt: [UInt8] = try await database.write { connection in
            let salt: [UInt8] = try connection.value("SELECT salt FROM gateway") ?? []
            try PushTables(connection: connection, salt: salt, limits: limits).prune(now)
            return salt
        }
        self.database = database
        self.salt = salt
        self.limits = limits
        commits = GroupCommit(limit: 4096, batch: 256, isOfOne: Self.isOfOne) { operations in
            try await Self.write(.full, in: database) { connection in
                let tables = PushTables(connection: connection, salt: salt, limits: limits)
                if let latest = operations.map(\.now).max() { try tables.prune(latest) }
                return try operations.map { try tables.perform($0.command, for: $0.claim, now: $0.now) }
            }
        }
    }

    /// One transaction with whatever else came meanwhile.
    public func perform(_ command: PushCommand, for claim: NonceClaim, now: Int64) async throws -> PushReply {
        do {
            return try await commits.submit(Operation(command: command, claim: claim, now: now))
        } catch {
            throw Self.failure(error)
        }
    }

    /// One transaction. A lease that is lost with the power of the machine has ended.
    public func claimJobs(upTo limit: Int, lease: PushLease, now: Int64) async throws -> ClaimedJobs {
        try await write(.normal) { try $0.claimJobs(upTo: limit, lease: lease, now: now) }
    }

    /// One transaction for all of them. It survives the end of the process; what the power of the machine takes along is sent again,
    /// as it would be had the power gone before.
    public func settle(_ settlements: [PushSettlement], lease: PushLease) async throws {
        try await write(.normal) { try $0.settle(settlements, lease: lease) }
    }

    /// Looks at every account, device and job.
    public func counts() async throws -> PushCounts {
        do {
            return try await database.read(deadline: .now + Self.patience) { connection in
                let tables = PushTables(connection: connection, salt: salt, limits: limits)
                return PushCounts(
                    accounts: try connection.value("SELECT count(*) FROM account") ?? 0,
                    devices: try connection.value("SELECT count(*) FROM device") ?? 0,
                    jobs: try connection.value("SELECT count(*) FROM job") ?? 0,
                    bytes: try tables.size()
                )
            }
        } catch {
            throw Self.failure(error)
        }
    }

    /// Nothing can be asked of it afterwards.
    public func close() async {
        await database.close()
    }

    func write<Result: Sendable>(
        _ durability: Synchronous = .full,
        _ body: @Sendable (PushTables) throws -> Result
    ) async throws -> Result {
        do {
            return try await Self.write(durability, in: database) { connection in
                try body(PushTables(connection: connection, salt: salt, limits: limits))
            }
        } catch {
            throw Self.failure(error)
        }
    }

    private static func write<Result: Sendable>(
        _ durability: Synchronous,
        in database: Database,
        _ body: @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await database.maintain(deadline: .now + patience) { connection in
            // It takes effect where it is compiled, so a statement that is kept would do nothing.
            try connection.script(durability == .full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL")
            return try connection.transaction { try body(connection) }
        }
    }

    /// Not a full disk or a lock, which would keep everybody waiting once more.
    private static func isOfOne(_ error: any Error) -> Bool {
        switch error as? SQLiteError {
        case .constraint, .statement, .unstorableValue, .wrongType, .unreadableValue: true
        default: false
        }
    }

    /// A sentence, which never has the values in it.
    private static func failure(_ error: any Error) -> any Error {
        error is PushStoreError || error is PushImport.Failure ? error : PushStoreError.failed("\(error)")
    }
}
