import FaultyRelay
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import Testing
import WebSocket

/// Connecting again, states, and the limits that a relay tells.
@Suite(.timeLimit(.minutes(10)))
struct ConnectionTests {
    let filter = Filter(kinds: [.textNote])

    @Test func theWaitsDoubleUpToFiveMinutesAndAreNeverLonger() async throws {
        let rig = try Rig()
        let nowhere = try RelayURL("ws://nowhere.example")
        _ = rig.pool.add(nowhere)
        var waits: [Duration] = []
        for _ in 0..<11 {
            await rig.until(nowhere) { if case .failed = $0 { true } else { false } }
            guard case .failed(_, let wait?) = rig.pool.statuses[nowhere]?.state else { break }
            waits.append(wait)
            let failures = await rig.statistics(nowhere)?.failedAttempts ?? 0
            await rig.loop.advance(by: wait)
            while await rig.statistics(nowhere)?.failedAttempts == failures { await Task.yield() }
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300].map { .seconds($0) })
        await rig.pool.shutDown()
    }

    @Test func itIsKnownHowLongAnAnswerTookAndSinceWhenThereIsNoConnection() async throws {
        let rig = try Rig(Sample.notes(1))
        _ = rig.pool.add(rig.url)
        await rig.until { $0.isOpen }
        #expect(await rig.statistics()?.roundTrip == nil)
        _ = await rig.pool.fetch([filter], from: [rig.url])
        #expect(await rig.statistics()?.roundTrip != nil)
        #expect(await rig.statistics()?.failingSince == nil)
        await rig.relay.dropAll()
        await rig.until { if case .failed = $0 { true } else { false } }
        #expect(await rig.statistics()?.failingSince != nil)
        await rig.loop.advance(by: .seconds(1))
        await rig.until { $0.isOpen }
        #expect(await rig.statistics()?.failingSince == nil)

        let nowhere = try RelayURL("ws://nowhere.example")
        _ = rig.pool.add(nowhere)
        await rig.until(nowhere) { if case .failed = $0 { true } else { false } }
        let begun = await rig.statistics(nowhere)?.failingSince
        #expect(begun != nil)
        await rig.loop.advance(by: .seconds(1))
        while await rig.statistics(nowhere)?.failedAttempts != 2 { await Task.yield() }
        #expect(await rig.statistics(nowhere)?.failingSince == begun)
        await rig.pool.shutDown()
    }

    @Test(arguments: [(0.0, 1_000), (0.5, 750), (1.0, 500)])
    func jitterShortensAWaitByUpToHalf(_ random: Double, _ milliseconds: Int) async throws {
        let rig = try Rig { $0.random = { random } }
        let nowhere = try RelayURL("ws://nowhere.example")
        _ = rig.pool.add(nowhere)
        await rig.until(nowhere) { if case .failed(_, .milliseconds(milliseconds)) = $0 { true } else { false } }
        await rig.pool.shutDown()
    }

    @Test func onlyAConnectionThatLastedAMinuteMakesTheWaitsBeginAnew() async throws {
        let rig = try Rig()
        _ = rig.pool.add(rig.url)
        func dropAfter(_ seconds: Int) async -> Duration? {
            await rig.until { $0.isOpen }
            await rig.loop.advance(by: .seconds(seconds))
            await rig.relay.until { $0.openConnections == 1 }
            await rig.relay.dropAll()
            await rig.until { if case .failed = $0 { true } else { false } }
            guard case .failed(_, let wait?) = rig.pool.statuses[rig.url]?.state else { return nil }
            await rig.loop.advance(by: wait)
            return wait
        }
        #expect(await dropAfter(0) == .seconds(1))
        #expect(await dropAfter(30) == .seconds(2))
        #expect(await dropAfter(59) == .seconds(4))
        #expect(await dropAfter(60) == .seconds(1))
        #expect(await dropAfter(1) == .seconds(2))
        await rig.pool.shutDown()
    }

    @Test func aChangeOfNetworkEndsTheWait() async throws {
        let rig = try Rig()
        _ = rig.pool.add(rig.url)
        await rig.relay.until { $0.openConnections == 1 }
        await rig.relay.dropAll()
        await rig.until { if case .failed = $0 { true } else { false } }
        await rig.pool.networkChanged()
        await rig.until { $0.isOpen }
        await rig.pool.shutDown()
    }

    @Test func aDisabledRelayStaysAwayUntilItIsEnabled() async throws {
        let rig = try Rig(Sample.notes(2))
        let connection = rig.pool.add(rig.url)
        await rig.until { $0.isOpen }
        await connection.disable()
        await rig.until { $0 == .disabled }
        #expect(await rig.pool.fetch([filter], from: [rig.url]).failures == [rig.url: .disabled])
        let note = Sample.notes(1)[0]
        #expect(await rig.pool.publish(note, to: [rig.url])[note.id][rig.url] == .unavailable(.disabled))
        await connection.enable()
        #expect(await rig.pool.fetch([filter], from: [rig.url]).events.count == 2)
        await rig.pool.shutDown()
    }

    @Test func aDeadPeerIsFoundByTheMissingPong() async throws {
        let rig = try Rig()
        _ = rig.pool.add(rig.url)
        await rig.relay.until { $0.openConnections == 1 }
        await rig.until { $0.isOpen }
        await rig.relay.greet { _, _ in [] }
        await rig.relay.performOnAll([.stopReading])
        await rig.loop.advance(by: .milliseconds(75_500))
        await rig.until { if case .failed(.connection(.timedOut(.pong)), _) = $0 { true } else { false } }
        await rig.pool.shutDown()
    }

    @Test func requestsBeyondTheRelaysLimitWaitForRoom() async throws {
        let rig = try Rig(Sample.notes(3)) { $0.subscriptionsPerRelay = 2 }
        await rig.relay.follow { relay, session, message in
            guard case .request = message, session.count("REQ") <= 2 else { return relay.honest(session, message) }
            return relay.honest(session, message).dropLast()
        }
        let live = (0..<2).map { _ in rig.pool.subscribe([self.filter], to: [rig.url], options: .stored) }
        var first = Reader(live[0])
        var second = Reader(live[1])
        await first.read { $0.events.count == 3 }
        await second.read { $0.events.count == 3 }
        let (pool, url, filter) = (rig.pool, rig.url, filter)
        async let fetched = pool.fetch([filter], from: [url])
        // A message behind the request would have brought it along.
        #expect(await pool.publish(Sample.notes(1), to: [url]).isAccepted)
        #expect(await rig.relay.received.count { if case .request = $0 { true } else { false } } == 2)
        live[0].close()
        #expect(await fetched.events.count == 3)
        await pool.shutDown()
    }

    @Test func aRequestThatGetsNoRoomIsGivenUpWithTheLimit() async throws {
        let rig = try Rig(Sample.notes(3)) { $0.subscriptionsPerRelay = 1 }
        var live = Reader(rig.pool.subscribe([filter], to: [rig.url]))
        await live.read { $0.pages.count == 1 }
        let (pool, url, filter) = (rig.pool, rig.url, filter)
        async let fetched = pool.fetch([filter], from: [url])
        #expect(await pool.publish(Sample.notes(1), to: [url]).isAccepted)
        await rig.loop.advance(by: .seconds(16))
        #expect(await fetched.failures == [url: .subscriptionLimit(1)])
        await pool.shutDown()
    }

    @Test func theLimitsOfTheInformationDocumentAreKept() async throws {
        let loop = try EventLoop()
        let relay = ScriptedRelay(on: loop, events: Sample.notes(3))
        await relay.change { relay in
            relay.information = """
                {"limitation":{"max_message_length":1000,"max_subscriptions":1,"max_subid_length":4},"supported_nips":[1]}
                """
        }
        let url = try await relay.listen()
        var options = TransportOptions()
        options.information = RelayInformationCache()
        let pool = try RelayPool(options: options, group: EventLoopGroup(loop))
        while await pool.add(url).relayInformation == nil { await Task.yield() }

        let large = Event(
            kind: .textNote,
            content: String(repeating: "x", count: 1_000),
            createdAt: 1,
            signedBy: Sample.keys
        )
        guard case .tooLarge(_, limit: 1_000) = await pool.publish(large, to: [url])[large.id][url] else {
            Issue.record("a large event was sent")
            return
        }
        #expect(await pool.publish(Sample.notes(1), to: [url]).isAccepted)
        let long = Filter(tags: [.t: [String(repeating: "x", count: 1_000)]])
        guard case .tooLarge = await pool.fetch([long], from: [url]).failures[url] else {
            Issue.record("a large request was sent")
            return
        }
        // What can be cut goes in parts that are short enough.
        let wide = Filter(ids: Set(Sample.notes(20).map(\.id)))
        #expect(await pool.fetch([wide], from: [url]).events.count == 3)
        let sizes = await relay.received.map(\.json.count)
        #expect(sizes.allSatisfy { $0 <= 1_000 } && sizes.contains { $0 > 500 })
        var named = SubscriptionOptions.stored
        named.name = "too-long-for-it-"
        async let one = pool.fetch([filter], from: [url], options: named)
        async let two = pool.fetch([filter], from: [url], options: named)
        #expect(await [one.events.count, two.events.count] == [3, 3])
        let names = await relay.received.compactMap { if case .request(let name, _) = $0 { name.text } else { nil } }
        #expect(names.allSatisfy { $0.utf8.count <= 4 })
        await pool.shutDown()
        await relay.stopListening()
    }

    @Test func aPoolThatWasShutDownConnectsNoMore() async throws {
        let rig = try Rig(Sample.notes(3), Sample.notes(3))
        #expect(await rig.pool.fetch([filter], from: [rig.url]).events.count == 3)
        await rig.pool.shutDown()
        let failures = await rig.pool.fetch([filter], from: rig.urls).failures
        #expect(failures == [rig.urls[0]: .stopped, rig.urls[1]: .stopped])
        let note = Sample.notes(1)[0]
        #expect(await rig.pool.publish(note, to: [rig.url])[note.id][rig.url] == .unavailable(.stopped))
        var live = Reader(rig.pool.subscribe([filter], to: [rig.url]))
        await live.readToEnd()
        #expect(live.told.closures == [.stopped])
        #expect(await rig.relay.connections + rig.relays[1].connections == 1)
    }

    @Test func countsAreAnsweredOrRefused() async throws {
        let rig = try Rig(Sample.notes(7))
        let connection = rig.pool.add(rig.url)
        #expect(try await connection.count([filter]) == EventCount(count: 7))
        await rig.relay.follow { relay, session, message in
            guard case .count(let name, _) = message else { return relay.honest(session, message) }
            return [.send(.closed(name, StatusMessage(.unsupported, "no counting")))]
        }
        await #expect(throws: TransportError.refused(StatusMessage(.unsupported, "no counting"))) {
            try await connection.count([filter])
        }
        await rig.relay.follow { _, _, _ in [] }
        async let silent = Result<EventCount, TransportError> { try await connection.count([filter]) }
        await rig.relay.until { $0.received.count == 3 }
        await rig.loop.advance(by: .seconds(15))
        #expect(await silent == .failure(.noAnswer(notice: nil)))
        await rig.pool.shutDown()
    }

    @Test func statusUpdatesEndWithThePool() async throws {
        let rig = try Rig()
        let updates = rig.pool.statusUpdates()
        _ = rig.pool.add(rig.url)
        await rig.until { $0.isOpen }
        await rig.pool.shutDown()
        var last: RelayState?
        for await statuses in updates { last = statuses[rig.url]?.state ?? last }
        #expect(last != nil)
        #expect(rig.pool.statuses[rig.url]?.state == .disconnected)
    }
}

extension Result where Failure == TransportError {
    /// What an operation of this package came to.
    init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error as? TransportError ?? .badAnswer)
        }
    }
}
