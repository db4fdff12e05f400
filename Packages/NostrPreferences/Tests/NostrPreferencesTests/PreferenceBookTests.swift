import NostrCrypto
import NostrEvents
import NostrPreferences
import TestSupport
import Testing

@Suite("A book of preferences")
struct PreferenceBookTests {
    private let item = "alias:" + alice.hex

    private func stored(_ name: String?, at time: Int64) throws -> Event {
        try space.encode(LinkstrPreference.alias(alice, name: name), createdAt: time).event
    }

    @Test("makes an event of a choice, none when nothing changes, and dates it after the one before")
    func choices() throws {
        var book = Book(space: space)
        let first = try #require(try book.set(.alias(alice, name: "a"), now: 100))
        #expect(first.createdAt == 100 && book.pending == [first])
        #expect(try book.set(.alias(alice, name: "a"), now: 200) == nil)
        let second = try #require(try book.set(.alias(alice, name: "b"), now: 50))
        #expect(second.createdAt == 101 && book.pending == [second])
        #expect(book[item] == .alias(alice, name: "b"))
        #expect(try book.receive(stored("c", at: 10_000)) == .applied(.alias(alice, name: "c")))
        #expect(book.pending.isEmpty)
        #expect(try #require(try book.set(.alias(alice, name: "d"), now: 200)).createdAt == 10_001)
        #expect(try book.receive(stored("e", at: (1 << 53) - 1)) == .applied(.alias(alice, name: "e")))
        #expect(throws: PreferencesError.timeExhausted) { try book.set(.alias(alice, name: "f"), now: 200) }
        #expect(book[item] == .alias(alice, name: "e"))
    }

    @Test("takes what is newer, at the same time the lower id, and ignores the rest")
    func order() throws {
        let pair = [try stored("a", at: 5), try stored("b", at: 5)].sorted { $0.id < $1.id }
        for events in [pair, pair.reversed()] {
            var book = Book(space: space)
            for event in events { try book.receive(event) }
            #expect(book.stored(item)?.preference.event == pair[0])
            #expect(try book.receive(stored("c", at: 4)) == .stale)
        }
    }

    @Test("is done with an upload that was confirmed, unless the choice has changed meanwhile")
    func uploads() throws {
        var book = Book(space: space)
        try book.set(.alias(alice, name: "a"), now: 1)
        let started = book.startUpload()
        let first = try #require(started)
        #expect(book.startUpload() == nil, "one at a time")
        let second = try #require(try book.set(.alias(alice, name: "b"), now: 2))
        book.finishUpload(of: first.id, isAccepted: true)
        #expect(book.pending == [second])
        #expect(book.startUpload() == second)
        book.finishUpload(of: second.id, isAccepted: false)
        #expect(book.pending == [second], "what failed waits")
        #expect(book.startUpload() == second)
        book.finishUpload(of: second.id, isAccepted: true)
        #expect(book.pending.isEmpty && book.startUpload() == nil)
        try book.set(.alias(alice, name: "c"), now: 3)
        let third = try #require(book.pending.first)
        #expect(try book.receive(third) == .confirmed)
        #expect(book.pending.isEmpty, "a relay has it")
    }

    @Test("uploads the oldest choice first")
    func uploadOrder() throws {
        var book = Book(space: space)
        try book.set(.archive(sessionID: "B", isArchived: true), now: 2)
        try book.set(.archive(sessionID: "A", isArchived: true), now: 3)
        try book.set(.alias(alice, name: "a"), now: 1)
        #expect(book.pending.map(\.createdAt) == [1, 2, 3])
        #expect(book.records.map(\.itemKey) == [item, "archive:A", "archive:B"])
    }

    @Test("keeps records of items that nobody knows yet")
    func unknownItems() throws {
        var book = Book(space: space)
        try book.receive(space.encode(LinkstrPreference.archive(sessionID: "X", isArchived: true), createdAt: 1).event)
        #expect(book["archive:X"] == .archive(sessionID: "X", isArchived: true))
        #expect(book["archive:Y"] == nil)
    }

    @Test("seeds what has no record, after the history, and outranks no choice")
    func seeding() throws {
        var book = Book(space: space)
        let choices: [(record: LinkstrPreference, since: Int64)] = [
            (.alias(alice, name: "old"), 50), (.alias(bob, name: "old"), -7),
            (.archive(sessionID: "S", isArchived: true), 60),
        ]
        #expect(throws: PreferencesError.historyIncomplete) { try book.seed(choices, isHistoryComplete: false) }
        #expect(book.records.isEmpty)
        try book.receive(stored("new", at: 40))
        let events = try book.seed(choices, isHistoryComplete: true)
        #expect(events.map(\.createdAt) == [1, 60])
        #expect(book[item] == .alias(alice, name: "new") && book.pending.count == 2)
        #expect(try book.seed(choices, isHistoryComplete: true).isEmpty)
        let tooLarge = LinkstrPreference.alias(me.publicKey, name: String(repeating: "a", count: 70_000))
        let more = [
            (record: LinkstrPreference.archive(sessionID: "T", isArchived: true), since: Int64(1)), (tooLarge, 1),
        ]
        #expect(throws: PreferencesError.self) { try book.seed(more, isHistoryComplete: true) }
        #expect(book["archive:T"] == nil, "all or nothing")
    }

