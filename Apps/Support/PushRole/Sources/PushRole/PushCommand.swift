public import CommandKit
internal import LinkstrPush
internal import SQLite
public import ServiceKit
internal import Sockets

/// What a service gives its push commands to start from.
public struct PushLaunch: Sendable {
    /// The whole configuration, with ``PushRole/settings`` among the declared.
    public let settings: Settings
    /// Where the database is unless the configuration says another place.
    public let directory: String
    /// Where lines go.
    public let log: Log
    /// The environment of the process, for the service manager.
    public let environment: @Sendable (String) -> String?

    /// A launch of its parts.
    public init(
        settings: Settings,
        directory: String,
        log: Log,
        environment: @escaping @Sendable (String) -> String?
    ) {
        self.settings = settings
        self.directory = directory
        self.log = log
        self.environment = environment
    }
}

extension PushRole {
    /// The commands `push` and `push import`.
    ///
    /// - Parameters:
    ///   - service: the name of the program, for the examples.
    ///   - load: reads the configuration for a call.
    public static func command(
        of service: String,
        load: @escaping @Sendable (Invocation) throws -> PushLaunch
    ) -> Command {
        Command(
            "push",
            "Be a push gateway until SIGTERM",
            details: [
                "Apps register device tokens with it, and it wakes phones when something new is in a session. Prints its address "
                    + "on standard output when it listens.",
                "Needs a build with the package trait Push and Apple's key: push_topic, push_key_id, push_team_id and "
                    + "push_key_file in the configuration.",
            ],
            examples: [
                Example("\(service) push", "Serves at the address of push_listen"),
                Example("\(service) push --config /etc/linkstrd.json", "With another configuration"),
            ],
            run: { call in try await serve(call, load(call)) }
        ).with([takeOver(service, load)])
    }

    private static func serve(_ call: Invocation, _ launch: PushLaunch) async throws {
        let role = try PushRole(launch.settings, directory: launch.directory)
        let service: PushService
        do { service = try await role.start(launch.log) } catch { throw failure(error) }
        let manager = ServiceManager(environment: launch.environment)
        manager.tell(.ready, .status("listening at \(service.address)"))
        launch.log.info("listening", ["address": "\(service.address)"])
        if call.console.usesJSON {
            try call.console.output.line(["address": .string("\(service.address)")])
        } else {
            try call.console.output.line("\(service.address)")
        }
        try call.console.output.flush()
        let interval = manager.watchdogTime.map { $0 / 2 } ?? .seconds(3600)
        do {
            try await Interruption.cancelling {
                while true {
                    try await Task.sleep(for: interval)
                    manager.tell(.alive)
                }
            }
        } catch is CancellationError {}
        manager.tell(.stopping)
        await service.stop()
    }

    private static func takeOver(
        _ service: String,
        _ load: @escaping @Sendable (Invocation) throws -> PushLaunch
    ) -> Command {
        let file = Argument("file", .file, "The database of the earlier push service")
        return Command(
            "import",
            "Take over the database of the earlier push service",
            details: [
                "Devices, archived conversations, what has been told in 30 days, and notifications that still wait. The file is "
                    + "only read. Repeating it changes nothing that is there already."
            ],
            takes: [file],
            examples: [Example("\(service) push import push-service.db", "Takes over what is in it")],
            run: { call in
                let launch = try load(call)
                let role = try PushRole(launch.settings, directory: launch.directory)
                let report: PushImport.Report
                do { report = try await role.takeOver(call[file]) } catch { throw failure(error) }
                let values: [(String, Int)] = [
                    ("devices", report.devices), ("archived", report.archived), ("told", report.told),
                    ("jobs", report.jobs), ("skipped", report.skipped),
                ]
                if call.console.usesJSON {
                    var members = values.map { (name: $0.0, value: JSON.integer(Int64($0.1))) }
                    members.append(("missing_tables", .array(report.missingTables.map { .string($0) })))
                    try call.console.output.line(.object(members))
                } else {
                    for (name, count) in values { try call.console.output.line("\(name): \(count)") }
                    for table in report.missingTables { try call.console.output.line("no table of \(table)") }
                }
            }
        )
    }

    private static func failure(_ error: any Error) -> any Error {
        switch error {
        case let known as any ExitCoded: known
        case let failure as PushImport.Failure: CommandFailure(.badInput, failure.description)
        case SocketsError.permissionDenied: CommandFailure(.notPermitted, "\(error)")
        default: CommandFailure(.localIO, "\(error)")
        }
    }
}
