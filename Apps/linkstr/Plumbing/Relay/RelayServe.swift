import CommandKit
import NostrEvents
import NostrRelay
import NostrStore
import SQLite
import Sockets

enum RelayServe {
    static let command = Command(
        "serve",
        "Be a relay",
        details: [
            "Prints the address that clients use, which tells the port where --listen names port 0, and serves until "
                + "Ctrl-C or SIGTERM; then it answers what is on its way and closes. A second Ctrl-C ends it at once.",
            "An event is acknowledged when it is committed. With --durability full it survives a power cut then, with "
                + "normal the end of the program only.",
            "--auth names what clients must be authenticated for (NIP-42). They have to name an address of the relay, so "
                + "give --url where they use another than --listen.",
        ],
        takes: RelayOptionsOfCommand.all,
        examples: [
            Example("linkstr relay serve", "Serves on 127.0.0.1:7447"),
            Example("linkstr relay serve --listen 127.0.0.1:0 --in-memory", "A relay for a test, on any free port"),
            Example(
                "linkstr relay serve --listen 0.0.0.0:7447 --url wss://relay.example.com --auth both --member npub1...",
                "A private relay behind a proxy"
            ),
        ]
    ) { call in
        let output = call.console.output
        let store = try await EventStore(RelayPlace.location(call), options: RelayOptionsOfCommand.store(call))
        let relay: Relay
        do {
            relay = try Relay(
                store: store,
                on: call[RelayOptionsOfCommand.listen],
                options: RelayOptionsOfCommand.relay(call),
                policies: RelayOptionsOfCommand.policies(call),
                tls: RelayOptionsOfCommand.tls(call)
            )
        } catch {
            try await store.close()
            throw error
        }
        let interval = call[RelayOptionsOfCommand.metrics]
        do {
            try await Interruption.cancelling {
                try output.line(relay.url?.text ?? relay.address.description)
                try output.flush()
                while true {
                    try await Task.sleep(for: interval ?? .seconds(86_400))
                    guard interval != nil else { continue }
                    try output.line(relay.metrics.json)
                    try output.flush()
                }
            }
        } catch is CancellationError {
            call.console.explain("closing")
        } catch {
            await relay.close()
            try await store.close()
            throw error
        }
        await relay.close()
        if interval != nil { try output.line(relay.metrics.json) }
        try await store.close()
    }
}

extension RelayMetrics {
    /// What `--metrics` prints.
    var json: JSON {
        [
            "connections": .integer(Int64(connections)),
            "connections_opened": .integer(Int64(connectionsOpened)),
            "connections_refused": .integer(Int64(connectionsRefused)),
            "slow_readers_dropped": .integer(Int64(slowReadersDropped)),
            "unread_bytes": .integer(Int64(unreadBytes)),
            "subscriptions": .integer(Int64(subscriptions)),
            "messages": .integer(Int64(messages)),
            "malformed_messages": .integer(Int64(malformedMessages)),
            "events": .integer(Int64(events)),
            "events_stored": .integer(Int64(eventsStored)),
            "events_ephemeral": .integer(Int64(eventsEphemeral)),
            "events_duplicate": .integer(Int64(eventsDuplicate)),
            "events_refused": .integer(Int64(eventsRefused)),
            "verification_nanoseconds": .integer(Int64(verificationNanoseconds)),
            "commits": .integer(Int64(commits)),
            "queries": .integer(Int64(queries)),
            "stored_events_sent": .integer(Int64(storedEventsSent)),
            "live_events_sent": .integer(Int64(liveEventsSent)),
        ]
    }
}
