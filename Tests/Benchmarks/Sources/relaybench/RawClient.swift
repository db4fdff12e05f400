import NostrEvents
import Sockets

/// A connection of which every byte is written by hand.
struct RawClient {
    let connection: Connection

    init(_ url: String) async throws {
        let url = try RelayURL(url)
        connection = await Connection(
            try await Connector().connect(to: url.host, port: url.port, on: EventLoopGroup.shared.next())
        )
    }

    static let handshake = Array(
        ("GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n").utf8
    )

    /// Becomes a WebSocket.
    func upgrade() async throws {
        try await write(Self.handshake)
        _ = try await connection.read(within: .seconds(10))
    }

    func write(_ bytes: [UInt8]) async throws {
        try await connection.write(bytes, within: .seconds(10))
    }

    /// Reads until the other end has had enough, and forgets it.
    func drain() async {
        while let bytes = try? await connection.read(within: .seconds(60)), !bytes.isEmpty {}
    }
}
