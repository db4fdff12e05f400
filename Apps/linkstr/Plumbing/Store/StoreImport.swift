import CommandKit
import Dispatch
import NostrEvents
import NostrStore
import SQLite
import Locking

enum StoreImport {
    static let command = Command(
        "import",
        "Store events from JSON lines in an event database",
        details: [
            "Reads JSON lines, checks each event on all cores and stores it as a relay does. The database is made if "
                + "there is none. Prints what became of the events: stored, duplicate, refused (replaced, deleted, "
                + "expired or vanished) and ephemeral ones, which are not stored."
        ],
        takes: [StoreFile.argument],
        examples: [Example("linkstr store import events.db < events.jsonl", "Stores every line")]
    ) { call in
        let store = try await EventStore(.file(call[StoreFile.argument]))
        var counts = (stored: 0, duplicate: 0, refused: 0, ephemeral: 0, invalid: 0)
        let reader = LineReader { try call.console.output.flush() }
        let progress = Progress(call.console, "events")
        var isDone = false
        do {
            while !isDone {
                var lines: [LineReader.Line] = []
                while lines.count < 512 {
                    guard let line = try reader.next() else {
                        isDone = true
                        break
                    }
                    if line.bytes.map({ $0.allSatisfy { $0 == 0x20 || $0 == 0x09 } }) ?? false { continue }
                    lines.append(line)
                }
                var events: [Event] = []
                for (line, result) in zip(lines, verified(lines.map(\.bytes))) {
                    switch result {
                    case .success(let event): events.append(event)
                    case .failure(let error):
                        counts.invalid += 1
                        call.console.fail("line \(line.number): \(error.sentence)")
                    }
                }
                for outcome in try await store.ingest(events) {
                    switch outcome {
                    case .stored: counts.stored += 1
                    case .duplicate: counts.duplicate += 1
                    case .ephemeral: counts.ephemeral += 1
                    case .superseded, .expired, .deleted, .vanished: counts.refused += 1
                    }
                }
                progress.update(counts.stored + counts.duplicate + counts.refused + counts.ephemeral)
            }
        } catch {
            progress.finish()
            try await store.close()
            throw error
        }
        progress.finish()
        try await store.close()
        try call.console.output.line([
            "stored": .integer(Int64(counts.stored)), "duplicate": .integer(Int64(counts.duplicate)),
            "refused": .integer(Int64(counts.refused)), "ephemeral": .integer(Int64(counts.ephemeral)),
            "invalid": .integer(Int64(counts.invalid)),
        ])
        if counts.invalid > 0 { throw CommandFailure.reported(.badInput) }
    }

    /// Each line as a checked event, or what is wrong with it.
    private static func verified(_ lines: [[UInt8]?]) -> [Result<Event, EventError>] {
        let chunk = 32
        let parts = Locked<[Int: [Result<Event, EventError>]]>([:])
        DispatchQueue.concurrentPerform(iterations: (lines.count + chunk - 1) / chunk) { number in
            let part = lines[(number * chunk)..<min(lines.count, (number + 1) * chunk)].map { line in
                Result { () throws(EventError) in
                    guard let bytes = line else { throw .tooLarge(limit: LineReader.defaultLimit) }
                    return try Event(verifying: WireEvent(json: bytes, limits: .local))
                }
            }
            parts.withLock { $0[number] = part }
        }
        return parts.withLock { parts in parts.keys.sorted().flatMap { parts[$0] ?? [] } }
    }
}
