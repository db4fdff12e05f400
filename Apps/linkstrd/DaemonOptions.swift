import CommandKit
import LinkstrClient
import ServiceKit
import Sockets

/// The options of the daemon's commands. What stands here wins over the configuration.
enum DaemonOptions {
    static let home = Option("home", .directory, "Keep everything in DIR instead of the XDG directories")
    static let config = Option(
        "config",
        .file,
        environment: "LINKSTRD_CONFIG",
        "The configuration; linkstrd.json in the configuration directory if it is left out"
    )
    static let relayListen = Option("relay-listen", .socketAddress, "Be a relay at this address")
    static let httpListen = Option("http-listen", .socketAddress, "Serve /healthz and /metrics at this address")

    static let all: [any Parameter] = [home, config]
    static let temporary = Flag("temporary", "Begin with empty accounts in memory, for this run only")
    static let ofRun: [any Parameter] = [relayListen, httpListen, temporary]
}

/// Everything that decides how a daemon works.
struct Launch: Sendable {
    let home: Home
    let configuration: DaemonConfiguration
    /// Whether accounts are kept in memory for this run only: the way on where a database cannot be opened.
    let isTemporary: Bool
    private let call: Invocation

    /// Reads the configuration.
    /// - Throws: `CommandFailure` with `configuration` for everything that is wrong with it.
    init(_ call: Invocation) throws {
        self.call = call
        isTemporary = call[DaemonOptions.temporary]
        let environment = Environment.all
        var commandLine: [String: SettingValue] = [:]
        if let home = call[DaemonOptions.home] { commandLine["home"] = .text(home) }
        if let address = call[DaemonOptions.relayListen] { commandLine["relay_listen"] = .text(address.text) }
        if let address = call[DaemonOptions.httpListen] { commandLine["http_listen"] = .text(address.text) }
        // A home that the file names says where everything else is, but not where the file is.
        let first = try Home(
            directory: call[DaemonOptions.home] ?? environment["LINKSTRD_HOME"],
            environment: environment
        )
        let settings: Settings
        do throws(Settings.Problems) {
            settings = try Settings(
                DaemonConfiguration.declared,
                file: try Self.file(call[DaemonOptions.config], standard: first.configuration + "/linkstrd.json"),
                prefix: "LINKSTRD_",
                environment: environment.filter { $0.key != "LINKSTRD_CONFIG" },
                commandLine: commandLine
            )
        } catch {
            throw CommandFailure(.configuration, error.description)
        }
        configuration = DaemonConfiguration(settings)
        home = try Home(directory: settings.text("home"), environment: environment)
    }

    /// Where linkstr talks to the daemon.
    var controlSocket: String { configuration.settings.text("control_socket") ?? home.socket }

    /// The same, read anew.
    func again() throws -> Launch { try Launch(call) }

    private static func file(_ given: String?, standard: String) throws(Settings.Problems) -> [UInt8]? {
        do throws(CommandFailure) {
            if let bytes = try Files.readIfPresent(given ?? standard, limit: 1 << 20) { return bytes }
        } catch {
            throw Settings.Problems(all: [error.message])
        }
        if let given { throw Settings.Problems(all: ["there is no file \(TypedText.repeated(given))"]) }
        return nil
    }
}