    @Test("comes back from storage with everything that waits")
    func storage() throws {
        var book = Book(space: space)
        try book.set(.alias(alice, name: "a"), now: 1)
        try book.set(.alias(bob, name: nil), now: 2)
        try book.receive(space.encode(LinkstrPreference.archive(sessionID: "S", isArchived: true), createdAt: 9).event)
        let again = try Book(json: book.json, space: space)
        #expect(again.json == book.json && again.pending == book.pending && again.records == book.records)
        #expect(try Book(json: Book(space: space).json, space: space).records.isEmpty)
        #expect(!String(decoding: book.json, as: UTF8.self).contains(alice.hex))
    }

    @Test("is not read when the storage is damaged, rather than to lose what waits")
    func damaged() throws {
        var book = Book(space: space)
        try book.set(.alias(alice, name: "a"), now: 1)
        let text = String(decoding: book.json, as: UTF8.self)
        #expect(throws: Never.self) { try Book(json: Array(text.utf8), space: space) }
        let row = text.dropFirst().dropLast()
        for damaged in [
            "", "{}", "[{}]", "[\(row),\(row)]", text.replacing("true", with: "1"),
            text.replacing("\"sig\":\"", with: "\"sig\":\"0"),
            text.replacing("\"created_at\":1", with: "\"created_at\":2"), String(text.dropLast()),
        ] {
            #expect(throws: PreferencesError.damagedStorage) { try Book(json: Array(damaged.utf8), space: space) }
        }
        let other = PreferenceSpace(namespace: LinkstrPreference.namespace, owner: KeyPair.generate())
        #expect(throws: PreferencesError.damagedStorage) { try Book(json: book.json, space: other) }
    }

    @Test("waits for all relays that can be reached before it is restored")
    func restore() throws {
        var restore = PreferenceRestore(relays: ["a", "b"])
        let (old, new) = (try stored("old", at: 1), try stored("new", at: 2))
        restore.receive(old)
        restore.finish("a")
        #expect(!restore.isComplete && restore.events == nil)
        restore.receive(new)
        restore.receive(Event(kind: .textNote, content: "", createdAt: 1, signedBy: me))
        restore.connect("c")
        restore.finish("b")
        #expect(restore.events == nil)
        restore.fail("c")
        #expect(restore.events == [new] && restore.missing == ["c"] && restore.finished == ["a", "b"])
        restore.connect("c")
        #expect(!restore.isComplete)
        restore.finish("c")
        #expect(restore.isComplete && restore.missing.isEmpty)
        var none = PreferenceRestore(relays: ["a"])
        none.fail("a")
        #expect(!none.isComplete && none.events == nil, "without an answer nothing is known")
        #expect(!PreferenceRestore(relays: []).isComplete)
    }
}

@Suite("Books that are merged")
struct MergingTests {
    /// Books that had the same events and choices in part, in different orders.
    private func books(_ random: inout SeededGenerator, pool: [Event]) throws -> [Book] {
        var books: [Book] = []
        for _ in 0..<3 {
            var book = Book(space: space)
            for event in pool.shuffled(using: &random).prefix(Int.random(in: 0...pool.count, using: &random)) {
                try book.receive(event)
            }
            if Bool.random(using: &random) { try book.set(.alias(alice, name: "mine"), now: 3) }
            // Another process has read what this one stored.
            books.append(book)
            if Bool.random(using: &random), var copy = books.last {
                if let event = copy.startUpload() { copy.finishUpload(of: event.id, isAccepted: true) }
                books.append(copy)
            }
        }
        return books
    }

    private func merged(_ books: [Book]) -> [UInt8] {
        books.dropFirst().reduce(into: books[0]) { $0.merge($1) }.json
    }

    @Test("give the same in any order and grouping, also when merged twice, and lose nothing that waits")
    func laws() throws {
        var pool: [Event] = []
        for time in [1, 2, 2, 3, 3, 4] as [Int64] {
            pool.append(try space.encode(LinkstrPreference.alias(alice, name: "\(pool.count)"), createdAt: time).event)
            pool.append(try space.encode(LinkstrPreference.alias(bob, name: nil), createdAt: time).event)
            let isOdd = time % 2 == 1
            let archive = LinkstrPreference.archive(sessionID: "S", isArchived: isOdd)
            pool.append(try space.encode(archive, createdAt: time).event)
        }
        var problems: [String] = []
        for seed in 0..<UInt64(Proof.count(100, in: "PREFERENCES_SEEDS")) {
            var random = SeededGenerator(seed: seed)
            let books = try books(&random, pool: pool)
            let expected = merged(books)
            if merged(books.shuffled(using: &random)) != expected { problems.append("\(seed): order") }
            if merged(books + books.shuffled(using: &random)) != expected { problems.append("\(seed): repetition") }
            var right = books[1]
            for book in books.dropFirst(2) { right.merge(book) }
            var left = books[0]
            left.merge(right)
            if left.json != expected { problems.append("\(seed): grouping") }
            var stored = try Book(json: expected, space: space)
            if stored.pending != left.pending { problems.append("\(seed): storage") }
            stored.merge(left)
            if stored.json != expected { problems.append("\(seed): again") }
        }
        #expect(problems.isEmpty, "\(problems.prefix(5))")
    }

    @Test("belong to one account and namespace")
    func foreign() throws {
        var book = Book(space: space)
        var other = Book(space: PreferenceSpace(namespace: "other/", owner: me))
        try other.set(.alias(alice, name: "a"), now: 1)
        book.merge(other)
        #expect(book.records.isEmpty)
        var same = Book(space: space)
        try same.set(.alias(alice, name: "a"), now: 1)
        book.merge(same)
        #expect(book.records.count == 1 && book.pending.count == 1)
    }
}
