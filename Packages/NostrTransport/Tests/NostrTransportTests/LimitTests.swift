import FaultyRelay
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import Testing
import WebSocket

/// Relays that take few subscriptions at once, few filters, or short messages.
@Suite(.timeLimit(.minutes(10)))
struct LimitTests {
    /// What a relay with limits saw and refused.
    private static func limit(
        _ relay: ScriptedRelay,
        subscriptions: Int = .max,
        filters: Int = .max,
        bytes: Int = .max
    ) async {
        await relay.follow { relay, session, message in
            guard case .request(let name, let asked) = message else { return relay.honest(session, message) }
            let open =
                session.subscriptions[name] == nil ? session.subscriptions.count + 1 : session.subscriptions.count
            session.counts["most open"] = max(session.counts["most open"] ?? 0, open)
            if open > subscriptions || asked.count > filters || message.json.count > bytes {
                session.counts["refused", default: 0] += 1
                return [.send(.closed(name, StatusMessage(.blocked, "over the limit")))]
            }
            return relay.honest(session, message)
        }
    }

    private static func kind(_ number: Int) -> Kind { Kind(rawValue: UInt16(1_000 + number)) }

    private static func event(_ number: Int, createdAt: Int64) -> Event {
        Event(kind: kind(number), content: "\(number)", createdAt: createdAt, signedBy: Sample.keys)
    }

    /// The names of what clients asked for, and what the relay has open now.
    private static func requests(_ relay: ScriptedRelay) async -> [(SubscriptionID, [Filter])] {
        await relay.received.compactMap {
            if case .request(let name, let filters) = $0 { (name, filters) } else { nil }
        }
    }

    /// What is open at the relay, by its own account.
    private static func open(_ relay: ScriptedRelay) async -> [SubscriptionID: [Filter]] {
        var open: [SubscriptionID: [Filter]] = [:]
        for message in await relay.received {
            switch message {
            case .request(let name, let filters): open[name] = filters
            case .close(let name): open[name] = nil
            default: break
            }
        }
        return open
    }

    // MARK: More subscriptions than the relay takes

