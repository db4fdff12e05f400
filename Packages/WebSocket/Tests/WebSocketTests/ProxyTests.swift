import Locking
import Sockets
import Testing
import WebSocket

private let patience = Duration.seconds(30)

/// A SOCKS5 proxy (RFC 1928) that connects whatever it is asked for to one port of the loopback.
private final class Proxy: Sendable {
    private let listener: Listener
    let asked = Locked<[String]>([])
    var port: UInt16 { listener.address.port ?? 0 }

    init(to port: UInt16, _ group: EventLoopGroup) throws {
        let asked = self.asked
        listener = try Listener(on: .ip(.loopback4, port: 0), group: group) { stream in
            Task {
                let near = await Connection(stream)
                try? await Self.serve(near, port, group, asked)
                await near.close()
            }
        }
    }

    func close() { listener.close() }

    private static func serve(
        _ near: Connection,
        _ port: UInt16,
        _ group: EventLoopGroup,
        _ asked: Locked<[String]>
    ) async throws {
        let greeting = try await near.read(exactly: 2, within: patience)
        _ = try await near.read(exactly: Int(greeting[1]), within: patience)
        try await near.write([5, 0], within: patience)
        let request = try await near.read(exactly: 5, within: patience)
        try #require(request[..<4] == [5, 1, 0, 3], "asked to connect by name")
        let name = try await near.read(exactly: Int(request[4]) + 2, within: patience)
        asked.withLock { $0.append(String(decoding: name.dropLast(2), as: UTF8.self)) }
        let far = await Connection(try await Connector().connect(to: "127.0.0.1", port: port, on: group.next()))
        try await near.write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0], within: patience)
        async let back: Void = pass(far, near)
        try await pass(near, far)
        try await back
        await far.close()
    }

    private static func pass(_ from: Connection, _ to: Connection) async throws {
        while let bytes = try await from.read(within: patience) { try await to.write(bytes, within: patience) }
        await to.finishWriting()
    }
}

extension LoopbackTests {
    @Test(arguments: ["relay.example", "abcdefghijklmnop.onion"])
    func aConnectionGoesThroughAProxyThatLooksTheNameUp(_ host: String) async throws {
        let group = try EventLoopGroup(count: 1)
        let listener = try Listener(on: .ip(.loopback4, port: 0), group: group) { stream in
            Task {
                let connection = try await WebSocketServer().accept(stream)
                for try await message in connection.messages { try await connection.send(message) }
            }
        }
        let proxy = try Proxy(to: listener.address.port ?? 0, group)
        var client = WebSocketClient()
        client.connector.proxy = SOCKS5Proxy(host: "127.0.0.1", port: proxy.port)
        client.connector.resolver = Resolver { name throws(SocketsError) in
            Issue.record("\(name) was looked up here")
            return []
        }
        let connection = try await client.connect(to: "ws://\(host)/", on: group.next())
        let sent = (0..<50).map { WebSocketMessage.binary([UInt8](repeating: UInt8($0), count: $0 * 1_000)) }
        async let sending: Void = connection.send(contentsOf: sent)
        var received: [WebSocketMessage] = []
        while received.count < sent.count { received += try await connection.receiveBatch() }
        try await sending
        #expect(received == sent)
        #expect(proxy.asked.withLock { $0 } == [host])
        #expect(await connection.close().isClean)

        // Without the proxy it is not reached: the name leads nowhere.
        client.connector.proxy = nil
        client.connector.resolver = Resolver { name throws(SocketsError) in throw .nameNotFound(name) }
        await #expect(throws: WebSocketError.self) { try await client.connect(to: "ws://\(host)/", on: group.next()) }
        #expect(proxy.asked.withLock { $0.count } == 1)
        proxy.close()
        listener.close()
    }
}
