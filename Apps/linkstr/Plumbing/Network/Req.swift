import CommandKit
import NostrEvents
import NostrTransport

enum Req {
    private static let stream = Flag("stream", "Go on with new events until Ctrl-C, across lost connections")

    static let command = Command(
        "req",
        "Ask relays for events",
        details: [
            "Prints each event once, as a JSON line, whichever relay brings it first. Its id and signature have been "
                + "checked, and that it matches. Ends when every relay has sent what it has stored, and without --stream "
                + "after the time of --timeout in any case: a relay that had more to send then counts as one that did not answer.",
            Network.authenticationHelp,
        ],
        takes: FilterOptions.all + [stream, Secret.option, Passphrase.file, Network.relays],
        examples: [
            Example("linkstr req --kind 1 --limit 20 wss://relay.example.com", "Prints the newest 20 notes"),
            Example(
                "linkstr req --kind 1059 --tag p=HEX --stream wss://relay.example.com",
                "Prints gift wraps to a key as they come"
            ),
        ]
    ) { call in
        let filter = FilterOptions.filter(call)
        let relays = call[Network.relays]
        let isStream = call[stream]
        try await Network.withPool(call, for: relays, reconnects: isStream) { pool in
            try await print(filter, relays, isStream, within: call[GlobalOptions.timeout], pool, call.console)
        }
    }

    private static func print(
        _ filter: Filter,
        _ relays: [RelayURL],
        _ isStream: Bool,
        within time: Duration?,
        _ pool: RelayPool,
        _ console: Console
    ) async throws {
        var options = SubscriptionOptions()
        options.extent = isStream ? .live : .stored
        let subscription = pool.subscribe([filter], to: relays, options: options)
        let timer = Task {
            guard let time, !isStream else { return }
            try await Task.sleep(for: time)
            subscription.close()
        }
        defer {
            timer.cancel()
            subscription.close()
        }
        var open = Set(subscription.relays)
        let progress = Progress(console, "events")
        defer { progress.finish() }
        var count = 0
        var failures: [RelayURL: TransportError] = [:]
        while let updates = await subscription.nextBatch() {
            for update in updates {
                switch update {
                case .event(let event, _):
                    count += 1
                    if console.output.isTerminal { progress.finish() }
                    try console.output.line(json: event.json)
                case .closed(let relay, let error):
                    open.remove(relay)
                    failures[relay] = error
                case .interrupted(let relay, let error?):
                    console.explain("\(relay): \(TerminalText.safe(error.sentence, width: 500))")
                case .endOfStoredEvents(let relay, let page):
                    console.explain("\(relay): \(page.received) stored events")
                case .interrupted(_, nil):
                    break
                }
            }
            progress.update(count)
            if isStream { try console.output.flush() }
        }
        try Task.checkCancellation()
        // Those that had not sent everything when the time was up, however busy they were.
        for relay in open { failures[relay] = .noAnswer(notice: nil) }
        try Network.report(failures, of: subscription.relays.count, console)
    }
}
