import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import SQLite
import Sockets
import Testing
import WebSocket

/// What a client may not do, and that others do not notice.
@Suite struct BoundsTests {
    private let alice = KeyPair.generate()

    private func options(_ change: (inout RelayLimits) -> Void) -> RelayOptions {
        var options = RelayOptions()
        change(&options.limits)
        return options
    }

    /// Publishing and reading work for a client that does no harm.
    private func checkGoodClient(_ relay: Relay, _ text: String) async throws {
        let client = try await TestClient(relay)
        let event = note(text, by: .generate())
        #expect(try await client.publish(event).accepted)
        #expect(try await client.fetch(Filter(ids: [event.id])) == [event.id])
        await client.close()
    }

    private func closing(of client: TestClient) async throws -> CloseStatus {
        while true {
            let batch: [WebSocketMessage]
            do {
                batch = try await within(.seconds(20)) { try await client.connection.receiveBatch() }
            } catch is WebSocketError {
                break
            }
            if batch.isEmpty { break }
        }
        return try #require(await client.connection.closeStatus)
    }

    @Test func subscriptionsBeyondTheLimitAreClosedAndThoseWithinItWork() async throws {
        try await withRelay(options { $0.subscriptions = 10 }) { relay, _ in
            let client = try await TestClient(relay)
            for number in 0..<10_000 {
                try await client.send(.request(SubscriptionID("s\(number)"), [Filter(kinds: [1])]))
            }
            var (closed, complete) = (0, 0)
            for _ in 0..<10_000 {
                switch try await client.next() {
                case .closed(_, let status): closed += status.prefix == .rateLimited ? 1 : 0
                case .endOfStoredEvents: complete += 1
                default: break
                }
            }
            #expect(closed == 9_990)
            #expect(complete == 10)
            #expect(relay.metrics.subscriptions == 10)
            try await checkGoodClient(relay, "good")
            await client.close()
        }
    }

    @Test func filtersThatAreTooManyOrTooLargeAreRefused() async throws {
        try await withRelay(options { ($0.filters, $0.filterValues) = (3, 100) }) { relay, _ in
            let client = try await TestClient(relay)
            let three = try await client.stored([Filter(kinds: [1]), Filter(kinds: [2]), Filter(kinds: [3])])
            #expect(three.ids == [])
            func refusal(_ filters: [Filter]) async throws -> String {
                do {
                    _ = try await client.stored(filters)
                    return "none"
                } catch let failure as TestClient.Failure {
                    return failure.description
                }
            }
            let four = try await refusal((0..<4).map { Filter(kinds: [Kind(rawValue: $0)]) })
            #expect(four == "invalid: The message has more than 3 filters.")
            let many = try await refusal([Filter(kinds: Set((0..<200).map { Kind(rawValue: $0) }))])
            #expect(many == "rate-limited: the filters of all subscriptions are too large")
            #expect(try await client.fetch(Filter(kinds: Set((0..<90).map { Kind(rawValue: $0) }))) == [])
        }
    }

    @Test(arguments: [Duration.zero, .seconds(10)])
    func aQueryThatFindsNothingInItsTimeIsClosed(time: Duration) async throws {
        try await withRelay(options { $0.queryTime = time }) { relay, store in
            _ = try await store.ingest((0..<3_000).map { note("\($0)", by: alice, at: Int64($0)) })
            let client = try await TestClient(relay)
            let filter = Filter(authors: [alice.publicKey.bytes], limit: 2_500)
            if time == .zero {
                await #expect(throws: TestClient.Failure(description: "error: the search took too long; ask for less"))
                {
                    _ = try await client.stored([filter])
                }
            } else {
                #expect(try await client.stored([filter]).ids.count == 2_500)
            }
            await client.close()
        }
    }

    @Test func anEventWithTooManyTagsIsRefusedByItsId() async throws {
        try await withRelay(options { $0.tags = 100 }) { relay, _ in
            let client = try await TestClient(relay)
            let good = note("", by: alice, tags: (0..<100).map { Tag("t", "\($0)") })
            #expect(try await client.publish(good).accepted)
            let bad = note("", by: alice, tags: (0..<101).map { Tag("t", "\($0)") })
            #expect(try await client.publish(bad) == (false, "invalid: The event has more than 100 tags."))
            let follows = note("", by: alice, kind: .followList, tags: (0..<9_000).map { Tag("p", "\($0)") })
            #expect(try await client.publish(follows).accepted)
        }
    }

