import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import SQLite
import Sockets
import Testing
import WebSocket

/// Clients that send byte by byte to hold what the relay keeps for them.
@Suite struct SlowClientTests {
    private static let handshake =
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"

    private func raw(_ relay: Relay) async throws -> Sockets.Connection {
        let port = try #require(relay.address.port)
        return await Connection(
            try await Connector().connect(to: "127.0.0.1", port: port, on: EventLoopGroup.shared.next())
        )
    }

    /// Writes one byte after another until the relay has closed the connection; how many it took.
    private func trickle(_ bytes: [UInt8], _ connection: Sockets.Connection) async -> Int {
        for (index, byte) in bytes.enumerated() {
            do {
                try await connection.write([byte], within: .seconds(20))
                if try await connection.read(within: .milliseconds(20)) == nil { return index }
            } catch SocketsError.timedOut {
                continue
            } catch {
                return index
            }
        }
        return bytes.count
    }

    @Test func aRequestThatTricklesInIsGivenUpAndOneInPiecesIsServed() async throws {
        var options = RelayOptions()
        options.limits.requestTime = .seconds(2)
        try await withRelay(options) { relay, _ in
            let slow = (0..<20).map { _ in
                Task { await trickle([UInt8](repeating: UInt8(ascii: "x"), count: 1_000), try await raw(relay)) }
            }
            let good = try await raw(relay)
            let bytes = Array(Self.handshake.utf8)
            for start in stride(from: 0, to: bytes.count, by: 40) {
                try await good.write(Array(bytes[start..<min(start + 40, bytes.count)]), within: .seconds(20))
            }
            #expect(try await good.read(exactly: 12, within: .seconds(20)) == Array("HTTP/1.1 101".utf8))
            for task in slow { #expect(try await task.value < 1_000) }
            #expect(relay.metrics.connections == 1)
            await good.close()
        }
    }

    @Test func aMessageThatTricklesInClosesTheConnectionAndOthersDoNotNotice() async throws {
        var options = RelayOptions()
        options.limits.messageTime = .milliseconds(500)
        try await withRelay(options) { relay, _ in
            let slow = try await raw(relay)
            try await slow.write(Array(Self.handshake.utf8), within: .seconds(20))
            _ = try await slow.read(within: .seconds(20))
            // A masked text frame of 65,535 bytes.
            let frame = [0x81, 0xFE, 0xFF, 0xFF, 1, 2, 3, 4] + [UInt8](repeating: 0x20, count: 5_000)
            let alice = KeyPair.generate()
            let good = try await TestClient(relay)
            async let taken = trickle(frame, slow)
            var accepted = 0
            for number in 0..<20 where try await good.publish(note("\(number)", by: alice)).accepted { accepted += 1 }
            #expect(accepted == 20)
            // It is told why, and as it does not answer, cut off some seconds later.
            #expect(await taken < frame.count)
            #expect(try await good.fetch(Filter(limit: 100)).count == 20)
            await good.close()
        }
    }
}
