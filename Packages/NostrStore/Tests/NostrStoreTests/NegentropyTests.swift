import Foundation
import Negentropy
import NostrCrypto
import NostrEvents
import SQLite
import TestSupport
import Testing

@testable import NostrStore

@Suite(.timeLimit(.minutes(10))) struct NegentropyTests {
    @Test func theSetHoldsTheMatchingEventsOldestFirst() async throws {
        let store = try await EventStore(.memory, options: StoreOptions(keysInMemory: 100))
        let notes = (0..<60).map { event(by: $0 % 2, at: 100 + Int64($0 / 7), "\($0)", tags: [Tag("t", "\($0 % 3)")]) }
        _ = try await store.ingest(notes.shuffled())
        for filter in [Filter(), Filter(authors: [key(1)], since: 102), Filter(tags: [.t: ["2"]])] {
            let set = try await store.negentropySet(matching: [filter])
            let wanted = notes.filter { filter.matches($0) }
                .sorted { $0.createdAt != $1.createdAt ? $0.createdAt < $1.createdAt : $0.id < $1.id }
            #expect(try set.ids(in: 0..<set.count) == wanted.map(\.id))
            #expect(set.count > 0)
        }
        await #expect(throws: StoreError.tooManyEvents(limit: 59)) {
            _ = try await store.negentropySet(matching: [Filter()], maximum: 59)
        }
        #expect(try await store.negentropySet(matching: [Filter()], maximum: 60).count == 60)
    }

    @Test func someMatchesCanBeLeftOutAndSearchesAreRefused() async throws {
        let store = try await EventStore(.memory)
        let notes = (0..<20).map { event(by: $0 % 2, at: Int64($0), "\($0)") }
        _ = try await store.ingest(notes)
        let author = key(1)
        let set = try await store.negentropySet(matching: [Filter(since: 5), Filter(ids: [notes[1].id])]) {
            $0.pubkey == author
        }
        #expect(
            try set.ids(in: 0..<set.count)
                == stride(from: 1, to: 20, by: 2).filter { $0 == 1 || $0 >= 5 }.map { notes[$0].id }
        )
        await #expect(throws: StoreError.searchUnavailable) {
            _ = try await store.negentropySet(matching: [Filter(), Filter(search: "x")])
        }
    }
}

/// Sets so large that they lie in a file.
@Suite(.timeLimit(.minutes(10))) struct EventSetTests {
    /// Items in the order of NIP-01, with runs of equal times of all lengths, one longer than what memory holds.
    private static func items(_ count: Int) throws -> [NegentropyItem] {
        var random = SeededGenerator(seed: 11)
        return try (0..<count).map { number in
            let time = number < 25_000 ? 500 : UInt64.random(in: 0...1_000, using: &random)
            return try NegentropyItem(timestamp: time, id: EventID(SHA256.hash("\(number)")))
        }.sorted { $0.timestamp != $1.timestamp ? $0.timestamp > $1.timestamp : $0.id < $1.id }
    }

    private static func set(_ items: [NegentropyItem], beside path: String?) throws -> EventSet {
        var builder = EventSetBuilder(beside: path)
        for item in items { try builder.append(item) }
        return try builder.finish()
    }

    @Test(arguments: [0, 1, 255, 256, 257, 16_384, 16_385, 60_000])
    func itIsTheSameAsOneInMemory(count: Int) throws {
        let scratch = try Scratch()
        let items = try Self.items(count)
        let wanted = InMemoryNegentropySet(items)
        let set = try Self.set(items, beside: scratch.path)
        #expect(set.count == count)
        var random = SeededGenerator(seed: 12)
        var differences = 0
        for _ in 0..<200 where count > 0 {
            let index = Int.random(in: 0..<count, using: &random)
            if try set.item(at: index) != wanted.item(at: index) { differences += 1 }
            let end = Int.random(in: index...count, using: &random)
            if try set.sum(of: index..<end) != wanted.sum(of: index..<end) { differences += 1 }
            if try set.ids(in: index..<min(end, index + 1_000)) != wanted.ids(in: index..<min(end, index + 1_000)) {
                differences += 1
            }
        }
        #expect(differences == 0)
        #expect(try set.ids(in: 0..<count) == wanted.ids(in: 0..<count))
        #expect(try set.sum(of: 0..<count) == wanted.sum(of: 0..<count))
    }

    @Test func aSetInAFileIsReconciledAndLeavesNothingBehind() throws {
        let scratch = try Scratch()
        let items = try Self.items(40_000)
        let set = try Self.set(Array(items[100...]), beside: scratch.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) == [])
        var client = try NegentropyClient(InMemoryNegentropySet(items[..<39_900]))
        let server = try NegentropyServer(set)
        var (have, need): (Set<EventID>, Set<EventID>) = ([], [])
        var message = Optional(client.openingMessage)
        while let next = message {
            let step = try client.receive(server.respond(to: next))
            have.formUnion(step.have)
            need.formUnion(step.need)
            message = step.next
        }
        #expect(have == Set(items[..<100].map(\.id)))
        #expect(need == Set(items[39_900...].map(\.id)))
    }

    @Test func aFileThatCannotBeMadeIsAnErrorAndSmallSetsNeedNone() throws {
        let nowhere = "/nonexistent-folder/events.db"
        let items = try Self.items(30_000)
        #expect(try Self.set(Array(items[..<1_000]), beside: nowhere).count == 1_000)
        #expect(throws: StoreError.temporaryFile(path: nowhere, reason: "No such file or directory")) {
            _ = try Self.set(items, beside: nowhere)
        }
        #expect(try Self.set(items, beside: nil).count == 30_000)
    }
}
