/// A connection on a thread of its own.
actor ConnectionActor {
    private let thread: DatabaseThread
    private let location: Location
    private let access: Access
    private let options: Options
    private var connection: Connection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init(_ location: Location, access: Access, options: Options) {
        thread = DatabaseThread()
        self.location = location
        self.access = access
        self.options = options
    }

    func open(_ migrations: Migrations?) throws {
        let connection = try Connection(location, access: access, options: options)
        if access == .read { try migrations?.compare(connection) } else { try migrations?.apply(to: connection) }
        self.connection = connection
    }

    func run<Result: Sendable>(
        _ deadline: ContinuousClock.Instant?,
        _ kind: TransactionKind?,
        _ body: @Sendable (Connection) throws -> Result
    ) throws -> Result {
        guard let connection else { throw SQLiteError.closed }
        return try connection.withDeadline(deadline) {
            if let reason = connection.watch.reasonToStop { throw reason }
            guard let kind else { return try body(connection) }
            return try connection.transaction(kind) { try body(connection) }
        }
    }

    func close() {
        connection = nil
    }
}
