import Locking
import NostrCrypto
import NostrEvents
import SQLite
import TestSupport
import Testing

@testable import NostrStore

@Suite(.timeLimit(.minutes(10))) struct QueryPartsTests {
    @Test(arguments: [UInt64(201), 202, 203], [1, 3, 50])
    func aQueryThatPausesGivesTheSameAsOneThatDoesNot(seed: UInt64, budget: Int) async throws {
        let store = try await EventStore(.memory, options: StoreOptions(keysInMemory: 60, now: { 0 }))
        var traffic = RandomTraffic(seed: seed)
        _ = try await store.ingest((0..<200).map { _ in traffic.event() })
        var differences: [String] = []
        var pauses = 0
        for _ in 0..<60 {
            let filters = traffic.filters()
            let whole = try await store.ids(filters)
            let most = traffic.number(1...5)
            let (parts, count): ([EventID], Int) = try await store.writer.read(nil) { reader in
                var (ids, parts): ([EventID], Int) = ([], 0)
                var state: QueryState? = .start(filters)
                while let from = state, parts < 2_000 {
                    var query = try Query(filters, reader, now: 0, from: from, budget: budget)
                    var given = 0
                    while given < most, let match = try query.next() {
                        ids.append(match.id)
                        given += 1
                    }
                    state = query.state
                    parts += 1
                }
                return (ids, parts)
            }
            pauses += count
            if parts != whole { differences.append("\(parts.count) instead of \(whole.count) for \(filters)") }
        }
        #expect(differences.isEmpty, "\(differences.prefix(3))")
        #expect(pauses > 60)
    }

    @Test func furtherPartsLeaveAReaderToFirstOnes() async {
        let turns = ReadTurns(2)
        await turns.take(.further)
        let second = Task { await turns.take(.further) }
        while turns.waitingCount == 0 { await Task.yield() }
        await turns.take(.first)
        #expect(turns.waitingCount == 1)
        turns.give(.first)
        #expect(turns.waitingCount == 1)
        turns.give(.further)
        await second.value
        #expect(turns.waitingCount == 0)
    }

    @Test func firstPartsComeBeforeFurtherOnesButNotForEver() async throws {
        let turns = ReadTurns(1)
        await turns.take(.first)
        let order = Locked<[String]>([])
        await withTaskGroup(of: Void.self) { group in
            func add(_ name: String, _ part: ReadTurns.Part, _ position: Int) async {
                group.addTask {
                    await turns.take(part)
                    order.withLock { $0.append(name) }
                    turns.give(part)
                }
                while turns.waitingCount < position { await Task.yield() }
            }
            for number in 0..<2 { await add("further \(number)", .further, number + 1) }
            for number in 0..<12 { await add("first \(number)", .first, number + 3) }
            turns.give(.first)
            await group.waitForAll()
        }
        var wanted = (0..<12).map { "first \($0)" }
        wanted.insert("further 0", at: 8)
        wanted.append("further 1")
        let found = order.withLock { $0 }
        #expect(found == wanted)
    }
}

@Suite struct PartsTests {
    /// The test vector of the paper: key 00 01 … 0f, messages of no byte and of 00 … 0e.
    @Test(arguments: [(0, 0x726f_db47_dd0e_0e31), (15, 0xa129_ca61_49be_45e5)] as [(Int, UInt64)])
    func sipHashIsThatOfThePaper(count: Int, expected: UInt64) {
        let bytes = (0..<UInt8(count)).map { $0 }
        var atOnce = SipHash(key0: 0x0706_0504_0302_0100, key1: 0x0f0e_0d0c_0b0a_0908)
        var single = atOnce
        bytes.withUnsafeBytes { atOnce.update($0) }
        single.update(bytes)
        #expect(atOnce.finalize() == expected)
        #expect(single.finalize() == expected)
    }

    @Test func placesSortAsTheEventsDo() {
        let events = (0..<200).map { event(at: 100 + Int64($0 % 3), "\($0)") }
        let byEvent = events.sorted { $0.createdAt != $1.createdAt ? $0.createdAt > $1.createdAt : $0.id < $1.id }
        let byPlace = events.sorted { Place($0.createdAt, $0.id) < Place($1.createdAt, $1.id) }
        #expect(byPlace == byEvent)
    }

