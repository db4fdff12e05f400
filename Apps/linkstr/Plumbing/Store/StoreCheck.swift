import CommandKit
import NostrEvents
import NostrStore

enum StoreCheck {
    static let command = Command(
        "check",
        "Look for damage in an event database",
        details: [
            "Checks the file as SQLite does, then the id and the signature of every event. Prints how many events there "
                + "are and each problem; the exit code is 65 if there is one."
        ],
        takes: [StoreFile.argument],
        examples: [Example("linkstr store check events.db", "Prints one JSON object")]
    ) { call in
        try await StoreFile.with(call[StoreFile.argument]) { store in
            var problems = try await store.integrityCheck()
            var count = 0
            for try await part in store.stream(matching: [Filter()]) {
                for event in part {
                    count += 1
                    do throws(EventError) {
                        _ = try Event(verifying: event)
                    } catch {
                        problems.append("\(event.id.hex): \(error.sentence)")
                    }
                }
            }
            try call.console.output.line([
                "events": .integer(Int64(count)), "problems": .array(problems.map { .string($0) }),
            ])
            if !problems.isEmpty { throw CommandFailure.reported(.badInput) }
        }
    }
}
