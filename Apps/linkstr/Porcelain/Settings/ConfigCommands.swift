import CommandKit
import LinkstrClient
import NostrEvents

enum Config {
    private static let key = Argument("KEY", .text, "The setting's name")
    private static let value = Argument("VALUE", .text, "true, false or a text")

    static let list = Command(
        "list",
        "List the settings of the account and of this device",
        details: [
            "The proxy and the further issuers are the device's, for all its accounts; the others are the account's."
        ],
        examples: [Example("linkstr config list", "Prints each with its default and what it tells others")]
    ) { call in
        try await Work.perform(call, .configList, text: full)
        let network = try Work.home(call).networkSettings()
        for key in NetworkSettings.Key.allCases { try print(network.value(key), call, full) }
    }

    static let get = Command(
        "get",
        "Print one setting",
        takes: [key],
        examples: [Example("linkstr config get link_metadata", "Prints true or false")]
    ) { call in
        if let key = NetworkSettings.Key(rawValue: call[key]) {
            try print(try Work.home(call).networkSettings().value(key), call) { [shown($0["value"])] }
        } else {
            try await Work.perform(call, .configList, ["key": .string(call[key])]) { [shown($0["value"])] }
        }
    }

    static let set = Command(
        "set",
        "Change a setting",
        takes: [key, value],
        examples: [
            Example("linkstr config set link_metadata true", "Fetches titles of links from now on"),
            Example("linkstr config set proxy 127.0.0.1:9050", "Goes through Tor from now on"),
        ]
    ) { call in
        if let key = NetworkSettings.Key(rawValue: call[key]) {
            try await change(key, to: call[value], call)
        } else {
            let arguments: JSONObject = ["key": .string(call[key]), "value": .string(call[value])]
            try await Work.perform(call, .configSet, arguments) { [line($0)] }
        }
    }

    static let unset = Command(
        "unset",
        "Bring a setting back to its default",
        takes: [key],
        examples: [Example("linkstr config unset link_metadata", "Does as linkstr comes")]
    ) { call in
        if let key = NetworkSettings.Key(rawValue: call[key]) {
            try await change(key, to: nil, call)
        } else {
            try await Work.perform(call, .configUnset, ["key": .string(call[key])]) { [line($0)] }
        }
    }

    /// Changes a setting of the device. A daemon takes it up at once.
    private static func change(_ key: NetworkSettings.Key, to text: String?, _ call: Invocation) async throws {
        // The daemon works in another directory.
        let text = key == .extraAuthorities ? text.map(Files.absolute) : text
        let settings = try await Work.withHome(call) { accounts in
            var settings = try accounts.home.networkSettings()
            try settings.set(key, to: text)
            try accounts.home.save(settings)
            return settings
        }
        try print(settings.value(key), call) { [line($0)] }
    }

    private static func print(_ setting: JSONValue, _ call: Invocation, _ text: (JSONValue) -> [String]) throws {
        if call.console.usesJSON { return try call.console.output.line(JSON(setting)) }
        for line in text(setting) { try call.console.output.line(line) }
    }

    @Sendable private static func full(_ setting: JSONValue) -> [String] {
        [line(setting), "    " + TerminalText.safe(setting["summary"]?.string ?? "")]
    }

    private static func line(_ setting: JSONValue) -> String {
        let isDefault = setting["value"]?.string == setting["default"]?.string
        let mark = isDefault ? "  (default)" : ""
        return "\(setting["key"]?.string ?? "") = \(shown(setting["value"]))\(mark)"
    }

    private static func shown(_ value: JSONValue?) -> String { value?.string.map { TerminalText.safe($0) } ?? "none" }
}

enum Backup {
    static let status = Command(
        "status",
        "Say how the private preferences stand",
        details: ["Aliases and archived sessions are kept on relays, readable for this account alone."],
        examples: [Example("linkstr backup status", "Prints how many there are and how many wait")]
    ) { call in try await run(call, .backupStatus) }

    static let push = Command(
        "push",
        "Send private preferences that wait",
        examples: [Example("linkstr backup push", "Sends them now")]
    ) { call in try await run(call, .backupPush) }

    static let pull = Command(
        "pull",
        "Read private preferences from the relays",
        examples: [Example("linkstr backup pull", "Takes over what another device has changed")]
    ) { call in try await run(call, .backupPull) }

    private static func run(_ call: Invocation, _ operation: ClientOperation) async throws {
        try await Work.perform(call, operation) { counts in
            let (records, pending) = (counts["records"]?.integer ?? 0, counts["pending"]?.integer ?? 0)
            return ["\(records.counted("preference")), \(pending.counted("waits", "wait")) to be sent"]
        }
    }
}
