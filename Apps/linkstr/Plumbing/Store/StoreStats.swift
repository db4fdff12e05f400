import CommandKit
import NostrStore

enum StoreStats {
    static let command = Command(
        "stats",
        "Print how much is in an event database",
        details: ["events: stored events. bytes: the size of the file. free_bytes: how much of it is free."],
        takes: [StoreFile.argument],
        examples: [Example("linkstr store stats events.db", "Prints one JSON object")]
    ) { call in
        try await StoreFile.with(call[StoreFile.argument]) { store in
            let statistics = try await store.statistics()
            try call.console.output.line([
                "events": .integer(Int64(statistics.events)), "bytes": .integer(Int64(statistics.bytes)),
                "free_bytes": .integer(Int64(statistics.freeBytes)),
            ])
        }
    }
}
