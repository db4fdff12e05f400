import Foundation
import NostrEvents
import NostrStore
import SQLite
import Testing

/// A database written by the first version of the schema, kept as a file: every later version has to open it.
@Suite struct FirstSchemaTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Cases/first-schema.db")

    private static let note = event(at: 100, "a note with a tag", tags: [Tag("t", "kept")])
    private static let profile = event(.metadata, by: 1, at: 100, "{}")
    private static let deleted = event(at: 90, "deleted")
    private static let deletion = event(.deletion, at: 110, tags: [Tag("e", deleted.id.hex)])
    private static let expiring = event(at: 120, tags: [Tag("expiration", "1000")])
    private static let gone = event(by: 2, at: 100, "vanished")
    private static let vanish = event(.requestToVanish, by: 2, at: 110, tags: [Tag("relay", "ALL_RELAYS")])

    @Test func itOpensAndRemembersEverything() async throws {
        let scratch = try Scratch()
        try FileManager.default.copyItem(atPath: Self.file.path, toPath: scratch.path)
        let clock = TestClock(999)
        let store = try await EventStore(scratch.location, options: StoreOptions(now: { clock.now }))
        let kept = [Self.expiring, Self.deletion, Self.vanish, Self.note, Self.profile]
        #expect(try await Set(store.ids([Filter()])) == Set(kept.map(\.id)))
        #expect(try await store.ids([Filter(tags: [.t: ["kept"]])]) == [Self.note.id])
        #expect(
            try await store.ingest([Self.note, Self.deleted, Self.gone, event(.metadata, by: 1, at: 99)])
                == [.duplicate, .deleted, .vanished, .superseded]
        )
        clock.set(1_000)
        #expect(try await store.sweepExpired() == 1)
        #expect(try await store.integrityCheck() == [])
        try await store.close()
    }

    /// Writes the file anew; only for the day on which there is a reason to.
    @Test(.enabled(if: Environment.number("LINKSTR_WRITE_FIRST_SCHEMA") == 1))
    func itIsWritten() async throws {
        try? FileManager.default.removeItem(at: Self.file)
        try FileManager.default.createDirectory(
            at: Self.file.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        let store = try await EventStore(.file(Self.file.path), options: StoreOptions(now: { 500 }))
        let all = [
            Self.note, Self.profile, Self.deleted, Self.deletion, Self.expiring, Self.gone, Self.vanish,
        ]
        #expect(try await store.ingest(all) == Array(repeating: .stored, count: all.count))
        try await store.close()
        for end in ["-lock", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: Self.file.path + end) }
    }
}
