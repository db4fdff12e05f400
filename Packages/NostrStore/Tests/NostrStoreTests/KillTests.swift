import Foundation
import NostrCrypto
import NostrEvents
import NostrStore
import SQLite
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A process that stores events is killed at any instant. `LINKSTR_STORE_KILLS` asks for more of it.
@Suite(.timeLimit(.minutes(30))) struct KillTests {
    @Test func everyAcknowledgedEventSurvivesKill() async throws {
        var scratch = try Scratch()
        var missing: [String] = []
        // A database lives through a few kills, then there is a new one: each is looked through as a whole.
        let killsOfOne: UInt32 = 8
        for round in 0..<UInt32(Environment.number("LINKSTR_STORE_KILLS") ?? 6) {
            if round % killsOfOne == 0 { scratch = try Scratch() }
            let path = scratch.path
            let delay = 2_000 + round &* 7_919 % 60_000
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, round = round as UInt32, delay = delay as UInt32] in
                let store = try await EventStore(
                    .file(path),
                    options: StoreOptions(synchronous: .normal, groupSize: 16, keysInMemory: 200)
                )
                let acknowledged = open("\(path).ack", O_WRONLY | O_CREAT | O_APPEND, 0o600)
                // However slow the machine is, something is acknowledged before the end.
                let first = event(by: 4, at: Int64(round), "first")
                guard try await store.ingest(first) == .stored else { exit(2) }
                write(acknowledged, first.id.bytes.array, 32)
                Thread.detachNewThread {
                    usleep(delay)
                    kill(getpid(), SIGKILL)
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for task in 0..<4 {
                        group.addTask {
                            for number in 0... {
                                let note = event(by: task, at: Int64(number), "\(round)", tags: [Tag("t", "\(task)")])
                                guard try await store.ingest(note) == .stored else { exit(3) }
                                let id = note.id.bytes.array
                                write(acknowledged, id, id.count)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
            let store = try await EventStore(scratch.location)
            #expect(try await store.integrityCheck() == [])
            let acknowledged = try Self.contents(path + ".ack")
            #expect(!acknowledged.isEmpty)
            let stored = Set(try await store.events(matching: [Filter()]).map(\.id.hex))
            for start in stride(from: 0, to: acknowledged.count - 31, by: 32) {
                let id = acknowledged[start..<start + 32].map { String(format: "%02x", $0) }.joined()
                if !stored.contains(id) { missing.append("\(round): \(id)") }
            }
            // What the tags find is what is there, also where a merge was cut off.
            var byTag = 0
            for task in 0..<4 { byTag += try await store.count(matching: [Filter(tags: [.t: ["\(task)"]])]) }
            #expect(byTag == stored.count - 1 - Int(round % killsOfOne))
            try await store.close()
        }
        #expect(missing.isEmpty)
    }

    /// `Data(contentsOf:)` leaks a page for an empty file, which the address sanitiser reports.
    private static func contents(_ path: String) throws -> [UInt8] {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        return Array(try file.readToEnd() ?? Data())
    }
}
