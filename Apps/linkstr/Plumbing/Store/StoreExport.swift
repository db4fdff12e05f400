import CommandKit
import NostrEvents
import NostrStore

enum StoreExport {
    private static let filters = RepeatedOption(
        "filter",
        .filter,
        "Only events that match this filter of NIP-01, or another one that is given"
    )

    static let command = Command(
        "export",
        "Print the events of an event database as JSON lines",
        details: ["Newest first, at the same time lowest id first. The database is not changed."],
        takes: [StoreFile.argument, filters],
        examples: [
            Example("linkstr store export events.db > events.jsonl", "Writes all events"),
            Example(#"linkstr store export events.db --filter '{"kinds":[1],"limit":10}'"#, "Prints the latest notes"),
        ]
    ) { call in
        let output = call.console.output
        let filters = call[filters].isEmpty ? [Filter()] : call[filters]
        try await StoreFile.with(call[StoreFile.argument]) { store in
            for try await part in store.stream(matching: filters) {
                for event in part { try output.line(json: event.json) }
            }
        }
    }
}
