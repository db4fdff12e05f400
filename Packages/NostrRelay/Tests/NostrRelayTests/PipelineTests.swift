import Locking
import NostrCrypto
import NostrEvents
import NostrStore
import SQLite
import Sockets
import Testing

@testable import NostrRelay

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The way of an event to the database, with announcements that a test holds back.
@Suite(.timeLimit(.minutes(10))) struct PipelineTests {
    private final class Announcements: Sendable {
        private let held = Locked<[(ids: [EventID], done: @Sendable () -> Void)]>([])

        func add(_ events: [Event], _ done: @escaping @Sendable () -> Void) {
            held.withLock { $0.append((events.map(\.id), done)) }
        }

        var ids: [EventID] { held.withLock { $0.flatMap(\.ids) } }

        func contains(_ id: EventID) -> Bool { ids.contains(id) }

        /// Lets every subscriber know.
        func finish() {
            let all = held.withLock { held in
                defer { held = [] }
                return held
            }
            for one in all { one.done() }
        }
    }

    private func wait(until condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while !condition() {
            guard ContinuousClock.now < deadline else {
                throw TestClient.Failure(description: "it did not come to that")
            }
            await Task.yield()
        }
    }

    /// A pipeline over a store, and how a client's event gets into it.
    private func withPipeline(
        _ policies: [any RelayPolicy] = [],
        _ body: (RelayCore, IngestPipeline, Announcements, @escaping @Sendable (Event) -> Void) async throws -> Void
    ) async throws {
        try await withRelay { relay, store in
            let core = try RelayCore(store: store, options: RelayOptions(), policies: policies, group: .shared)
            let announcements = Announcements()
            let pipeline = IngestPipeline(
                verifier: EventVerifier(
                    policies: core.policies,
                    counters: core.counters,
                    urls: { [] },
                    now: { 1_700_000_000 }
                ),
                store: store,
                counters: core.counters,
                cores: 2,
                byteLimit: 1 << 20,
                announce: { announcements.add($0, $1) }
            )
            let client = try await TestClient(relay)
            let session = Session(id: 1, core: core, shard: core.shards[0], connection: client.connection)
            try await body(core, pipeline, announcements) { event in
                let item = IngestItem(
                    event: event.wire,
                    purpose: .publish,
                    session: session,
                    client: RelayClient(id: 1),
                    size: 500
                )
                _ = pipeline.submit([item], from: session, mayVerify: true)
            }
            await client.close()
        }
    }

    /// Who asks for it in between would get it from the database and then once more as new.
    @Test func anEventThatComesAgainBeforeItWasAnnouncedStillWaitsForThat() async throws {
        try await withPipeline { _, pipeline, announcements, publish in
            let (first, second) = (note("first", by: .generate()), note("second", by: .generate()))
            publish(first)
            try await wait { announcements.contains(first.id) }
            #expect(pipeline.unannounced(among: [first.id]) == [first.id])
            publish(first)
            // Answered in order: when this is announced, the repetition was answered.
            publish(second)
            try await wait { announcements.contains(second.id) }
            #expect(pipeline.unannounced(among: [first.id, second.id]) == [first.id, second.id])
            announcements.finish()
            #expect(pipeline.unannounced(among: [first.id, second.id]).isEmpty)
        }
    }

    /// A client that goes on against a database that is closed is refused each time.
    @Test func aClosedDatabaseRefusesEveryEventAndWhatWasStoredBeforeIsAnnounced() async throws {
        try await withPipeline { core, pipeline, announcements, publish in
            let before = note("before", by: .generate())
            publish(before)
            try await wait { announcements.contains(before.id) }
            try await core.store.close()
            let keys = KeyPair.generate()
            let after = (0..<300).map { note("after \($0)", by: keys) }
            for event in after { publish(event) }
            try await wait { core.counters.eventsRefused.value == after.count }
            try await wait { pipeline.unannounced(among: after.map(\.id)).isEmpty }
            #expect(!after.contains { announcements.contains($0.id) })
            announcements.finish()
            #expect(pipeline.unannounced(among: [before.id]).isEmpty)
        }
    }

    /// Stops the first event, and counts those that its thread looks at.
    private final class FirstWatch: RelayPolicy {
        private struct State {
            var thread: pthread_t?
            var count = 0
            var isHeld = true
        }

        private let state = Locked(State())

        var count: Int { state.withLock { $0.count } }

        func release() { state.withLock { $0.isHeld = false } }

        func accept(_ event: Event, from client: RelayClient) -> PolicyDecision {
            let isFirst = state.withLock { state in
                let thread = state.thread ?? pthread_self()
                if pthread_equal(thread, pthread_self()) != 0 { state.count += 1 }
                defer { state.thread = thread }
                return state.thread == nil
            }
            let deadline = ContinuousClock.now + .seconds(30)
            while isFirst, state.withLock({ $0.isHeld }), ContinuousClock.now < deadline { sched_yield() }
            return .accept
        }
    }

    @Test func whatComesWhileALoopVerifiesIsVerifiedByOthersAndStoredBehindIt() async throws {
        let watch = FirstWatch()
        try await withPipeline([watch]) { core, _, announcements, publish in
            let keys = KeyPair.generate()
            let first = note("first", by: keys)
            let others = (0..<40).map { note("\($0)", by: keys) }
            // A thread that does nothing else, in place of a loop.
            DatabaseThread().perform { publish(first) }
            try await wait { watch.count == 1 }
            for event in others { publish(event) }
            watch.release()
            try await wait { announcements.ids.count == 41 }
            #expect(announcements.ids == ([first] + others).map(\.id))
            #expect(watch.count == 1)
            #expect(core.counters.eventsStored.value == 41)
            announcements.finish()
        }
    }

    /// Counts what a loop verifies itself in a turn, and can keep the loop waiting.
    private final class LoopWatch: RelayPolicy {
        let turns = Locked<[ContinuousClock.Instant: Int]>([:])
        let isHeld = Locked(false)
        private let loop: EventLoop

        init(_ loop: EventLoop) {
            self.loop = loop
        }

        func accept(_ event: Event, from client: RelayClient) -> PolicyDecision {
            if loop.isCurrent { turns.withLock { $0[loop.now, default: 0] += 1 } }
            return .accept
        }

        func answer(_ filters: [Filter], to client: RelayClient) -> PolicyDecision {
            let deadline = ContinuousClock.now + .seconds(30)
            while isHeld.withLock({ $0 }), ContinuousClock.now < deadline { sched_yield() }
            return .accept
        }
    }

    /// Or a crowd of clients with an event each would keep the others of the loop waiting for all of their signatures.
    @Test func aLoopVerifiesAnEventThatComesAloneButNotThoseOfManyClientsInOneTurn() async throws {
        let group = try EventLoopGroup(count: 1)
        let watch = LoopWatch(try group.next())
        let store = try await EventStore(.memory)
        let relay = try Relay(store: store, on: .ip(.loopback4, port: 0), policies: [watch], group: group)
        let keys = KeyPair.generate()
        let first = try await TestClient(relay)
        #expect(try await first.publish(note("alone", by: keys)).accepted)
        #expect(watch.turns.withLock { Array($0.values) } == [1])

        var clients: [TestClient] = []
        for _ in 0..<24 { clients.append(try await TestClient(relay)) }
        watch.isHeld.withLock { $0 = true }
        try await first.send(.request(SubscriptionID("held"), [Filter(limit: 0)]))
        let events = clients.indices.map { note("\($0)", by: keys) }
        for (client, event) in zip(clients, events) { try await client.send(.event(event.wire)) }
        watch.isHeld.withLock { $0 = false }
        for (client, event) in zip(clients, events) { #expect(try await client.ok(event.id).accepted) }
        #expect(watch.turns.withLock { $0.values.allSatisfy { $0 == 1 } })
        await relay.close(within: .seconds(1))
        try await store.close()
    }
}
