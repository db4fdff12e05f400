import CommandKit
import NostrCrypto
import NostrEvents

enum EventIdentify {
    static let command = Command(
        "id",
        "Print the id of each event",
        details: [
            "Reads JSON lines: pubkey, created_at, kind, tags and content. An id or a signature in them is not looked at."
        ],
        examples: [
            Example("linkstr event id < events.jsonl", "Prints an id for each line"),
            Example("linkstr event id --json < events.jsonl", "The same as {\"id\":...}"),
        ]
    ) { call in
        let output = call.console.output
        try LineStream(call, of: "events as JSON lines").forEach { bytes in
            let id = try EventTemplate.unsigned.read(bytes).rumor.id.hex
            if call.console.usesJSON {
                try output.line(["id": .string(id)])
            } else {
                try output.line(id)
            }
        }
    }
}
