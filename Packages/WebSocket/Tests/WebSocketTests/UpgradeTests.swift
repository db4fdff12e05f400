import Sockets
import Testing
import WebSocket

/// Sends every batch back, on the loop.
private final class Echo: WebSocketHandler {
    private let connection: WebSocketConnection

    init(_ connection: WebSocketConnection) {
        self.connection = connection
    }

    func received(_ messages: [WebSocketMessage]) {
        connection.assumeIsolated { _ = $0.enqueue(messages) }
    }

    func closed(_ status: CloseStatus, error: WebSocketError?) {}
}

extension LoopbackTests {
    private static func serve(_ group: EventLoopGroup) throws -> HTTPServer {
        let upgrade: HTTPServer.Upgrade = { head, stream in
            guard let connection = try? WebSocketServer().upgrade(head, over: stream) else { return }
            connection.assumeIsolated { $0.deliver(to: Echo(connection)) }
        }
        return try HTTPServer(on: .ip(.loopback4, port: 0), group: group, upgrades: ["websocket": upgrade]) { _ in
            HTTPResponse(status: 200, text: "plain")
        }
    }

    @Test func anHTTPServerHandsConnectionsOver() async throws {
        let group = try EventLoopGroup(count: 1)
        let server = try Self.serve(group)
        defer { server.close() }
        let port = server.address.port ?? 0
        let client = try await WebSocketClient().connect(to: "ws://127.0.0.1:\(port)/any", on: group.next())
        try await client.send(.text("over HTTP"))
        #expect(try await client.receiveBatch() == [.text("over HTTP")])
        #expect(await client.close().isClean)

        let stream = try await Connector().connect(to: "127.0.0.1", port: port, on: group.next())
        let plain = await Sockets.Connection(stream)
        try await plain.write(Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8), within: .seconds(5))
        let answer = String(decoding: try await plain.read(within: .seconds(5)) ?? [], as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 200 "))
        let bad = "GET / HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n"
        try await plain.write(Array(bad.utf8), within: .seconds(5))
        let refusal = String(decoding: try await plain.read(within: .seconds(5)) ?? [], as: UTF8.self)
        #expect(refusal.hasPrefix("HTTP/1.1 426 "))
        await plain.close()
    }
}
