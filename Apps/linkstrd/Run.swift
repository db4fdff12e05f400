import CommandKit
import ServiceKit

enum Run {
    static let command = Command(
        "run",
        "Keep the accounts connected until SIGTERM",
        details: [
            "Answers linkstr on the control socket of the home. One daemon works on a home at a time.",
            "With --relay-listen, or relay_listen in the configuration, it is a complete relay as well.",
        ],
        takes: DaemonOptions.ofRun,
        examples: [
            Example("linkstrd run", "Keeps all accounts connected"),
            Example(
                "linkstrd run --relay-listen 127.0.0.1:7447 --http-listen 127.0.0.1:7448",
                "With a relay of its own, health and metrics"
            ),
        ]
    ) { call in
        let launch = try Launch(call)
        let log = Log(
            level: call.console.isVerbose ? .debug : launch.configuration.logLevel,
            form: launch.configuration.logForm
        )
        let daemon: Daemon
        do { daemon = try Daemon(launch, log: log) } catch { throw StartFailure(error) }
        do {
            try await Interruption.cancelling {
                try await daemon.start()
                await daemon.serve()
            }
        } catch is CancellationError {
        } catch {
            await daemon.drain()
            throw StartFailure(error)
        }
        await daemon.drain()
    }
}
