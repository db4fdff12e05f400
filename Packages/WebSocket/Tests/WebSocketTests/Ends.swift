import Sockets
import Testing

@testable import WebSocket

/// Both ends of connections in memory, on one loop whose time stands still.
struct Ends {
    let loop: EventLoop
    let client: WebSocketConnection
    let server: WebSocketConnection

    init(
        options: WebSocketOptions = WebSocketOptions(),
        compression: CompressionParameters? = nil,
        chunk: Int = 64 << 10,
        highWaterMark: Int = 64 << 10
    ) async throws {
        let loop = try EventLoop(virtualTime: true)
        self.loop = loop
        let agreement = HandshakeAgreement(compression: compression)
        (client, server) = try #require(
            await loop.make {
                let (near, far) = MemoryStream.pair(
                    on: loop,
                    chunk: chunk,
                    capacity: 64 << 10,
                    highWaterMark: highWaterMark
                )
                let client = WebSocketConnection(
                    stream: near,
                    role: .client,
                    agreement: agreement,
                    options: options
                )
                let server = WebSocketConnection(
                    stream: far,
                    role: .server,
                    agreement: agreement,
                    options: options
                )
                client.assumeIsolated { $0.begin(unread: []) }
                server.assumeIsolated { $0.begin(unread: []) }
                return (client, server)
            }
        )
    }

    /// Lets the loop finish what is under way.
    func settle() async {
        for _ in 0..<20 { await loop.advance(by: .zero) }
    }
}

/// One end under test and, at the other, bytes written by hand.
struct RawEnd {
    let loop: EventLoop
    let connection: WebSocketConnection
    let peer: Sockets.Connection

    init(
        role: Role = .server,
        options: WebSocketOptions = WebSocketOptions(),
        compression: CompressionParameters? = nil,
        highWaterMark: Int = 64 << 10,
        readAhead: Int = 64 << 10
    ) async throws {
        let loop = try EventLoop(virtualTime: true)
        self.loop = loop
        let agreement = HandshakeAgreement(compression: compression)
        let (connection, far) = try #require(
            await loop.make {
                let (near, far) = MemoryStream.pair(on: loop, capacity: 16 << 10, highWaterMark: highWaterMark)
                let connection = WebSocketConnection(
                    stream: near,
                    role: role,
                    agreement: agreement,
                    options: options
                )
                connection.assumeIsolated { $0.begin(unread: []) }
                return (connection, far)
            }
        )
        self.connection = connection
        peer = await Sockets.Connection(far, readAhead: readAhead)
    }

    func write(_ bytes: [UInt8]) async throws {
        try await peer.write(bytes, within: .seconds(1000))
    }

    /// Reads so many bytes of what the connection has sent.
    func read(_ count: Int) async throws -> [UInt8] {
        try await peer.read(exactly: count, within: .seconds(1000))
    }

    /// Until a task is suspended in the connection: a task starts when the pool gets to it, not when it is made.
    func untilWaiting(_ kind: Waiters.Kind) async {
        while await !connection.waiters.contains(kind) { await settle() }
    }

    func settle() async {
        for _ in 0..<20 { await loop.advance(by: .zero) }
    }
}
