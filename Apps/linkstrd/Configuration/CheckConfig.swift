import CommandKit
import LinkstrClient
import ServiceKit
import Sockets

enum CheckConfig {
    static let command = Command(
        "check-config",
        "Check the configuration, and show what holds and who says so",
        details: [
            "Everything that is wrong is said at once, with exit code 78. Nothing is started or changed.",
            "Where the configuration speaks of a push gateway, Apple is asked whether key, team and topic are right.",
        ],
        takes: DaemonOptions.ofRun,
        examples: [
            Example("linkstrd check-config", "Checks linkstrd.json and the environment"),
            Example("linkstrd check-config --config /etc/linkstrd.json --json", "Another file, as JSON"),
        ]
    ) { call in
        let launch = try Launch(call)
        let settings = launch.configuration.settings
        for setting in settings.declared {
            let value = settings[setting.name]
            let origin = settings.origin(setting.name)
            if call.console.usesJSON {
                try call.console.output.line([
                    "key": .string(setting.name), "value": value.map { JSON($0) } ?? .null,
                    "origin": .string(origin?.rawValue), "reloadable": .bool(setting.isReloadable),
                    "help": .string(setting.help),
                ])
            } else {
                let text = TerminalText.safe(value?.description ?? launch.place(of: setting.name) ?? "")
                try call.console.output.line(
                    "\(setting.name) = \(text.isEmpty ? "(none)" : text)  (\((origin ?? .shipped).rawValue))"
                )
            }
        }
        var problems = try await PushGateway.problems(launch)
        if let problem = SocketAddress.problem(withPath: launch.controlSocket) {
            problems.insert("the socket for linkstr, \(launch.controlSocket), \(problem): set control_socket", at: 0)
        }
        if !problems.isEmpty { throw CommandFailure(.configuration, problems.joined(separator: "\n")) }
    }
}

extension Launch {
    /// What a key without a value stands for, where that depends on the home.
    fileprivate func place(of key: String) -> String? {
        switch key {
        case "home": home.data
        case "control_socket": home.socket
        case "relay_database": home.data + "/relay.db"
        case "push_database": home.data + "/push.db"
        default: nil
        }
    }
}

extension JSON {
    fileprivate init(_ value: SettingValue) {
        switch value {
        case .text(let text): self = .string(text)
        case .integer(let number): self = .integer(number)
        case .flag(let flag): self = .bool(flag)
        case .texts(let texts): self = .array(texts.map { .string($0) })
        }
    }
}
