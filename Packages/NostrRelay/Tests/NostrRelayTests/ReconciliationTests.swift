import Foundation
import Negentropy
import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import SQLite
import Sockets
import Testing

@Suite struct ReconciliationTests {
    private let alice = KeyPair.generate()

    func reconcile(_ client: TestClient, _ own: [Event], _ filter: Filter = Filter()) async throws
        -> (have: Set<EventID>, need: Set<EventID>)
    {
        let items = try own.map { try NegentropyItem(timestamp: UInt64($0.createdAt), id: $0.id) }
        var side = try NegentropyClient(InMemoryNegentropySet(items))
        let id = try SubscriptionID("sync")
        try await client.send(.reconcile(id, filter, side.openingMessage))
        var (have, need): (Set<EventID>, Set<EventID>) = ([], [])
        while true {
            switch try await client.next() {
            case .reconciliation(id, let answer):
                let step = try side.receive(answer)
                have.formUnion(step.have)
                need.formUnion(step.need)
                guard let next = step.next else {
                    try await client.send(.closeReconciliation(id))
                    return (have, need)
                }
                try await client.send(.reconciliation(id, next))
            case .challenge: continue
            case .reconciliationError(_, let status, let most):
                throw TestClient.Failure(description: "\(status.text) \(most.map(String.init) ?? "")")
            case let other: throw TestClient.Failure(description: "unexpected: \(other)")
            }
        }
    }

    @Test func itFindsWhatEitherSideLacks() async throws {
        try await withRelay { relay, store in
            let events = (0..<3_000).map { note("\($0)", by: alice, at: Int64(1_000 + $0 / 3)) }
            _ = try await store.ingest(Array(events[0..<2_900]))
            let client = try await TestClient(relay)
            let result = try await reconcile(client, Array(events[50...]))
            #expect(result.have == Set(events[2_900...].map(\.id)))
            #expect(result.need == Set(events[..<50].map(\.id)))
            let equal = try await reconcile(client, Array(events[0..<2_900]))
            #expect(equal.have.isEmpty && equal.need.isEmpty)
        }
    }

    @Test func aQueryAboutTooManyEventsIsRefusedWithTheLimit() async throws {
        var options = RelayOptions()
        options.limits.reconciliationEvents = 10
        try await withRelay(options) { relay, store in
            let events = (0..<11).map { note("\($0)", by: alice, at: Int64($0)) }
            _ = try await store.ingest(events)
            let client = try await TestClient(relay)
            await #expect(throws: TestClient.Failure.self) { try await reconcile(client, []) }
            let some = try await reconcile(client, [], Filter(since: 1))
            #expect(some.need.count == 10)
        }
    }

    @Test func othersGiftWrapsAreNotEvenNamed() async throws {
        var options = RelayOptions()
        options.protectsGiftWraps = true
        try await withRelay(options) { relay, store in
            let mine = note("m", by: .generate(), kind: .giftWrap, tags: [Tag("p", alice.publicKey.bytes.hex)])
            let other = note("o", by: .generate(), kind: .giftWrap, tags: [Tag("p", hex)])
            let plain = note("p", by: alice)
            _ = try await store.ingest([mine, other, plain])
            let client = try await TestClient(relay)
            let challenge = try await client.challenge()
            #expect(try await reconcile(client, []).need == [plain.id])
            #expect(try await client.authenticate(alice, challenge, relay).accepted)
            #expect(try await reconcile(client, []).need == [plain.id, mine.id])
            #expect(try await reconcile(client, [], Filter(kinds: [.giftWrap])).need == [mine.id])
        }
    }

    private let hex = KeyPair.generate().publicKey.bytes.hex

    @Test func nonsenseAndUnknownIdsAreAnsweredWithAnError() async throws {
        try await withRelay { relay, _ in
            let client = try await TestClient(relay)
            let id = try SubscriptionID("x")
            try await client.send(.reconciliation(id, [0x61]))
            guard case .reconciliationError(id, let unknown, _) = try await client.next() else {
                Issue.record("no error came")
                return
            }
            #expect(unknown.prefix == .closed)
            try await client.send(.reconcile(id, Filter(), [0x61, 0xFF]))
            guard case .reconciliationError(id, let malformed, _) = try await client.next() else {
                Issue.record("no error came")
                return
            }
            #expect(malformed.prefix == .invalid)
            #expect(try await reconcile(client, []).need == [])
        }
    }
}

/// Over a database in a file, whose large sets lie in files too.
@Suite struct LargeReconciliationTests {
    @Test func aSetThatIsTooLargeForMemoryIsReconciled() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("relay-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("events.db").path
        let store = try await EventStore(.file(path), options: StoreOptions(synchronous: .normal))
        let relay = try Relay(store: store, on: .ip(.loopback4, port: 0))
        let alice = KeyPair.generate()
        let events = (0..<18_000).map { note("\($0)", by: alice, at: Int64(1_000 + $0 / 700)) }
        for start in stride(from: 0, to: 17_990, by: 1_000) {
            _ = try await store.ingest(Array(events[start..<min(start + 1_000, 17_990)]))
        }
        let client = try await TestClient(relay)
        let tests = ReconciliationTests()
        let difference = try await tests.reconcile(client, Array(events[10...]))
        #expect(difference.have == Set(events[17_990...].map(\.id)))
        #expect(difference.need == Set(events[..<10].map(\.id)))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.allSatisfy { !$0.contains(".set-") })
        await client.close()
        await relay.close(within: .seconds(1))
        try await store.close()
    }
}
