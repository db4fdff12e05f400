import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents

enum EventVerify {
    static let command = Command(
        "verify",
        "Check the id and the signature of each event",
        details: [
            "Reads JSON lines and prints a line for each: id as the event has it (null if that cannot be read), valid, "
                + "and error (null if it is valid). The exit code is 65 if any is not valid."
        ],
        examples: [
            Example("linkstr event verify < events.jsonl", "Checks every line"),
            Example(
                "linkstr event verify < events.jsonl | grep -c '\"valid\":true'",
                "Counts the valid ones"
            ),
        ]
    ) { call in
        let output = call.console.output
        var invalid = 0
        try LineStream(call, of: "events as JSON lines").forEachLine { line in
            var id: String?
            var problem: String?
            do throws(EventError) {
                guard let bytes = line.bytes else { throw .tooLarge(limit: LineReader.defaultLimit) }
                let event = try WireEvent(json: bytes, limits: .local)
                id = event.id.hex
                _ = try Event(verifying: event)
            } catch {
                problem = error.sentence
                invalid += 1
            }
            try output.line([
                "id": .string(id), "valid": .bool(problem == nil), "error": .string(problem),
            ])
        }
        if invalid > 0 {
            throw CommandFailure(.badInput, invalid.counted("event is", "events are") + " not valid")
        }
    }
}
