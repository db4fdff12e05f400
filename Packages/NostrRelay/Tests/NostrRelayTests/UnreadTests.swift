import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import SQLite
import Sockets
import Testing
import WebSocket

/// Clients that do not read, and others that read slowly.
@Suite(.timeLimit(.minutes(10))) struct UnreadTests {
    private let alice = KeyPair.generate()
    private let text = String(repeating: "x", count: 100_000)

    private func options(_ change: (inout RelayLimits) -> Void) -> RelayOptions {
        var options = RelayOptions()
        change(&options.limits)
        return options
    }

    private func wait(until condition: () async -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(30)
        while await !condition() {
            guard ContinuousClock.now < deadline else {
                throw TestClient.Failure(description: "it did not come to that")
            }
            await Task.yield()
        }
    }

    @Test func aRequestOfAClientThatDoesNotReadRestsAndGoesOnWhenItReads() async throws {
        try await withRelay { relay, store in
            let events = (0..<300).map { note("\($0)" + text, by: alice) }
            _ = try await store.ingest(events)
            let client = try await TestClient(relay)
            for id in ["a", "b", "c"] { try await client.send(.request(SubscriptionID(id), [Filter()])) }
            try await wait { relay.metrics.storedEventsSent >= 15 }
            // What is sent without being read is what the sockets take, not what was asked for; others get on.
            let good = try await TestClient(relay)
            for _ in 0..<40 { #expect(try await good.fetch(Filter(ids: [events[7].id])) == [events[7].id]) }
            #expect(relay.metrics.storedEventsSent - 40 < 150)
            #expect(relay.metrics.unreadBytes < 1 << 20)
            var (received, ends) = (0, 0)
            while ends < 3 {
                switch try await client.next() {
                case .event: received += 1
                case .endOfStoredEvents: ends += 1
                case let other: throw TestClient.Failure(description: "unexpected: \(other)")
                }
            }
            #expect(received == 900)
            #expect(relay.metrics.slowReadersDropped == 0)
            #expect(relay.metrics.unreadBytes == 0)
        }
    }

    @Test func manyThatDoNotReadShareOneBudgetAndOneThatReadsGetsEverything() async throws {
        let budget = 8 << 20
        try await withRelay(options { $0.allOutgoingBytes = budget }) { relay, _ in
            var deaf: [TestClient] = []
            for _ in 0..<20 {
                let client = try await TestClient(relay)
                _ = try await client.stored([Filter(limit: 0)], closes: false)
                deaf.append(client)
            }
            let reader = try await TestClient(relay)
            _ = try await reader.stored([Filter(limit: 0)], closes: false)
            let writer = try await TestClient(relay)
            var most = 0
            for number in 0..<100 {
                let event = note("\(number)" + text, by: alice)
                #expect(try await writer.publish(event).accepted)
                guard case .event(_, let new) = try await reader.next() else {
                    Issue.record("the reader was not sent event \(number)")
                    return
                }
                #expect(new.id == event.id)
                most = max(most, relay.metrics.unreadBytes)
            }
            // Each of the twenty alone might have let four megabytes wait.
            #expect(most > budget / 4)
            #expect(most <= budget)
            #expect(relay.metrics.slowReadersDropped > 0)
            for client in deaf { await client.connection.abort() }
            try await wait { relay.metrics.connections == 2 }
            #expect(relay.metrics.unreadBytes == 0)
        }
    }

    @Test(arguments: [true, false])
    func whoTakesLittleByLittleIsWaitedForAndWhoTakesNothingIsNot(reads: Bool) async throws {
        try await withRelay(options { $0.stallTime = .seconds(3) }) { relay, store in
            let event = note(String(repeating: "x", count: 900_000), by: alice)
            _ = try await store.ingest(event)
            let port = try #require(relay.address.port)
            let stream = try await Connector().connect(to: "127.0.0.1", port: port, on: EventLoopGroup.shared.next())
            let connection = await Connection(stream, readAhead: 1)
            let handshake =
                "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
            try await connection.write(Array(handshake.utf8), within: .seconds(20))
            _ = try await connection.read(within: .seconds(20))
            let request = Array(ClientMessage.request(try SubscriptionID("a"), [Filter()]).json)
            let masked = [0x81, 0x80 | UInt8(request.count), 0, 0, 0, 0] + request
            try await connection.write(masked, within: .seconds(20))
            var received = 0
            let start = ContinuousClock.now
            while reads, received < 900_000, relay.metrics.slowReadersDropped == 0 {
                // Time is what this is about: the whole takes longer than one may take nothing.
                try await Task.sleep(for: .milliseconds(50))
                guard let bytes = try await connection.read(upTo: 10_000, within: .seconds(20)) else { break }
                received += bytes.count
            }
            if reads {
                #expect(received >= 900_000)
                #expect(ContinuousClock.now - start > .seconds(4))
                #expect(relay.metrics.slowReadersDropped == 0)
            } else {
                try await wait { relay.metrics.slowReadersDropped == 1 }
            }
            await connection.abort()
        }
    }

    @Test func whatAllSubscriptionsNameIsBoundedToo() async throws {
        try await withRelay(options { $0.allFilterValues = 100 }) { relay, _ in
            func filter(_ kinds: Range<UInt16>) -> Filter { Filter(kinds: Set(kinds.map { Kind(rawValue: $0) })) }
            let (first, second) = (try await TestClient(relay), try await TestClient(relay))
            #expect(try await first.stored([filter(0..<49)], closes: false).ids == [])
            let tooMany = TestClient.Failure(description: "rate-limited: the relay has too many subscriptions now")
            await #expect(throws: tooMany) { try await second.stored([filter(0..<25)]) }
            #expect(try await second.stored([filter(0..<24)]).ids == [])
            await first.close()
            try await wait { relay.metrics.connections == 1 }
            #expect(try await second.stored([filter(0..<25)]).ids == [])
        }
    }
}
