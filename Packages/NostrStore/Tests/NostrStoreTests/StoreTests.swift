import Foundation
import NostrEvents
import NostrStore
import SQLite
import Testing

@Suite(.timeLimit(.minutes(10))) struct StoreTests {
    @Test func theExampleOfTheReadme() async throws {
        let scratch = try Scratch()
        let path = scratch.path
        let event = event(at: 100, "hello")

        let store = try await EventStore(.file(path))
        let outcome = try await store.ingest(event)
        let notes = try await store.events(matching: [Filter(kinds: [.textNote], limit: 20)])
        let count = try await store.count(matching: [Filter(kinds: [.textNote])])
        for try await part in store.stream(matching: [Filter()]) {
            for event in part { #expect(event.content == "hello") }
        }
        try await store.close()

        #expect(outcome == .stored)
        #expect(notes.map(\.json) == [event.json])
        #expect(count == 1)
    }

    /// Everything that JSON can make awkward.
    static let contents = [
        "", "plain", "quote \" backslash \\ slash / tab \t newline \n return \r",
        "control \u{1} \u{1f} \u{7f} nul \u{0}",
        "naïve 🦆 \u{2028}\u{2029} e\u{301}", String(repeating: "ab", count: 32), String(repeating: "x", count: 100_000),
    ]

    @Test(arguments: contents)
    func anEventComesBackByteForByte(content: String) async throws {
        let store = try await EventStore(.memory)
        let id = String(repeating: "0123456789abcdef", count: 4)
        let tags = [
            Tag("e", id), Tag("x", content, id, content), Tag(content), Tag(id), Tag("d", id.uppercased()),
            Tag("[", "]", ",", "\"", "\\"),
        ]
        let event = event(at: 9_007_199_254_740_991, content, tags: tags)
        #expect(try await store.ingest(event) == .stored)
        let found = try await store.events(matching: [Filter(ids: [event.id])])
        #expect(found.map(\.json) == [event.json])
        #expect(try Event(json: found[0].json).id == event.id)
    }

    @Test func whatWasMergedAndWhatWasNotIsThereAfterReopening() async throws {
        let scratch = try Scratch()
        for keys in [1, 50, 100_000] {
            let store = try await EventStore(scratch.location, options: StoreOptions(keysInMemory: keys))
            for number in 0..<30 {
                _ = try await store.ingest(event(at: Int64(number), "\(keys)", tags: [Tag("t", "x")]))
            }
            try await store.close()
            await #expect(throws: StoreError.database(.closed)) { _ = try await store.ingest(event()) }
        }
        let store = try await EventStore(scratch.location)
        #expect(try await store.count(matching: [Filter(tags: [.t: ["x"]])]) == 90)
        try await store.close()
    }

    @Test func aSecondStoreOnTheFileIsRefused() async throws {
        let scratch = try Scratch()
        let store = try await EventStore(scratch.location)
        await #expect(throws: StoreError.inUse(path: scratch.path)) { _ = try await EventStore(scratch.location) }
        try await store.close()
        let next = try await EventStore(scratch.location)
        #expect(try await next.ingest(event()) == .stored)
        try await next.close()
    }

    @Test func whatIsNoEventDatabaseIsRefusedAndLeft() async throws {
        let scratch = try Scratch()
        let other = Data("a diary, and nobody else's business\n".utf8) + Data(count: 2_000)
        try other.write(to: URL(fileURLWithPath: scratch.path))
        await #expect(throws: StoreError.database(.notADatabase(path: scratch.path))) {
            _ = try await EventStore(scratch.location)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: scratch.path)) == other)
        try FileManager.default.removeItem(atPath: scratch.path)
        try Connection(scratch.location).execute("CREATE TABLE notes(t TEXT) STRICT")
        await #expect(throws: StoreError.database(.otherSchema(path: scratch.path, found: "another program"))) {
            _ = try await EventStore(scratch.location)
        }
        let missing = scratch.folder.appendingPathComponent("no/events.db").path
        await #expect(throws: StoreError.database(.notFound(path: missing))) {
            _ = try await EventStore(.file(missing))
        }
    }

    @Test func aDamagedRowIsAnErrorThatNamesIt() async throws {
        let scratch = try Scratch()
        let store = try await EventStore(scratch.location)
        _ = try await store.ingest([event(at: 1), event(at: 2)])
        try await store.close()
        let connection = try Connection(scratch.location)
        try connection.execute("UPDATE event SET body = ?1 WHERE row = 2", [UInt8](repeating: 9, count: 200))
        let again = try await EventStore(scratch.location)
        await #expect(throws: StoreError.damagedEvent(row: 2)) { _ = try await again.events(matching: [Filter()]) }
        #expect(try await again.events(matching: [Filter(until: 1)]).count == 1)
        try await again.close()
    }

    @Test func writersAndReadersFromManyTasksAgree() async throws {
        let scratch = try Scratch()
        let store = try await EventStore(
            scratch.location,
            options: StoreOptions(synchronous: .normal, readers: 2, groupSize: 16, keysInMemory: 120)
        )
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask {
                    for number in 0..<40 {
                        let note = event(by: task, at: Int64(number), "\(task)", tags: [Tag("t", "\(number)")])
                        #expect(try await store.ingest(note) == .stored)
                        // What is acknowledged is found at once.
                        let found = try await store.events(matching: [
                            Filter(authors: [key(task)], tags: [.t: ["\(number)"]])
                        ])
                        #expect(found.map(\.id) == [note.id])
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.count(matching: [Filter()]) == 240)
        #expect(try await store.integrityCheck() == [])
        try await store.close()
    }

    @Test func theOperatorRemovesByID() async throws {
        let store = try await EventStore(.memory, options: StoreOptions(keysInMemory: 10))
        let notes = (0..<20).map { event(at: Int64($0)) }
        _ = try await store.ingest(notes)
        #expect(try await store.remove(notes.prefix(5).map(\.id) + [event(at: 77).id]) == 5)
        #expect(try await store.events(matching: [Filter()]).count == 15)
        let statistics = try await store.statistics()
        #expect(statistics.events == 15)
        #expect(statistics.bytes > 15 * 300)
        #expect(try await store.ingest(notes[0]) == .stored)
    }

    @Test func aBackupOpensAsAStore() async throws {
        let scratch = try Scratch()
        let store = try await EventStore(scratch.location)
        _ = try await store.ingest((0..<50).map { event(at: Int64($0)) })
        let copy = scratch.folder.appendingPathComponent("copy.db").path
        try await store.backUp(to: copy)
        try await store.close()
        let restored = try await EventStore(.file(copy))
        #expect(try await restored.count(matching: [Filter()]) == 50)
        try await restored.close()
    }

    @Test func aDeadlineEndsAQuery() async throws {
        let store = try await EventStore(.memory)
        _ = try await store.ingest((0..<500).map { event(at: Int64($0)) })
        await #expect(throws: StoreError.database(.deadlineExceeded)) {
            _ = try await store.events(matching: [Filter()], deadline: .now - .seconds(1))
        }
        #expect(try await store.events(matching: [Filter()], deadline: .now + .seconds(60)).count == 500)
    }

    @Test func anEventWithVeryManyTagsIsFoundByEach() async throws {
        let store = try await EventStore(.memory, options: StoreOptions(keysInMemory: 1_000))
        let follows = event(.followList, tags: (0..<5_000).map { Tag("t", "\($0)") })
        #expect(try await store.ingest(follows) == .stored)
        for value in ["0", "2500", "4999"] {
            #expect(try await store.count(matching: [Filter(tags: [.t: [value]])]) == 1)
        }
        #expect(try await store.ingest(event(.followList, at: 101)) == .stored)
        #expect(try await store.count(matching: [Filter(tags: [.t: ["2500"]])]) == 0)
    }

    @Test func codeThatIsNotAsynchronousIsToldWhatBecameOfItsEvents() async throws {
        let store = try await EventStore(.memory)
        // On another thread than the caller's, who may hold a lock that it takes.
        func told(_ events: [Event]) async -> Result<[IngestOutcome], StoreError> {
            await withCheckedContinuation { continuation in
                let caller = ObjectIdentifier(Thread.current)
                store.ingest(events) { result in
                    #expect(ObjectIdentifier(Thread.current) != caller)
                    continuation.resume(returning: result)
                }
            }
        }
        #expect(await told([event(), event(), event(at: 101)]) == .success([.stored, .duplicate, .stored]))
        #expect(await told([]) == .success([]))
        try await store.close()
        #expect(await told([event(at: 102)]) == .failure(.database(.closed)))
    }

    @Test func whatComesWhileTheDatabaseClosesIsStoredOrRefusedAndTheAnswerIsTrue() async throws {
        let events = (0..<60).map { event(at: Int64($0), "\($0)") }
        for round in 0..<10 {
            let scratch = try Scratch()
            let options = StoreOptions(synchronous: .normal, groupSize: 3)
            let store = try await EventStore(scratch.location, options: options)
            let stored = try await withThrowingTaskGroup(of: [EventID].self) { group in
                for part in [events[..<30], events[30...]] {
                    group.addTask {
                        var stored: [EventID] = []
                        for event in part {
                            do throws(StoreError) {
                                if try await store.ingest(event) == .stored { stored.append(event.id) }
                            } catch {
                                #expect(error == .database(.closed))
                            }
                        }
                        return stored
                    }
                }
                group.addTask {
                    // Another moment in each round.
                    while try await store.statistics().events < round * 3 { await Task.yield() }
                    try await store.close()
                    return []
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let again = try await EventStore(scratch.location)
            #expect(Set(try await again.events(matching: [Filter()]).map(\.id)) == Set(stored))
            try await again.close()
        }
    }
}