    @Test func aMillionTagsAreMoreThanAMessageMayHave() async throws {
        try await withRelay { relay, _ in
            let client = try await TestClient(relay)
            let tags = (0..<1_000_000).map { _ in #"["t"]"# }.joined(separator: ",")
            let event = note("", by: alice)
            let text = String(decoding: event.json, as: UTF8.self).replacing(#""tags":[]"#, with: #""tags":[\#(tags)]"#)
            try? await client.send("[\"EVENT\",\(text)]")
            #expect(try await closing(of: client).code == .messageTooBig)
            try await checkGoodClient(relay, "good")
        }
    }

    @Test func aFrameThatIsTooLargeClosesTheConnectionBeforeItIsRead() async throws {
        try await withRelay { relay, _ in
            let port = try #require(relay.address.port)
            let stream = try await Connector().connect(to: "127.0.0.1", port: port, on: EventLoopGroup.shared.next())
            let connection = await Connection(stream)
            let request =
                "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
            try await connection.write(Array(request.utf8), within: .seconds(20))
            _ = try await connection.read(within: .seconds(20))
            // The head of a masked text frame of 50 MB, and no more.
            let head: [UInt8] = [0x81, 0xFF, 0, 0, 0, 0, 0x02, 0xFA, 0xF0, 0x80, 1, 2, 3, 4]
            try await connection.write(head, within: .seconds(20))
            let answer = try await connection.read(within: .seconds(20))
            #expect(answer?.first == 0x88)
            #expect(answer.map { Array($0.dropFirst(2).prefix(2)) } == [0x03, 0xF1])
            await connection.abort()
            try await checkGoodClient(relay, "good")
        }
    }

    @Test func whoSendsNonsenseIsToldSoAndThenCutOff() async throws {
        try await withRelay(options { $0.violations = 3 }) { relay, _ in
            let client = try await TestClient(relay)
            for text in ["", "[]", "{"] { try await client.send(text) }
            for _ in 0..<3 {
                guard case .notice(let text) = try await client.next() else {
                    Issue.record("no notice came")
                    return
                }
                #expect(text.hasPrefix("invalid: "))
            }
            #expect(try await client.fetch(Filter()) == [])
            try await client.send("[\"REQ\",\"abc\",{\"kinds\":\"x\"}]")
            guard case .closed(let id, let status) = try await client.next() else {
                Issue.record("the subscription was not closed")
                return
            }
            #expect(id.text == "abc")
            #expect(status.prefix == .invalid)
            #expect(try await closing(of: client).code == .policyViolation)
        }
    }

    @Test func whoNeverReadsIsDroppedAndOthersDoNotNotice() async throws {
        let options = options { ($0.outgoingBytes, $0.stallTime) = (1 << 20, .seconds(2)) }
        try await withRelay(options) { relay, store in
            let text = String(repeating: "x", count: 100_000)
            _ = try await store.ingest((0..<300).map { note("\($0)" + text, by: alice) })
            let port = try #require(relay.address.port)
            let loop = try EventLoopGroup.shared.next()
            let deaf = try await WebSocketClient().open(
                "ws://127.0.0.1:\(port)/",
                over: Connector().connect(to: "127.0.0.1", port: port, on: loop)
            )
            // Nobody reads the messages of this connection.
            try await deaf.send(.text(ClientMessage.request(SubscriptionID("all"), [Filter()]).description))
            try await checkGoodClient(relay, "good")
            let slow = try await TestClient(relay)
            #expect(try await slow.fetch(Filter(limit: 200)).count == 200)
            let deadline = ContinuousClock.now + .seconds(20)
            while relay.metrics.slowReadersDropped == 0, ContinuousClock.now < deadline {
                try await checkGoodClient(relay, "meanwhile")
            }
            #expect(relay.metrics.slowReadersDropped == 1)
            #expect(relay.metrics.liveEventsSent == 0)
        }
    }

    @Test func pingsDoNotKeepOthersWaiting() async throws {
        try await withRelay { relay, _ in
            let flood = try await TestClient(relay)
            let pinging = Task {
                while !Task.isCancelled {
                    for _ in 0..<1_000 { await flood.connection.ping([1, 2, 3]) }
                    await Task.yield()
                }
            }
            for number in 0..<20 { try await checkGoodClient(relay, "\(number)") }
            pinging.cancel()
            await pinging.value
            await flood.close()
        }
    }

    @Test func connectionsBeyondTheLimitAreTurnedAway() async throws {
        try await withRelay(options { $0.connections = 2 }) { relay, _ in
            let (first, second) = (try await TestClient(relay), try await TestClient(relay))
            await #expect(throws: (any Error).self) { try await TestClient(relay) }
            await first.close()
            let deadline = ContinuousClock.now + .seconds(20)
            while relay.metrics.connections > 1, ContinuousClock.now < deadline { await Task.yield() }
            let third = try await TestClient(relay)
            #expect(try await third.fetch(Filter()) == [])
            #expect(try await second.fetch(Filter()) == [])
            #expect(relay.metrics.connectionsRefused == 1)
        }
    }

    @Test func whoSendsManyEventsIsHeldBackAndAllAreAnswered() async throws {
        try await withRelay(options { ($0.eventsInFlight, $0.bytesInFlight) = (4, 2_000) }) { relay, store in
            let clients = [try await TestClient(relay), try await TestClient(relay)]
            let events = (0..<400).map { note("\($0)", by: alice) }
            for (number, event) in events.enumerated() { try await clients[number % 2].send(.event(event.wire)) }
            var accepted = 0
            for client in clients {
                for _ in 0..<200 {
                    if case .ok(_, true, _) = try await client.next() { accepted += 1 }
                }
            }
            #expect(accepted == 400)
            #expect(try await store.count(matching: [Filter()]) == 400)
        }
    }

    @Test func aRelayThatClosesAnswersWhatIsOnItsWayAndSaysGoodbye() async throws {
        let store = try await EventStore(.memory)
        let relay = try Relay(store: store, on: .ip(.loopback4, port: 0))
        let client = try await TestClient(relay)
        let events = (0..<50).map { note("\($0)", by: alice) }
        for event in events { try await client.send(.event(event.wire)) }
        // One answer shows that the relay has begun to read them.
        guard case .ok = try await client.next() else {
            Issue.record("no OK came")
            return
        }
        async let closing: Void = relay.close()
        var answers: [EventID: Bool] = [:]
        while let message = try? await client.next() {
            if case .ok(let id, let accepted, _) = message { answers[id] = accepted }
        }
        await closing
        #expect(await client.connection.closeStatus?.code == .goingAway)
        let stored = Set(try await store.events(matching: [Filter()]).map(\.id))
        #expect(answers.allSatisfy { !$0.value || stored.contains($0.key) })
        #expect(answers.count + 1 >= stored.count)
        await #expect(throws: (any Error).self) { try await TestClient(relay) }
        try await store.close()
    }
}
