/// A database for use from anywhere: one connection that writes and several that read at the same time, each on a thread of
/// its own, so that nobody's waiting for the disk holds up Swift's shared threads.
///
/// ```swift
/// let database = try await Database(.file(path), migrations: migrations)
/// try await database.write { try $0.execute("INSERT INTO note(text) VALUES (?1)", "hello") }
/// let notes = try await database.read { try $0.all("SELECT text FROM note") { try $0.text(0) } }
/// ```
///
/// A cancelled task stops its work and rolls back; so does a deadline that passes, also while waiting for a turn.
public final class Database: Sendable {
    /// Where the database lies.
    public let location: Location

    private let writer: Pool
    private let readers: Pool

    /// Opens the database and brings its schema up to date.
    ///
    /// - Parameters:
    ///   - access: with ``Access/read`` nothing is written; every connection reads.
    ///   - count: how many reads run at the same time. A database in memory has one connection for everything.
    ///   - readerOptions: options of the reading connections, if they differ.
    /// - Throws: one of the opening or schema errors of ``SQLiteError``; the file is left as it was.
    public init(
        _ location: Location,
        access: Access = .create,
        migrations: Migrations? = nil,
        readers count: Int = 2,
        options: Options = Options(),
        readerOptions: Options? = nil
    ) async throws {
        self.location = location
        let first = ConnectionActor(location, access: access, options: options)
        // It makes the file and the schema that the readers need.
        try await first.open(migrations)
        guard location != .memory else {
            writer = Pool([first])
            readers = writer
            return
        }
        // Without a writer the first one is a reader like the others.
        var others = access == .read ? [first] : []
        while others.count < max(1, min(count, 64)) {
            let reader = ConnectionActor(location, access: .read, options: readerOptions ?? options)
            try await reader.open(nil)
            others.append(reader)
        }
        readers = Pool(others)
        writer = access == .read ? readers : Pool([first])
    }

    /// Runs `body` in a transaction that is committed at its end, or rolled back if it throws. Writes come one after another.
    public func write<Result: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        _ body: @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await writer.lend(until: deadline) { try await $0.run(deadline, .write, body) }
    }

    /// Runs `body` on a reading connection. It sees one state of the database from beginning to end.
    public func read<Result: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        _ body: @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await readers.lend(until: deadline) { try await $0.run(deadline, .read, body) }
    }

    /// Runs `body` on the writing connection without a transaction, for what cannot run in one: checkpoints, VACUUM.
    public func maintain<Result: Sendable>(
        deadline: ContinuousClock.Instant? = nil,
        _ body: @Sendable (Connection) throws -> Result
    ) async throws -> Result {
        try await writer.lend(until: deadline) { try await $0.run(deadline, nil, body) }
    }

    /// Writes a copy to a new file while reading and writing go on.
    public func backUp(to path: String, deadline: ContinuousClock.Instant? = nil) async throws {
        try await readers.lend(until: deadline) { try await $0.run(deadline, nil) { try $0.backUp(to: path) } }
    }

    /// Looks for damage; see ``Connection/integrityCheck()``.
    public func integrityCheck(deadline: ContinuousClock.Instant? = nil) async throws -> [String] {
        try await readers.lend(until: deadline) { try await $0.run(deadline, nil) { try $0.integrityCheck() } }
    }

    /// Waits for work that is under way, refuses everything after, and closes the file.
    public func close() async {
        if readers !== writer { await readers.close() }
        await writer.close()
    }
}
