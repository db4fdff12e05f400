import NostrEvents
import SQLite
import Testing

@testable import NostrStore

@Suite struct FullDiskTests {
    @Test func aCommitThatFailsTakesItsKeysBackAndTheStoreGoesOn() async throws {
        let scratch = try Scratch()
        let store = try await EventStore(scratch.location, options: StoreOptions(readers: 1, keysInMemory: 50))
        func note(_ number: Int, _ size: Int = 10) -> Event {
            event(at: Int64(number), String(repeating: "x", count: size), tags: [Tag("t", "note")])
        }
        let all = [Filter(tags: [.t: ["note"]])]
        _ = try await store.ingest((0..<30).map { note($0) })
        try await store.writer.maintain { try $0.execute("PRAGMA max_page_count = 40") }
        await #expect(throws: StoreError.database(.diskFull(path: scratch.path))) {
            _ = try await store.ingest([note(100), note(101, 300_000), note(102)])
        }
        #expect(try await store.count(matching: all) == 30)
        #expect(try await store.count(matching: [Filter(ids: [note(100).id])]) == 0)
        try await store.writer.maintain { try $0.execute("PRAGMA max_page_count = 100000") }
        #expect(
            try await store.ingest([note(100), note(101, 300_000), note(102)]) == [.stored, .stored, .stored]
        )
        #expect(try await store.count(matching: all) == 33)
        #expect(try await store.integrityCheck() == [])
        try await store.close()
        let again = try await EventStore(scratch.location)
        #expect(try await again.count(matching: all) == 33)
        try await again.close()
    }
}
