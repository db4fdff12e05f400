import CommandKit
import LinkstrClient
import LinkstrPush
import PushRole
import ServiceKit

/// The push gateway: alone as a command, or inside the daemon.
enum PushGateway {
    static let command = PushRole.command(of: "linkstrd") { call in
        let launch = try Launch(call)
        return PushLaunch(
            settings: launch.configuration.settings,
            directory: launch.home.data,
            log: Log(
                level: call.console.isVerbose ? .debug : launch.configuration.logLevel,
                form: launch.configuration.logForm
            ),
            environment: { Environment.value($0) }
        )
    }

    /// Begins to serve; nil where the configuration wants none.
    static func open(_ launch: Launch, log: Log) async throws -> PushService? {
        let settings = launch.configuration.settings
        guard PushRole.isWanted(settings) else { return nil }
        return try await PushRole(settings, directory: launch.home.data).start(log)
    }

    /// What is wrong with the role, where it is wanted.
    static func problems(_ launch: Launch) async throws -> [String] {
        let settings = launch.configuration.settings
        let names = PushRole.settings.map(\.name)
        guard names.contains(where: { settings.origin($0).map { $0 != .shipped } ?? false }) else { return [] }
        return try await PushRole(settings, directory: launch.home.data).check()
    }
}
