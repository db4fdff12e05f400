import FaultyRelay
import NostrEvents
import NostrTransport
import Sockets
import Testing
import WebSocket

@Suite(.timeLimit(.minutes(10)))
struct SubscriptionTests {
    let filter = Filter(kinds: [.textNote])

    @Test func storedEventsComeBeforeTheirEndAndNewOnesAfterIt() async throws {
        let notes = Sample.notes(200)
        let rig = try Rig(notes)
        var reader = Reader(rig.pool.subscribe([filter], to: [rig.url]))
        await reader.read { !$0.pages.isEmpty }
        #expect(reader.told.events == notes.reversed())
        #expect(reader.told.order == String(repeating: "e", count: 200) + "s")
        #expect(reader.told.pages[0].received == 200)
        #expect(reader.told.pages[0].oldest == notes[0].createdAt)
        let new = Sample.notes(1, start: 1_800_000_000)[0]
        await rig.relay.store(new)
        await reader.read { $0.events.count == 201 }
        #expect(reader.told.events.last == new)
        await rig.pool.shutDown()
    }

    @Test func anEventThatTwoRelaysHaveComesOnce() async throws {
        let notes = Sample.notes(40)
        let rig = try Rig(notes, notes)
        let result = await rig.pool.fetch([filter], from: rig.urls)
        #expect(result.isComplete)
        #expect(result.events.count == 40)
        #expect(Set(result.events) == Set(notes))
        #expect(result.pages.values.map(\.valid) == [40, 40])
        await rig.pool.shutDown()
    }

    @Test func afterAReconnectionTheSubscriptionIsMadeAgainAndNothingComesTwice() async throws {
        let notes = Sample.notes(20)
        let rig = try Rig(Array(notes[..<10]))
        var reader = Reader(rig.pool.subscribe([filter], to: [rig.url]))
        await reader.read { $0.pages.count == 1 }
        await rig.relay.dropAll()
        await reader.read { $0.interruptions.count == 1 }
        await rig.until { if case .failed = $0 { true } else { false } }
        for note in notes[10...] { await rig.relay.store(note) }
        await rig.loop.advance(by: .seconds(1))
        await reader.read { $0.pages.count == 2 }
        #expect(Set(reader.told.events) == Set(notes))
        #expect(reader.told.events.count == 20)
        #expect(reader.told.pages[1].received == 20)
        await rig.pool.shutDown()
    }

    @Test func closingASubscriptionClosesItOnTheRelay() async throws {
        let rig = try Rig(Sample.notes(3))
        let subscription = rig.pool.subscribe([filter], to: [rig.url])
        var reader = Reader(subscription)
        await reader.read { !$0.pages.isEmpty }
        subscription.close()
        await rig.relay.until { $0.received.contains { if case .close = $0 { true } else { false } } }
        await reader.readToEnd()
        #expect(reader.told.order == "eees")
        await rig.pool.shutDown()
    }

    @Test func cancellingTheReaderClosesTheSubscriptionOnTheRelay() async throws {
        let rig = try Rig(Sample.notes(3))
        let subscription = rig.pool.subscribe([filter], to: [rig.url])
        let task = Task {
            var reader = Reader(subscription)
            await reader.readToEnd()
            return reader.told.order
        }
        await rig.relay.until { !$0.received.isEmpty }
        task.cancel()
        await rig.relay.until { $0.received.contains { if case .close = $0 { true } else { false } } }
        _ = await task.value
        await rig.pool.shutDown()
    }

    @Test func aSlowConsumerHoldsTheRelayBackAndLosesNothing() async throws {
        let notes = Sample.notes(3_000)
        let rig = try Rig(notes, capacity: 4_096) { $0.receiveBacklog = 64 }
        var options = SubscriptionOptions.stored
        options.bufferBytes = 8_192
        var reader = Reader(rig.pool.subscribe([filter], to: [rig.url], options: options))
        await reader.read { $0.events.count == 1 }
        // Nobody has read meanwhile: what waits here is bounded, and the rest waits at the relay.
        let taken = await rig.statistics()?.messages ?? 0
        #expect(taken < 3_000)
        await reader.readToEnd()
        #expect(reader.told.events == notes.reversed())
        #expect(reader.told.closures == [nil])
        await rig.pool.shutDown()
    }

    @Test func largeEventsAreHeldBackByTheirBytes() async throws {
        let large = (0..<40).map { index in
            Event(
                kind: .textNote,
                content: String(repeating: "x", count: 100_000),
                createdAt: Int64(index),
                signedBy: Sample.keys
            )
        }
        let rig = try Rig(large) { options in
            options.receiveBacklogBytes = 300_000
            options.webSocket.options.receiveBufferBytes = 100_000
        }
        var options = SubscriptionOptions.stored
        options.bufferBytes = 100_000
        var reader = Reader(rig.pool.subscribe([filter], to: [rig.url], options: options))
        await reader.read { $0.events.count == 1 }
        let taken = await rig.statistics()?.messages ?? 0
        #expect(taken < 30)
        await reader.readToEnd()
        #expect(reader.told.events == large.reversed())
        await rig.pool.shutDown()
    }

    @Test func fetchStopsSomeTimeAfterTheFirstRelayWhenAsked() async throws {
        let notes = Sample.notes(5)
        let rig = try Rig(notes, [])
        await rig.relays[1].follow { _, _, _ in [] }
        let (pool, urls, filter) = (rig.pool, rig.urls, filter)
        async let fetched = pool.fetch([filter], from: urls, until: .first(grace: .seconds(1)))
        await rig.relay.until { $0.received.count == 2 }
        await rig.relays[1].until { $0.received.count == 1 }
        await rig.loop.advance(by: .seconds(1))
        let result = await fetched
        #expect(result.events.count == 5)
        #expect(result.failures == [urls[1]: .cancelled])
        await pool.shutDown()
    }

    @Test func fetchNamesTheRelaysThatFailed() async throws {
        let rig = try Rig(Sample.notes(5))
        let nowhere = try RelayURL("ws://nowhere.example")
        let result = await rig.pool.fetch([filter], from: [nowhere, rig.url])
        #expect(result.events.count == 5)
        #expect(result.failures.keys.map { $0 } == [nowhere])
        await rig.pool.shutDown()
    }

    @Test func fetchKeepsNoMoreThanItsLimit() async throws {
        let rig = try Rig(Sample.notes(30))
        let result = await rig.pool.fetch([filter], from: [rig.url], limit: 10)
        #expect(result.events.count == 10)
        #expect(result.failures == [rig.url: .tooMuch(limit: 10)])
        await rig.pool.shutDown()
    }
}
