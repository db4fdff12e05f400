import NostrCrypto
import NostrEvents
import SQLite
import Testing

@testable import NostrStore

/// Counts that are made in the index; that they are right is what the differential suite shows.
@Suite(.timeLimit(.minutes(10))) struct CountTests {
    private static let filters: [(Filter, isInIndex: Bool)] = [
        (Filter(), true),
        (Filter(kinds: [.textNote]), true),
        (Filter(kinds: [.textNote, .reaction, 6, 1059, 10_002, 30_023], since: 300, until: 900), true),
        (Filter(authors: [key(1), key(2)]), true),
        (Filter(authors: [key(1)], kinds: [.reaction], since: 500), true),
        (Filter(tags: [.t: ["1"]]), true),
        (Filter(kinds: [.textNote], tags: [.t: ["1"]], until: 800), true),
        (Filter(since: 2_000, until: 10), true),
        (Filter(tags: [.t: ["1", "2"]]), false),
        (Filter(authors: [key(1)], tags: [.t: ["1"]]), false),
        (Filter(tags: [.t: ["1"], .p: [hex(3)]]), false),
        (Filter(ids: []), false),
    ]

    private static func traffic() -> [Event] {
        (0..<1_000).map { number in
            event(
                number.isMultiple(of: 3) ? .reaction : .textNote,
                by: number % 4,
                at: Int64(number),
                "\(number)",
                tags: [Tag("t", "\(number % 5)"), Tag("t", "1"), Tag("p", hex(3))]
                    + (number.isMultiple(of: 10) ? [Tag("expiration", "\(number < 500 ? 2_000 : 3_000)")] : [])
            )
        }
    }

    @Test(arguments: [100, 3_000, 1_000_000])
    func aCountInTheIndexIsThatOfTheEvents(keysInMemory: Int) async throws {
        let scratch = try Scratch()
        let clock = TestClock()
        let options = StoreOptions(synchronous: .normal, keysInMemory: keysInMemory, now: { clock.now })
        let store = try await EventStore(scratch.location, options: options)
        let traffic = Self.traffic()
        for start in stride(from: 0, to: 1_000, by: 100) {
            _ = try await store.ingest(Array(traffic[start..<start + 100]))
        }
        try await store.remove(traffic[300..<320].map(\.id))
        func check(_ when: Comment) async throws {
            for (filter, isInIndex) in Self.filters {
                let wanted = try await store.ids([filter]).count
                #expect(try await store.count(matching: [filter]) == wanted, when)
                let counted = try await store.writer.read(nil) { try $0.count(filter, now: clock.now) }
                #expect(counted == (isInIndex ? wanted : nil), when)
            }
        }
        try await check("stored")
        clock.set(2_500)
        try await check("some have expired and are still there")
        try await store.sweepExpired()
        try await check("swept")
        #expect(try await store.count(matching: [Filter()]) == 932)
        try await store.close()
    }

    @Test func manyExpiredEventsAndAVanishingAuthorAreCountedByReading() async throws {
        let clock = TestClock()
        let store = try await EventStore(.memory, options: StoreOptions(keysInMemory: 1, now: { clock.now }))
        _ = try await store.ingest((0..<400).map { event(at: Int64($0), "\($0)", tags: [Tag("expiration", "2000")]) })
        #expect(try await store.count(matching: [Filter()]) == 400)
        clock.set(2_000)
        #expect(try await store.count(matching: [Filter()]) == 0)
    }
}
