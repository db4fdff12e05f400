import CommandKit
import ServiceKit

@main
struct Linkstrd {
    static let version = "0.1.0"

    static let application = Application(
        name: "linkstrd",
        version: version,
        summary:
            "Keeps the accounts of a home connected, answers linkstr, and can be a relay and a push gateway itself",
        details: ["Logs go to standard error."],
        globals: DaemonOptions.all,
        notes: ManualNotes.all,
        takesHangups: true,
        commands: [
            Run.command, CheckConfig.command, Methods.command, PushGateway.command,
            StandardCommands.completion(of: "linkstrd"),
            StandardCommands.manual(of: "linkstrd"),
        ]
    )

    static func main() {
        application.main()
    }
}

/// What the manual page says beside the commands.
enum ManualNotes {
    static let all: [(heading: String, paragraphs: [String])] = [
        ("Exit status", ExitCode.allCases.map { "\($0.rawValue) \($0.meaning)." }),
        (
            "Configuration",
            [
                "One JSON object in linkstrd.json of the configuration directory, or in the file of --config. Every key is "
                    + "also an environment variable: LINKSTRD_ and the key in capitals. The command line wins over the "
                    + "environment, and that over the file."
            ]
                + DaemonConfiguration.declared.map { setting in
                    "\(setting.name): \(setting.help)\(setting.fallback.map { " (\($0) unless something is said)" } ?? "")."
                }
        ),
        (
            "Signals",
            [
                "SIGHUP reads the configuration, the accounts and the relays anew.",
                "SIGTERM and SIGINT finish what is under way and end with 0 within five seconds; a second one ends at once.",
            ]
        ),
    ]
}
