import Foundation
import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import SQLite
import Sockets
import Testing
import WebSocket

#if canImport(Glibc)
    import Glibc
#endif

/// What a program that has a relay inside needs of it.
@Suite struct EmbeddingTests {
    private let alice = KeyPair.generate()

    /// A socket that listens on the loopback, as a service manager hands it over.
    private func listeningSocket() throws -> Int32 {
        #if canImport(Glibc)
            let type = Int32(SOCK_STREAM.rawValue)
        #else
            let type = SOCK_STREAM
        #endif
        let descriptor = socket(AF_INET, type, 0)
        try #require(descriptor >= 0 && listen(descriptor, 8) == 0)
        return descriptor
    }

    @Test func aRelayServesOnASocketThatListensAlready() async throws {
        let store = try await EventStore(.memory)
        let relay = try Relay(store: store, adopting: listeningSocket())
        let port = try #require(relay.address.port)
        let connection = try await WebSocketClient().connect(to: "ws://127.0.0.1:\(port)")
        let event = note("here", by: alice)
        try await connection.send(.text(ClientMessage.event(event.wire).description))
        let answer = try await connection.receiveBatch().first.map { try RelayMessage(json: $0.bytes) }
        guard case .ok(event.id, true, _) = answer else {
            Issue.record("no OK but \(String(describing: answer))")
            return
        }
        await relay.close(within: .seconds(1))
        try await store.close()
    }

    @Test func whatIsNoListeningSocketIsRefusedAndStaysWithTheCaller() async throws {
        let store = try await EventStore(.memory)
        let descriptor = open("/dev/null", O_RDONLY)
        #expect(throws: RelayError.cannotListen(.invalidAddress("descriptor \(descriptor)"))) {
            _ = try Relay(store: store, adopting: descriptor)
        }
        #expect(close(descriptor) == 0)
        try await store.close()
    }

    @Test func twoRelaysInAProcessShareNothing() async throws {
        try await withRelay { first, _ in
            try await withRelay { second, _ in
                let client = try await TestClient(first)
                #expect(try await client.publish(note("one", by: alice)).accepted)
                #expect(first.metrics.eventsStored == 1)
                #expect(second.metrics.connectionsOpened == 0)
                #expect(second.metrics.events == 0)
                let other = try await TestClient(second)
                #expect(try await other.fetch(Filter()) == [])
                await other.close()
                await client.close()
            }
        }
    }

    @Test func closingTakesNoLongerThanTheDeadlineWhateverAClientDoes() async throws {
        let store = try await EventStore(.memory)
        let relay = try Relay(store: store, on: .ip(.loopback4, port: 0))
        let port = try #require(relay.address.port)
        // It never answers the close frame.
        let raw = await Connection(
            try await Connector().connect(to: "127.0.0.1", port: port, on: EventLoopGroup.shared.next())
        )
        let request =
            "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        try await raw.write(Array(request.utf8), within: .seconds(20))
        _ = try await raw.read(within: .seconds(20))
        let good = try await TestClient(relay)
        #expect(try await good.fetch(Filter()) == [])
        #expect(relay.metrics.connections == 2)
        let start = ContinuousClock.now
        await relay.close(within: .milliseconds(500))
        let time = ContinuousClock.now - start
        #expect(time >= .milliseconds(500))
        #expect(time < .seconds(20))
        #expect(await good.connection.closeStatus?.code == .goingAway)
        // Closing again is harmless, and quick since nobody is left.
        await relay.close()
        #expect(relay.metrics.connections == 0)
        try await store.close()
    }

    @Test func aRequestToVanishThatNamesAPortOfTheSystemsChoiceIsObeyed() async throws {
        try await withRelay(policies: [KindPolicy(only: [.textNote])]) { relay, store in
            let client = try await TestClient(relay)
            let event = note("mine", by: alice, at: 100)
            #expect(try await client.publish(event).accepted)
            let url = try #require(relay.url).text
            let elsewhere = note(
                "",
                by: alice,
                kind: .requestToVanish,
                tags: [Tag("relay", "ws://127.0.0.1:1")],
                at: 200
            )
            #expect(try await client.publish(elsewhere).accepted)
            #expect(try await store.count(matching: [Filter(ids: [event.id])]) == 1)
            let here = note("", by: alice, kind: .requestToVanish, tags: [Tag("relay", url + "/")], at: 300)
            #expect(try await client.publish(here).accepted)
            #expect(try await client.fetch(Filter(authors: [alice.publicKey.bytes])) == [here.id])
            let again = try await client.publish(event)
            #expect(again == (false, "blocked: its author or addressee has asked to vanish"))
            let other = try await client.publish(note("", by: alice, kind: .reaction))
            #expect(other == (false, "blocked: events of kind 7 are not taken here"))
            await client.close()
        }
    }
}
