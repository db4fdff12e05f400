import CommandKit
import NostrEvents
import NostrTransport

enum Count {
    static let command = Command(
        "count",
        "Ask relays how many events match (NIP-45)",
        details: [
            "Prints a line for each relay, with the number and the relay; about stands before a number that the relay "
                + "calls approximate. The exit code is 69 if no relay counts.",
            Network.authenticationHelp,
        ],
        takes: FilterOptions.all + [Secret.option, Passphrase.file, Network.relays],
        examples: [
            Example("linkstr count --kind 3 --tag p=HEX wss://relay.example.com", "Counts the followers of a key")
        ]
    ) { call in
        let filter = FilterOptions.filter(call)
        let relays = call[Network.relays]
        let console = call.console
        try await Network.withPool(call, for: relays) { pool in
            let answers = await counts(filter, relays, pool)
            var failures: [RelayURL: TransportError] = [:]
            for relay in relays {
                switch answers[relay] {
                case .success(let count): try print(count, relay, console)
                case .failure(let error): failures[relay] = error
                case nil: break
                }
            }
            try Task.checkCancellation()
            try Network.report(failures, of: answers.count, console)
        }
    }

    private static func counts(
        _ filter: Filter,
        _ relays: [RelayURL],
        _ pool: RelayPool
    ) async -> [RelayURL: Result<EventCount, TransportError>] {
        await withTaskGroup(of: (RelayURL, Result<EventCount, TransportError>).self) { group in
            for relay in Set(relays) {
                group.addTask {
                    do throws(TransportError) {
                        return (relay, .success(try await pool.add(relay).count([filter])))
                    } catch {
                        return (relay, .failure(error))
                    }
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    private static func print(_ count: EventCount, _ relay: RelayURL, _ console: Console) throws {
        if console.usesJSON {
            try console.output.line([
                "relay": .string(relay.text), "count": .integer(count.count),
                "approximate": .bool(count.isApproximate),
            ])
        } else {
            try console.output.line("\(count.isApproximate ? "about " : "")\(count.count) \(relay)")
        }
    }
}
