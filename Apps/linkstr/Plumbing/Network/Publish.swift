import CommandKit
import LinkstrClient
import NostrEvents
import NostrTransport

enum Publish {
    private static let eventsAtOnce = 500
    private static let standardDeadline: Duration = .seconds(8)

    static let command = Command(
        "publish",
        "Send events to relays",
        details: [
            "Reads events as JSON lines, checks them, and prints for each event and relay what the relay did. The exit "
                + "code is 0 if every event was taken by one relay at least, 69 if not, and 75 if the relays did not "
                + "answer in time. --timeout is the time without any answer, 8 seconds by default.",
            Network.authenticationHelp,
        ],
        takes: [Secret.option, Passphrase.file, Network.relays],
        examples: [
            Example(
                "linkstr event new --kind 1 --content hello --sec @me.key | linkstr publish wss://relay.example.com",
                "Publishes a note"
            ),
            Example("linkstr publish --json wss://a.example wss://b.example < events.jsonl", "Reports as JSON lines"),
        ]
    ) { call in
        let relays = call[Network.relays]
        let console = call.console
        let deadline = call[GlobalOptions.timeout] ?? standardDeadline
        try await Network.withPool(call, for: relays) { pool in
            var total = Total()
            let progress = Progress(console, "events")
            defer { progress.finish() }
            let reader = LineReader { try console.output.flush() }
            while let events = try nextEvents(reader, &total, console) {
                try Task.checkCancellation()
                let receipt = await pool.publish(events, to: relays, acceptance: .all, deadline: deadline)
                progress.finish()
                try print(events, receipt, relays, console)
                total.add(events, receipt)
                progress.update(total.events)
            }
            try Task.checkCancellation()
            try total.check()
        }
    }

    /// What became of all events.
    private struct Total {
        var events = 0
        var badLines = 0
        var refused = 0
        var undecided = 0

        mutating func add(_ events: [Event], _ receipt: PublishReceipt) {
            self.events += events.count
            for event in events {
                let outcomes = receipt[event.id].values
                if outcomes.contains(where: \.isAccepted) { continue }
                let isUndecided = outcomes.contains { outcome in
                    switch outcome {
                    case .unconfirmed: true
                    case .unavailable(let error): error.exitCode == .timedOut
                    default: false
                    }
                }
                if isUndecided { undecided += 1 } else { refused += 1 }
            }
        }

        func check() throws {
            if refused > 0 {
                throw CommandFailure(.unavailable, "no relay accepted \((refused + undecided).counted("event"))")
            }
            if undecided > 0 {
                throw CommandFailure(.timedOut, "no relay answered in time for \(undecided.counted("event"))")
            }
            if badLines > 0 { throw CommandFailure.reported(.badInput) }
        }
    }

    /// Some events from standard input; nil at its end. Lines that hold none are reported.
    private static func nextEvents(_ reader: LineReader, _ total: inout Total, _ console: Console) throws -> [Event]? {
        var events: [Event] = []
        while events.count < eventsAtOnce, let line = try reader.next() {
            if let bytes = line.bytes, bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
            do throws(EventError) {
                guard let bytes = line.bytes else { throw .tooLarge(limit: LineReader.defaultLimit) }
                events.append(try Event(json: bytes, limits: .local))
            } catch {
                total.badLines += 1
                console.fail("line \(line.number): \(error.sentence)")
            }
        }
        return events.isEmpty ? nil : events
    }

    private static func print(
        _ events: [Event],
        _ receipt: PublishReceipt,
        _ relays: [RelayURL],
        _ console: Console
    ) throws {
        for event in events {
            for relay in relays {
                guard let outcome = receipt[event.id][relay] else { continue }
                if console.usesJSON {
                    try console.output.line([
                        "id": .string(event.id.hex), "relay": .string(relay.text),
                        "accepted": .bool(outcome.isAccepted),
                        "message": .string(outcome.description),
                    ])
                } else {
                    let text = TerminalText.safe(outcome.description, width: 500)
                    try console.output.line("\(event.id.hex) \(relay) \(text)")
                }
            }
        }
        try console.output.flush()
    }
}
