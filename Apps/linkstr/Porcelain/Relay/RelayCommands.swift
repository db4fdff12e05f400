import CommandKit
import LinkstrClient
import NostrEvents

/// The relays of this device, as they are configured, and where they stand.
enum RelayConfiguration {
    private static let url = Argument("URL", .text, "ws:// or wss:// and a host")

    private static let ask = Flag("ask", "Connect to the relays to see where they stand, where no daemon does")

    static let list = Command(
        "list",
        "List the relays of this device, and where they stand",
        details: [
            "A daemon says of each whether it is connected, how long it took to answer last, and since when and why it fails. Without a "
                + "daemon nothing is connected, and no relay is asked but with --ask, for at most 5 seconds or --timeout."
        ],
        takes: [ask],
        examples: [
            Example("linkstr relay list", "Prints one relay a line"),
            Example("linkstr relay list --ask", "Connects to each and says how fast it answers"),
        ]
    ) { call in
        let list = try Work.home(call).relayList()
        try print(list, call, try await RelayConditions.now(call, list.enabled, asking: call[ask]))
    }

    private static let shared = Flag(
        "shared",
        "Say that others reach the relay of your own daemon, so that its word counts"
    )

    static let add = Command(
        "add",
        "Add a relay",
        takes: [shared, url],
        examples: [
            Example("linkstr relay add wss://relay.example.com", "Uses it from now on"),
            Example(
                "linkstr relay add --shared ws://127.0.0.1:7447",
                "Lets the own daemon's relay count like any other"
            ),
        ]
    ) { call in
        try await edit(call) { list, text in
            do {
                try list.add(text)
            } catch RelayList.Problem.duplicate(let url) where call[shared] {
                try list.setShared(url.text, true)
            }
        }
    }

    static let remove = change(
        "remove",
        "Remove a relay",
        "linkstr relay remove wss://relay.example.com",
        "Uses it no more"
    ) { try $0.remove($1) }

    static let enable = change(
        "enable",
        "Use a relay of the list",
        "linkstr relay enable wss://relay.example.com",
        "Uses it again"
    ) { try $0.setEnabled($1, true) }

    static let disable = change(
        "disable",
        "Keep a relay in the list without using it",
        "linkstr relay disable wss://relay.example.com",
        "Uses it no more for now"
    ) { try $0.setEnabled($1, false) }

    static let reset = Command(
        "reset",
        "Use the relays that linkstr comes with",
        examples: [Example("linkstr relay reset", "Puts the shipped list in place of the own one")]
    ) { call in
        let list = try await Work.withHome(call) { accounts in
            var list = try accounts.home.relayList()
            list.reset()
            try accounts.home.save(list)
            return list
        }
        try print(list, call)
    }

    private static func change(
        _ name: String,
        _ summary: String,
        _ example: String,
        _ explanation: String,
        _ edit: @escaping @Sendable (inout RelayList, String) throws -> Void
    ) -> Command {
        Command(name, summary, takes: [url], examples: [Example(example, explanation)]) { call in
            try await self.edit(call, edit)
        }
    }

    private static func edit(
        _ call: Invocation,
        _ edit: @escaping (inout RelayList, String) throws -> Void
    ) async throws {
        let list = try await Work.withHome(call) { accounts in
            var list = try accounts.home.relayList()
            try edit(&list, call[url])
            try accounts.home.save(list)
            return list
        }
        try print(list, call)
    }

    private static func print(
        _ list: RelayList,
        _ call: Invocation,
        _ conditions: [String: JSONObject] = [:]
    ) throws {
        for entry in list.entries {
            let condition = entry.isEnabled ? conditions[entry.url.text] : nil
            // The word alone; why it is so is the problem.
            let state = condition?["state"]?.string.map { String($0.prefix { $0 != ":" }) }
            if call.console.usesJSON {
                try call.console.output.line([
                    "url": .string(entry.url.text), "enabled": .bool(entry.isEnabled),
                    "embedded": .bool(entry.isEmbedded), "shared": .bool(entry.isShared),
                    "state": .string(state), "problem": JSON(condition?["problem"] ?? .null),
                    "failing_since": JSON(condition?["failing_since"] ?? .null),
                    "round_trip_ms": JSON(condition?["round_trip_ms"] ?? .null),
                    "role": JSON(condition?["role"] ?? .null),
                ])
            } else {
                var marks = entry.isEnabled ? [] : ["disabled"]
                if entry.isEmbedded { marks.append(entry.isShared ? "own, shared" : "own") }
                let mark = marks.isEmpty ? "" : "  (\(marks.joined(separator: ", ")))"
                try call.console.output.line(entry.url.text + mark + sentence(state, condition))
            }
        }
    }

    /// `  connected, 12 ms`, or `  failed since ...: why`.
    private static func sentence(_ state: String?, _ condition: JSONObject?) -> String {
        guard let state, let condition else { return "" }
        var text = "  " + state
        if let time = condition["failing_since"]?.integer { text += ", failing since \(ShownText.time(time))" }
        if state == "connected", let milliseconds = condition["round_trip_ms"]?.integer {
            text += ", \(milliseconds) ms"
        }
        if let problem = condition["problem"]?.string { text += ": " + TerminalText.safe(problem, width: 200) }
        return text
    }
}