    @Test func sortedEntriesStaySortedWhateverTheOrder() {
        var random = SeededGenerator(seed: 1)
        var entries = SortedEntries()
        var expected: [IndexEntry] = []
        for _ in 0..<5_000 {
            let entry = IndexEntry(
                key: Int64.random(in: 0...5, using: &random),
                kind: 0,
                place: Place(age: Int64.random(in: 0...500, using: &random), tie: 0),
                row: Int64.random(in: 0...1_000_000, using: &random)
            )
            entries.insert(entry)
            expected.append(entry)
        }
        #expect(entries.all == expected.sorted())
    }

    @Test func bytesThatAreNoPackedEventAreRefused() {
        let packed = PackedEvent.pack(event(tags: [Tag("t", "x")]), expiration: 7)
        #expect(packed.withUnsafeBytes { PackedEvent($0)?.expiration } == 7)
        for count in 0..<130 {
            #expect(packed.prefix(count).withUnsafeBytes { PackedEvent($0) } == nil)
        }
        var other = packed
        other[0] = 2
        #expect(other.withUnsafeBytes { PackedEvent($0) } == nil)
        // A length that reaches behind the end.
        var long = Array(packed.prefix(129))
        long += [1, 1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]
        #expect(long.withUnsafeBytes { PackedEvent($0) } == nil)
    }

    @Test(arguments: [
        ("30023:\(hex(0)):x", true), ("30023:\(hex(0)):", true), ("30023:\(hex(0)):x:y", true),
        ("10002:\(hex(0)):", true),
        ("10002:\(hex(0)):x", false), ("1:\(hex(0)):", false), ("030023:\(hex(0)):x", false),
        ("30023:\(hex(0))", false),
        ("30023:abc:x", false), ("99999:\(hex(0)):x", false), ("", false), ("::", false),
    ])
    func addressesAreReadStrictly(text: String, isAddress: Bool) {
        #expect((Address(text) != nil) == isAddress)
    }

    @Test func aPlanWalksTheShortestLists() async throws {
        let opening = try StoreOpening(.memory, StoreOptions())
        var memory = Memtable()
        var row: Int64 = 0
        func add(_ event: Event) throws {
            row += 1
            for entry in opening.keys.entries(of: event, row: row) { memory.active.entries.insert(entry) }
        }
        for number in 0..<300 {
            try add(event(by: 0, at: Int64(number), tags: [Tag("t", "common"), Tag("r", "\(number)")]))
        }
        try add(event(by: 1, at: 5, tags: [Tag("t", "common"), Tag("e", String(repeating: "a", count: 64))]))
        let reader = IndexReader(connection: opening.connection, memory: memory, keys: opening.keys)
        func lists(_ filter: Filter) throws -> [KeyList]? {
            guard
                case .lists(let lists) = try FilterPlan(
                    filter,
                    reader,
                    from: Place(age: .min, tie: .min),
                    oldest: 0
                )
            else { return nil }
            return lists
        }
        let rare = KeyList(key: opening.keys.tag(.r, "7"), kind: 1)
        let author = KeyList(key: opening.keys.author(key(1)), kind: 1)
        #expect(try lists(Filter(kinds: [1], tags: [.t: ["common"], .r: ["7"]])) == [rare])
        #expect(try lists(Filter(authors: [key(0)], tags: [.r: ["7"]])) == [rare])
        #expect(try lists(Filter(authors: [key(1)], tags: [.t: ["common"]])) == [author])
        #expect(try lists(Filter(kinds: [7])) == [KeyList(key: IndexKeys.kind, kind: 7)])
        #expect(try lists(Filter()) == [KeyList(key: IndexKeys.all, kind: 0)])
        // A thousand authors: their own lists, of which one exists, and not the list of all events.
        let many = Set((0..<999).map { SHA256.hash(Array("\($0)".utf8)) } + [key(1)])
        #expect(try lists(Filter(authors: many)) == [author])
        #expect(try lists(Filter(authors: many, kinds: [1]))?.count == 1_000)
        guard case .nothing = try FilterPlan(Filter(kinds: []), reader, from: Place(age: .min, tie: .min), oldest: 0)
        else {
            Issue.record("an empty list of kinds matches something")
            return
        }
    }
}
