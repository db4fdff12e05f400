import CommandKit
import NostrEvents
import NostrTransport

enum RelayTest {
    private static let relay = Argument("RELAY", .relay, "The relay, like wss://relay.example.com")

    static let command = Command(
        "test",
        "Try out what a relay does, and how fast",
        details: [
            "Connects, asks for one stored event, and asks for a count. Nothing is published. The exit code is 69 if the "
                + "relay cannot be reached or does not answer the request, 75 if it does not in time.",
            Network.authenticationHelp,
        ],
        takes: [Secret.option, Passphrase.file, relay],
        examples: [Example("linkstr relay test wss://relay.example.com", "Prints what works and how long it took")]
    ) { call in
        let url = call[relay]
        let console = call.console
        try await Network.withPool(call, for: [url]) { pool in
            let clock = ContinuousClock()
            let filter = Filter(limit: 1)
            var lines: [(name: String, value: JSON)] = [("relay", .string(url.text))]
            var failure: TransportError?
            // The first request waits for the connection; the second is what a request costs.
            let first = await pool.fetch([filter], from: [url])
            failure = first.failures[url]
            let status = pool.statuses[url]?.statistics
            lines.append(("connect_ms", .integer(status?.connectTime.map(milliseconds))))
            if failure == nil {
                let begun = clock.now
                failure = await pool.fetch([filter], from: [url]).failures[url]
                lines.append(("request_ms", .integer(failure == nil ? milliseconds(clock.now - begun) : nil)))
                lines.append(("counts", .bool((try? await pool.add(url).count([filter])) != nil)))
            }
            lines.append(("notice", .string(status?.lastNotice)))
            lines.append(("error", .string(failure?.sentence)))
            try Task.checkCancellation()
            try print(lines, console)
            if let failure { throw CommandFailure(failure.exitCode, console.usesJSON ? "" : failure.sentence) }
        }
    }

    private static func print(_ lines: [(name: String, value: JSON)], _ console: Console) throws {
        if console.usesJSON {
            try console.output.line(.object(lines))
            return
        }
        for (name, value) in lines {
            switch value {
            case .null: continue
            case .string(let text): try console.output.line("\(name): \(TerminalText.safe(text, width: 500))")
            default: try console.output.line("\(name): \(value.text)")
            }
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
