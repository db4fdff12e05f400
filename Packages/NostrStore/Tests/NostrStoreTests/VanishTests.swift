import NostrCrypto
import NostrEvents
import SQLite
import Testing

@testable import NostrStore

/// What the conformance suite cannot see: that vanishing is at once for whoever asks and in slices for the database.
@Suite(.timeLimit(.minutes(10))) struct VanishTests {
    private static let vanish = event(.requestToVanish, by: 2, at: 2_000, tags: [Tag("relay", "ALL_RELAYS")])

    private static func traffic() -> [Event] {
        (0..<600).map { event($0.isMultiple(of: 3) ? .reaction : .textNote, by: 2, at: Int64($0), "\($0)") }
            + (0..<300).map { event(.giftWrap, by: 1, at: Int64($0), "\($0)", tags: [Tag("p", hex(2))]) }
            + (0..<50).map { event(by: 1, at: Int64($0), "\($0)", tags: [Tag("p", hex(2))]) }
    }

    @Test func muchIsHiddenAtOnceAndDeletedInTheEnd() async throws {
        let scratch = try Scratch()
        let store = try await EventStore(scratch.location, options: StoreOptions(keysInMemory: 500))
        let traffic = Self.traffic()
        _ = try await store.ingest(traffic)
        #expect(try await store.count(matching: [Filter()]) == 950)
        #expect(try await store.ingest(Self.vanish) == .stored)
        #expect(try await store.count(matching: [Filter()]) == 51)
        #expect(try await store.ids([Filter(authors: [key(2)])]) == [Self.vanish.id])
        #expect(try await store.count(matching: [Filter(kinds: [.giftWrap])]) == 0)
        #expect(try await store.ingest([traffic[0], traffic[700], Self.vanish]) == [.vanished, .vanished, .duplicate])
        #expect(try await store.ingest(event(by: 2, at: 2_001)) == .stored)
        try await store.close()
        let again = try await EventStore(scratch.location)
        #expect(try await again.statistics().events == 52)
        #expect(try await again.integrityCheck() == [])
        try await again.close()
        let connection = try Connection(scratch.location)
        let rows: Int? = try connection.value("SELECT count(*) FROM event")
        let ids: Int? = try connection.value("SELECT count(*) FROM id_key")
        let entries: Int? = try connection.value("SELECT count(*) FROM index_key WHERE key = 0")
        #expect([rows, ids, entries] == [52, 52, 52])
    }

    @Test func aRequestThatWasCutShortGoesOnAfterOpening() async throws {
        let scratch = try Scratch()
        let store = try await EventStore(scratch.location)
        _ = try await store.ingest(
            Self.traffic() + [event(.requestToVanish, by: 2, at: 2_000, tags: [Tag("relay", "x")])]
        )
        try await store.close()
        do {
            // As it is when the process ends right after the commit.
            let connection = try Connection(scratch.location)
            try connection.execute(
                "INSERT INTO vanished(pubkey, time, request) VALUES (?1, ?2, ?3)",
                key(2).array,
                2_000,
                event(.requestToVanish, by: 2, at: 2_000, tags: [Tag("relay", "x")]).id.bytes.array
            )
        }
        let again = try await EventStore(scratch.location)
        #expect(try await again.count(matching: [Filter()]) == 51)
        // Whatever comes next takes a part of the deleting along.
        #expect(try await again.ingest(event(by: 3)) == .stored)
        try await again.close()
        let last = try await EventStore(scratch.location)
        #expect(try await last.statistics().events == 52)
        try await last.close()
    }
}
