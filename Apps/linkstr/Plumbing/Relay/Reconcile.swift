import CommandKit
import Negentropy
import NostrCrypto
import NostrEvents
import NostrStore
import NostrTransport
import WebSocket
import SQLite

enum Reconcile {
    private static let relay = Argument("RELAY", .relay, "The relay, ws:// or wss://")
    private static let file = Argument("FILE", .file, "The event database; it is made if there is none")
    private static let filter = Option("filter", .filter, "The events it is about, as a filter of NIP-01; else all")
    private static let direction = DefaultedOption(
        "direction",
        .choice(["both", "down", "up"]),
        default: "both",
        "Which way events go: down is from the relay to the database"
    )
    private static let dryRun = Flag("dry-run", "Only find out what differs")
    private static let idsOnly = Flag(
        "ids-only",
        "Print the ids of what differs, as a JSON line each, and exchange nothing"
    )

    static let command = Command(
        "reconcile",
        "Bring an event database and a relay to the same state (NIP-77)",
        details: [
            "Finds out what differs without sending what both have, then fetches what the database lacks and publishes "
                + "what the relay lacks. Prints one JSON object: have and need (events that only the database or only "
                + "the relay has), received, stored, sent and accepted.",
            "With --sec the key is authenticated where the relay asks for that (NIP-42).",
        ],
        takes: [relay, file, filter, direction, dryRun, idsOnly, Secret.option, Passphrase.file],
        examples: [
            Example("linkstr reconcile wss://relay.example.com events.db", "Exchanges what either side lacks"),
            Example(
                #"linkstr reconcile wss://relay.example.com events.db --filter '{"kinds":[1]}' --direction down"#,
                "Fetches the notes that are missing"
            ),
            Example("linkstr reconcile wss://relay.example.com events.db --ids-only", "Lists what differs"),
        ]
    ) { call in
        var options = TransportOptions()
        try Network.apply(call, to: &options.webSocket.connector, reaching: [call[relay]])
        if let source = call[Secret.option] {
            let keyPair = KeyPair(try Secret.key(source, call))
            options.authenticator = RelayAuthenticator(keys: [keyPair])
        }
        let pool = try RelayPool(options: options)
        let store = try await EventStore(.file(call[file]))
        do {
            try await Interruption.cancelling { try await run(call, pool, store) }
        } catch {
            await pool.shutDown()
            try await store.close()
            throw error
        }
        await pool.shutDown()
        try await store.close()
    }

    private static func run(_ call: Invocation, _ pool: RelayPool, _ store: EventStore) async throws {
        let output = call.console.output
        let filter = call[filter] ?? Filter()
        let items = try await store.negentropySet(matching: [filter], maximum: .max)
        if call[dryRun] || call[idsOnly] {
            let difference = try await pool.add(call[relay]).reconcile(filter, with: items)
            if call[idsOnly] {
                for id in difference.have { try output.line(["have": .string(id.hex)]) }
                for id in difference.need { try output.line(["need": .string(id.hex)]) }
            } else {
                try output.line(line(difference, received: 0, stored: 0, sent: 0, accepted: 0))
            }
            return
        }
        let kept = Kept(store)
        let direction: SynchronisationDirection =
            switch call[direction] {
            case "down": .down
            case "up": .up
            default: .both
            }
        let result = try await pool.synchronise(
            filter,
            with: items,
            on: call[relay],
            direction: direction,
            receive: { await kept.add($0) },
            load: { await kept.load($0) }
        )
        if let problem = await kept.problem { throw problem }
        let sent = result.receipt?.outcomes.count ?? 0
        let accepted = result.receipt?.outcomes.values.count { $0.values.contains(where: \.isAccepted) } ?? 0
        let stored = await kept.stored
        try output.line(
            line(result.difference, received: result.received, stored: stored, sent: sent, accepted: accepted)
        )
        if let receipt = result.receipt {
            for (id, outcomes) in receipt.outcomes {
                for outcome in outcomes.values where !outcome.isAccepted { call.console.warn("\(id.hex): \(outcome)") }
            }
        }
        if accepted < sent { throw CommandFailure.reported(.unavailable) }
    }

    private static func line(
        _ difference: Reconciliation,
        received: Int,
        stored: Int,
        sent: Int,
        accepted: Int
    ) -> JSON {
        [
            "have": .integer(Int64(difference.have.count)), "need": .integer(Int64(difference.need.count)),
            "received": .integer(Int64(received)), "stored": .integer(Int64(stored)), "sent": .integer(Int64(sent)),
            "accepted": .integer(Int64(accepted)),
        ]
    }

    /// The database as the exchange sees it. After a failure nothing more is stored, and the failure is kept.
    private actor Kept {
        private let store: EventStore
        private(set) var stored = 0
        private(set) var problem: StoreError?

        init(_ store: EventStore) {
            self.store = store
        }

        func add(_ events: [Event]) async {
            guard problem == nil else { return }
            do {
                stored += try await store.ingest(events).count { $0 == .stored }
            } catch {
                problem = error
            }
        }

        func load(_ ids: ArraySlice<EventID>) async -> [Event] {
            guard problem == nil else { return [] }
            do {
                let events = try await store.events(matching: [Filter(ids: Set(ids))])
                // What is damaged in the database is not passed on.
                return events.compactMap { try? Event(verifying: $0) }
            } catch {
                problem = error
                return []
            }
        }
    }
}