    @Test(arguments: [1, 3, 20])
    func liveSubscriptionsShareRequestsWhereTheRelayTakesFew(_ limit: Int) async throws {
        let count = 7
        let rig = try Rig((0..<count).map { Self.event($0, createdAt: 1_700_000_000) }) { options in
            options.subscriptionsPerRelay = limit
        }
        await Self.limit(rig.relay, subscriptions: limit, filters: 10)
        var readers = (0..<count).map { Reader(rig.pool.subscribe([Filter(kinds: [Self.kind($0)])], to: [rig.url])) }
        for index in readers.indices { await readers[index].read { $0.pages.count == 1 } }
        let open = await Self.open(rig.relay)
        #expect(open.count <= limit)
        #expect(open.values.flatMap(\.self).count == count)
        if limit >= count { #expect(open.values.allSatisfy { $0.count == 1 }) }

        for number in 0..<count { await rig.relay.store(Self.event(number, createdAt: 1_700_000_100)) }
        for index in readers.indices { await readers[index].read { $0.events.count == 2 } }
        for (number, reader) in readers.enumerated() {
            #expect(reader.told.events.allSatisfy { $0.content == "\(number)" })
            #expect(reader.told.order == "ese")
            #expect(reader.told.pages.map(\.valid) == [1])
        }
        await rig.pool.shutDown()
    }

    @Test func aSubscriptionThatComesLaterIsTakenInByOneThatIsOpen() async throws {
        let rig = try Rig((0..<3).map { Self.event($0, createdAt: 1_700_000_000) }) { $0.subscriptionsPerRelay = 1 }
        await Self.limit(rig.relay, subscriptions: 1)
        var readers: [Reader] = []
        for number in 0..<3 {
            var reader = Reader(rig.pool.subscribe([Filter(kinds: [Self.kind(number)])], to: [rig.url]))
            await reader.read { $0.pages.count == 1 }
            #expect(reader.told.order == "es")
            readers.append(reader)
        }
        let requests = await Self.requests(rig.relay)
        #expect(requests.map(\.1.count) == [1, 2, 3])
        #expect(Set(requests.map(\.0)).count == 1)
        for number in 0..<3 { await rig.relay.store(Self.event(number, createdAt: 1_700_000_100)) }
        for index in readers.indices {
            await readers[index].read { $0.events.count == 2 }
            #expect(readers[index].told.order == "ese")
        }
        await rig.pool.shutDown()
    }

    @Test func aFetchGetsAPlaceBesideLiveSubscriptionsThatUseAll() async throws {
        let rig = try Rig(Sample.notes(5)) { $0.subscriptionsPerRelay = 2 }
        await Self.limit(rig.relay, subscriptions: 2)
        var first = Reader(rig.pool.subscribe([Filter(kinds: [Self.kind(1)])], to: [rig.url]))
        var second = Reader(rig.pool.subscribe([Filter(kinds: [Self.kind(2)])], to: [rig.url]))
        await first.read { $0.pages.count == 1 }
        await second.read { $0.pages.count == 1 }
        let fetched = await rig.pool.fetch([Filter(kinds: [.textNote])], from: [rig.url])
        #expect(fetched.events.count == 5 && fetched.isComplete)
        await rig.relay.store(Self.event(1, createdAt: 1_700_000_100))
        await rig.relay.store(Self.event(2, createdAt: 1_700_000_100))
        await first.read { $0.events.count == 1 }
        await second.read { $0.events.count == 1 }
        #expect(first.told.order == "se" && second.told.order == "se")
        await rig.pool.shutDown()
    }

    @Test func whatNobodyWantsAnyMoreIsNotAskedFor() async throws {
        let rig = try Rig((0..<3).map { Self.event($0, createdAt: 1_700_000_000) }) { $0.subscriptionsPerRelay = 1 }
        let subscriptions = (0..<3).map { rig.pool.subscribe([Filter(kinds: [Self.kind($0)])], to: [rig.url]) }
        var readers = subscriptions.map { Reader($0) }
        for index in readers.indices { await readers[index].read { $0.pages.count == 1 } }
        #expect(await Self.open(rig.relay).values.first?.count == 3)
        subscriptions[1].close()
        while await Self.open(rig.relay).values.first?.count != 2 { await Task.yield() }
        await rig.relay.store(Self.event(0, createdAt: 1_700_000_100))
        await rig.relay.store(Self.event(2, createdAt: 1_700_000_100))
        await readers[0].read { $0.events.count == 2 }
        await readers[2].read { $0.events.count == 2 }
        #expect(readers[0].told.order == "ese" && readers[2].told.order == "ese")
        subscriptions[0].close()
        subscriptions[2].close()
        while await !Self.open(rig.relay).isEmpty { await Task.yield() }
        await rig.pool.shutDown()
    }

    @Test func theSameEventGoesToAllThatShareARequestAndWantIt() async throws {
        let rig = try Rig([Self.event(1, createdAt: 1_700_000_000)]) { $0.subscriptionsPerRelay = 1 }
        let filters = [
            Filter(kinds: [Self.kind(1)]), Filter(authors: [Sample.keys.publicKey.bytes]),
            Filter(authors: [Sample.others.publicKey.bytes]),
        ]
        var readers = filters.map { Reader(rig.pool.subscribe([$0], to: [rig.url])) }
        for index in readers.indices { await readers[index].read { $0.pages.count == 1 } }
        #expect(readers.map(\.told.order) == ["es", "es", "s"])
        #expect(readers.map { $0.told.pages.map(\.received) } == [[1], [1], [0]])
        // A copy goes to nobody, and a stranger's event to nobody either.
        await rig.relay.store(Self.event(1, createdAt: 1_700_000_001))
        for index in 0..<2 { await readers[index].read { $0.events.count == 2 } }
        #expect(await rig.statistics()?.mismatched == 0)
        await rig.pool.shutDown()
    }

    @Test func aSharedRequestThatIsRefusedIsSentForEachAlone() async throws {
        let rig = try Rig((0..<4).map { Self.event($0, createdAt: 1_700_000_000) }) { $0.subscriptionsPerRelay = 3 }
        await rig.relay.follow { relay, session, message in
            guard case .request(let name, let filters) = message, filters.count > 1 else {
                return relay.honest(session, message)
            }
            return [.send(.closed(name, StatusMessage(.invalid, "one filter, please")))]
        }
        var readers = (0..<4).map { Reader(rig.pool.subscribe([Filter(kinds: [Self.kind($0)])], to: [rig.url])) }
        // All four went together; then three have places, and one waits.
        for index in 0..<3 { await readers[index].read { $0.pages.count == 1 } }
        await readers[3].read { $0.interruptions.count == 1 }
        await rig.loop.advance(by: .seconds(16))
        await readers[3].read { $0.interruptions.count == 2 }
        #expect(readers[3].told.interruptions.last == .subscriptionLimit(3))
        #expect(readers[0].told.order == "ies")

        // A minute later sharing is tried again, and this relay has learned it.
        await rig.relay.follow { $0.honest($1, $2) }
        for _ in 0..<60 {
            await rig.loop.advance(by: .seconds(1))
            for _ in 0..<50 { await Task.yield() }
        }
        await readers[3].read { $0.pages.count == 1 }
        #expect(readers[3].told.order == "iies")
        await rig.pool.shutDown()
    }

    @Test func aRelayThatSilentlyDropsASharedRequestDoesNotMakeItsMembersDeaf() async throws {
        let rig = try Rig((0..<2).map { Self.event($0, createdAt: 1_700_000_000) }) { $0.subscriptionsPerRelay = 1 }
        await rig.relay.follow { relay, session, message in
            guard case .request(_, let filters) = message, filters.count > 1 else {
                return relay.honest(session, message)
            }
            return []
        }
        var first = Reader(rig.pool.subscribe([Filter(kinds: [Self.kind(0)])], to: [rig.url]))
        await first.read { $0.pages.count == 1 }
        let other = rig.pool.subscribe([Filter(kinds: [Self.kind(1)])], to: [rig.url])
        await rig.relay.until { $0.received.count == 2 }
        await rig.loop.advance(by: .seconds(15))
        await first.read { $0.interruptions.count == 1 }
        #expect(first.told.interruptions == [.noAnswer(notice: nil)])
        await rig.loop.advance(by: .seconds(1))
        await first.read { $0.pages.count == 2 }
        await rig.relay.store(Self.event(0, createdAt: 1_700_000_100))
        await first.read { $0.events.count == 2 }
        other.close()
        await rig.pool.shutDown()
    }

    @Test func afterAReconnectionAllIsSharedAgain() async throws {
        let rig = try Rig((0..<5).map { Self.event($0, createdAt: 1_700_000_000) }) { $0.subscriptionsPerRelay = 2 }
        await Self.limit(rig.relay, subscriptions: 2)
        var readers = (0..<5).map { Reader(rig.pool.subscribe([Filter(kinds: [Self.kind($0)])], to: [rig.url])) }
        for index in readers.indices { await readers[index].read { $0.pages.count == 1 } }
        await rig.relay.dropAll()
        for index in readers.indices { await readers[index].read { $0.interruptions.count == 1 } }
        await rig.loop.advance(by: .seconds(2))
        for index in readers.indices { await readers[index].read { $0.pages.count == 2 } }
        #expect(readers.map(\.told.order) == [String](repeating: "esis", count: 5))
        await rig.pool.shutDown()
    }

    // MARK: Requests that are larger than the relay takes

    private static let topics = (0..<120).map { "topic-\($0)" }

    /// One event a second, each with a topic of its own.
    private static let tagged = topics.enumerated().map { number, topic in
        Event(
            kind: .textNote,
            content: topic,
            tags: [Tag("t", topic)],
            createdAt: 1_700_000_000 + Int64(number),
            signedBy: Sample.keys
        )
    }

    private static func wide(limit: Int? = nil) -> Filter {
        Filter(kinds: [.textNote], tags: [.t: TagValues(topics)], limit: limit)
    }

    @Test(arguments: [(600, 2), (600, 1), (1 << 20, 1)])
    func aRequestThatIsTooLongIsSentInParts(_ bytes: Int, _ subscriptions: Int) async throws {
        let rig = try Rig(Self.tagged) { options in
            options.webSocket.options.largestSentMessage = bytes
            options.subscriptionsPerRelay = subscriptions
        }
        await Self.limit(rig.relay, subscriptions: subscriptions, bytes: bytes)
        let fetched = await rig.pool.fetch([Self.wide()], from: [rig.url])
        #expect(fetched.failures.isEmpty)
        #expect(Set(fetched.events) == Set(Self.tagged) && fetched.events.count == Self.tagged.count)
        #expect(fetched.pages[rig.url]?.valid == Self.tagged.count)
        #expect(fetched.pages[rig.url]?.oldest == 1_700_000_000)
        let parts = await Self.requests(rig.relay).count
        #expect(bytes == 600 ? parts > 2 : parts == 1)
        #expect(await Self.open(rig.relay).isEmpty)
        await rig.pool.shutDown()
    }

    @Test(arguments: [0, 1, 10, 119, 120, 500])
    func theLimitOfARequestInPartsIsOneForAll(_ limit: Int) async throws {
        func fetch(_ bytes: Int) async throws -> (events: [Event], page: StoredPage?) {
            let rig = try Rig(Self.tagged) { $0.webSocket.options.largestSentMessage = bytes }
            await rig.relay.change { $0.givesHints = true }
            let fetched = await rig.pool.fetch([Self.wide(limit: limit)], from: [rig.url])
            await rig.pool.shutDown()
            return (fetched.events, fetched.pages[rig.url])
        }
        let (inParts, whole) = (try await fetch(600), try await fetch(1 << 20))
        #expect(inParts.events == whole.events)
        #expect(inParts.events.count == min(limit, Self.tagged.count))
        #expect(inParts.page == whole.page)
    }

    @Test func whatIsCutOffByTheLimitMayStillComeFromAnotherRelay() async throws {
        let old = Array(Self.tagged.prefix(5))
        let rig = try Rig(Self.tagged, old) { $0.webSocket.options.largestSentMessage = 600 }
        let fetched = await rig.pool.fetch([Self.wide(limit: 5)], from: rig.urls)
        #expect(Set(fetched.events) == Set(Self.tagged.suffix(5) + old))
        #expect(fetched.events.count == 10)
        await rig.pool.shutDown()
    }

    @Test func aLiveRequestInPartsTellsOneEndOfStoredEventsAndGoesOn() async throws {
        let rig = try Rig(Array(Self.tagged.prefix(100))) { $0.webSocket.options.largestSentMessage = 600 }
        var reader = Reader(rig.pool.subscribe([Self.wide()], to: [rig.url]))
        await reader.read { $0.pages.count == 1 }
        #expect(reader.told.order == String(repeating: "e", count: 100) + "s")
        for event in Self.tagged.suffix(20) { await rig.relay.store(event) }
        await reader.read { $0.events.count == 120 }
        #expect(reader.told.order.hasSuffix("s" + String(repeating: "e", count: 20)))
        await rig.relay.dropAll()
        await reader.read { $0.interruptions.count == 1 }
        await rig.loop.advance(by: .seconds(2))
        await reader.read { $0.pages.count == 2 }
        #expect(reader.told.events.count == 120)
        await rig.pool.shutDown()
    }

    @Test func aLiveRequestWithMorePartsThanTheRelayTakesIsRefusedAndOneThatFitsIsNot() async throws {
        let rig = try Rig(Self.tagged) { options in
            options.webSocket.options.largestSentMessage = 600
            options.subscriptionsPerRelay = 2
        }
        var reader = Reader(rig.pool.subscribe([Self.wide()], to: [rig.url]))
        await reader.readToEnd()
        #expect(reader.told.closures == [.subscriptionLimit(2)])
        let few = Filter(kinds: [.textNote], tags: [.t: TagValues(Self.topics.prefix(60))])
        var control = Reader(rig.pool.subscribe([few], to: [rig.url]))
        await control.read { $0.pages.count == 1 }
        #expect(control.told.events.count == 60)
        await rig.pool.shutDown()
    }

    @Test func thePartsEndTogetherOrNotAtAll() async throws {
        let rig = try Rig(Self.tagged) { $0.webSocket.options.largestSentMessage = 600 }
        await rig.relay.follow { relay, session, message in
            guard case .request = message, session.count("REQ") == 3 else { return relay.honest(session, message) }
            return relay.honest(session, message).dropLast()
        }
        let (pool, url, relay) = (rig.pool, rig.url, rig.relay)
        async let fetched = pool.fetch([Self.wide()], from: [url])
        while await rig.statistics()?.events != Self.tagged.count { await Task.yield() }
        await rig.loop.advance(by: .seconds(16))
        let result = await fetched
        #expect(result.failures == [url: .noAnswer(notice: nil)] && result.pages.isEmpty)
        while await !Self.open(relay).isEmpty { await Task.yield() }
        await pool.shutDown()
    }

    @Test func aRefusalOfOnePartRefusesTheRequest() async throws {
        let rig = try Rig(Self.tagged) { $0.webSocket.options.largestSentMessage = 600 }
        let status = StatusMessage(.blocked, "not that topic")
        await rig.relay.follow { relay, session, message in
            guard case .request(let name, _) = message, session.count("REQ") == 2 else {
                return relay.honest(session, message)
            }
            return [.send(.closed(name, status))]
        }
        let fetched = await rig.pool.fetch([Self.wide()], from: [rig.url])
        #expect(fetched.failures == [rig.url: .refused(status)] && fetched.pages.isEmpty)
        let control = await rig.pool.fetch([Self.wide()], from: [rig.url])
        #expect(control.isComplete && control.events.count == Self.tagged.count)
        await rig.pool.shutDown()
    }

    @Test func aFilterThatCannotBeCutIsRefusedWithItsSize() async throws {
        let rig = try Rig(Self.tagged) { $0.webSocket.options.largestSentMessage = 600 }
        let long = Filter(tags: [.t: [String(repeating: "x", count: 1_000)]])
        guard case .tooLarge(let bytes, limit: 600) = await rig.pool.fetch([long], from: [rig.url]).failures[rig.url]
        else {
            Issue.record("a request that is too long was sent")
            return
        }
        #expect(bytes > 1_000)
        #expect(await rig.pool.fetch([Self.wide(limit: 3)], from: [rig.url]).events.count == 3)
        await rig.pool.shutDown()
    }

    @Test func theFiltersThatTheRelayTakesInOneRequestAreKeptTo() async throws {
        let loop = try EventLoop()
        let relay = ScriptedRelay(on: loop, events: Self.tagged)
        await relay.change { $0.information = #"{"limitation":{"max_filters":2,"max_subscriptions":2}}"# }
        await Self.limit(relay, subscriptions: 2, filters: 2)
        let url = try await relay.listen()
        var options = TransportOptions()
        options.information = RelayInformationCache()
        let pool = try RelayPool(options: options, group: EventLoopGroup(loop))
        while await pool.add(url).relayInformation == nil { await Task.yield() }
        let filters = Self.topics.prefix(7).map { Filter(tags: [.t: [$0]], limit: 1) }
        let fetched = await pool.fetch(filters, from: [url])
        #expect(Set(fetched.events) == Set(Self.tagged.prefix(7)) && fetched.isComplete)
        #expect(await Self.requests(relay).map(\.1.count) == [2, 2, 2, 1])
        await pool.shutDown()
        await relay.stopListening()
    }
}
