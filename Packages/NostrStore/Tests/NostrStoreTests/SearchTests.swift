import NostrEvents
import NostrStore
import SQLite
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct SearchTests {
    private static let words = ["orange", "purple", "apple", "relay", "Nostr", "über", "AND", "NEAR", "x*y", "\"q\""]

    private func found(_ store: EventStore, _ search: String, _ filter: Filter = Filter()) async throws -> [EventID] {
        var filter = filter
        filter.search = search
        return try await store.ids([filter])
    }

    @Test func aSearchFindsWhatHasAllItsWordsAndNothingElse() async throws {
        let store = try await EventStore(.memory, options: StoreOptions(searchKinds: [.textNote]))
        var random = SeededGenerator(seed: 7)
        var notes: [(event: Event, words: Set<String>)] = []
        for number in 0..<300 {
            let words = (0..<Int.random(in: 0...5, using: &random)).compactMap { _ in
                Self.words.randomElement(using: &random)
            }
            notes.append((event(at: Int64(number), words.joined(separator: ", ")), Set(words)))
        }
        _ = try await store.ingest(notes.map(\.event))
        // Some are deleted again.
        for (note, _) in notes.prefix(50) {
            _ = try await store.ingest(event(.deletion, at: 500, tags: [Tag("e", note.id.hex)]))
        }
        notes.removeFirst(50)
        for first in Self.words {
            for second in Self.words {
                let wanted = notes.filter { $0.words.isSuperset(of: [first, second]) }.map(\.event.id)
                #expect(Set(try await found(store, "\(first)  \(second)")) == Set(wanted), "\(first) \(second)")
            }
        }
        let wanted = notes.filter { $0.words.contains("apple") && $0.event.createdAt >= 200 }.count
        #expect(try await found(store, "apple language:en", Filter(since: 200)).count == wanted)
        #expect(try await found(store, "apple", Filter(limit: 3)).count == 3)
        #expect(try await found(store, "APPLE").count == found(store, "apple").count)
        #expect(try await found(store, "Uber").count == found(store, "über").count)
        #expect(try await found(store, "nothing") == [])
        #expect(try await store.integrityCheck() == [])
    }

    @Test func theBestMatchComesFirstAndOthersBehindIt() async throws {
        let store = try await EventStore(.memory, options: StoreOptions(searchKinds: [.textNote]))
        let best = event(at: 1, "orange orange orange")
        let good = event(at: 2, "an orange among very many other words that are about something else")
        let other = event(.reaction, at: 3, "+")
        _ = try await store.ingest([best, good, other])
        #expect(try await found(store, "orange") == [best.id, good.id])
        let filters = [Filter(limit: 10), Filter(search: "orange")]
        #expect(try await store.ids(filters) == [best.id, good.id, other.id])
        var parts: [[EventID]] = []
        for try await part in store.stream(matching: filters, partSize: 1) { parts.append(part.map(\.id)) }
        #expect(parts == [[best.id], [good.id], [other.id]])
        #expect(try await store.count(matching: filters) == 3)
        // Nothing but extensions is no search.
        #expect(try await found(store, "include:spam", Filter(kinds: [.reaction])) == [other.id])
    }

    @Test func aSearchIsGivenInPartsThatAreBoundedInBytes() async throws {
        let store = try await EventStore(.memory, options: StoreOptions(searchKinds: [.textNote]))
        let text = String(repeating: "orange ", count: 1_500)
        let notes = (0..<40).map { event(at: Int64($0), "\($0) " + text) } + [event(.reaction, at: 50, "+")]
        _ = try await store.ingest(notes)
        let filters = [Filter(search: "orange"), Filter(kinds: [.reaction])]
        let whole = try await store.ids(filters)
        #expect(whole.count == 41)
        var (parts, largest): ([EventID], Int) = ([], 0)
        var state: QueryState?
        repeat {
            let page = try await store.page(matching: filters, from: state, count: 100, bytes: 50_000)
            parts += page.events.map(\.id)
            largest = max(largest, page.events.count)
            // What is deleted before its turn does not come.
            if state == nil { try await store.remove([whole[20]]) }
            state = page.next
        } while state != nil
        #expect(parts == whole.filter { $0 != whole[20] })
        #expect(largest == 5)
    }

    @Test(arguments: ["\"", "a\"b", "(", "*", "^x", "-x", "col:", ":", "a:b:c", "\u{0}", "' OR 1", "NEAR(", "ü\u{308}"])
    func oddSearchesAreJustWords(search: String) async throws {
        let store = try await EventStore(.memory, options: StoreOptions(searchKinds: [.textNote]))
        #expect(try await store.ingest(event(at: 1, "something else")) == .stored)
        #expect(try await found(store, search) == [])
        #expect(try await found(store, "something").count == 1)
    }

    @Test func theIndexFollowsTheOptions() async throws {
        let scratch = try Scratch()
        let plain = try await EventStore(scratch.location)
        _ = try await plain.ingest(event(at: 1, "orange"))
        await #expect(throws: StoreError.searchUnavailable) { _ = try await found(plain, "orange") }
        try await plain.close()
        for kinds: Set<NostrEvents.Kind> in [[.textNote], [.textNote, .longFormText]] {
            let store = try await EventStore(scratch.location, options: StoreOptions(searchKinds: kinds))
            #expect(try await found(store, "orange").count == 1)
            try await store.close()
        }
        let other = try await EventStore(scratch.location, options: StoreOptions(searchKinds: [.metadata]))
        #expect(try await found(other, "orange") == [])
        try await other.close()
    }
}
