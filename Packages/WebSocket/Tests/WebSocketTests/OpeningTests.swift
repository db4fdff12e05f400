import Sockets
import Synchronization
import Testing

@testable import WebSocket

/// Both ends of a stream in memory, on one loop whose time stands still.
private func streams() async throws -> (EventLoop, MemoryStream, MemoryStream) {
    let loop = try EventLoop(virtualTime: true)
    let (near, far) = try #require(await loop.make { MemoryStream.pair(on: loop) })
    return (loop, near, far)
}

@Test func bothEndsOpenWithWhatTheyAgreeOn() async throws {
    let (_, near, far) = try await streams()
    var client = WebSocketClient()
    client.subprotocols = ["one", "two"]
    var server = WebSocketServer()
    server.subprotocols = ["two"]
    async let accepting = server.accept(far)
    let opened = try await client.open("ws://host/", over: near)
    let accepted = try await accepting
    #expect(opened.subprotocol == "two" && accepted.subprotocol == "two")
    let agreed = CompressionParameters(serverNoContextTakeover: true, clientNoContextTakeover: true)
    #expect(opened.compression == agreed && accepted.compression == agreed)
    try await opened.send(.text(String(repeating: "again ", count: 100)))
    #expect(try await accepted.receiveBatch() == [.text(String(repeating: "again ", count: 100))])
    await opened.close()
}

@Test func framesBehindTheResponseAreNotLost() async throws {
    let (_, near, far) = try await streams()
    var client = WebSocketClient()
    client.compressionOffer = nil
    let opening = Task { try await client.open("ws://host/", over: near) }
    let peer = await Sockets.Connection(far)
    let request = String(decoding: try await peer.read(within: .seconds(20)) ?? [], as: UTF8.self)
    let line = try #require(request.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") })
    let key = try #require(HandshakeKey(String(line.dropFirst(19))))
    let response =
        "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(key.accept)\r\n\r\n"
    try await peer.write(
        Array(response.utf8) + Wire.frame(1, Array("first".utf8), masked: false),
        within: .seconds(1)
    )
    let connection = try await opening.value
    #expect(try await connection.receiveBatch() == [.text("first")])
    await connection.abort()
}

private let refusals: [(answer: String, error: WebSocketError)] = [
    ("HTTP/1.1 403 Forbidden\r\n\r\n", .refused(status: 403)),
    ("HTTP/1.1 301 Moved\r\nLocation: ws://other/\r\n\r\n", .refused(status: 301)),
    ("HTTP/1.1 101 Yes\r\nConnection: Upgrade\r\n\r\n", .handshake(.upgrade)),
    (
        "HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
        .handshake(.accept)
    ),
    ("SSH-2.0-OpenSSH_9.2\r\n\r\n", .handshake(.head)),
    (String(repeating: "x", count: 20_000), .handshake(.head)),
]

@Test(arguments: refusals)
func aServerThatDoesNotOpenIsReportedAndItsStreamClosed(answer: String, error: WebSocketError) async throws {
    let (_, near, far) = try await streams()
    let opening = Task { try await WebSocketClient().open("ws://host/", over: near) }
    let peer = await Sockets.Connection(far)
    _ = try await peer.read(within: .seconds(20))
    try await peer.write(Array(answer.utf8), within: .seconds(1))
    await #expect(throws: error) { try await opening.value }
    await #expect(throws: SocketsError.connectionReset) { try await peer.read(within: .seconds(20)) }
}

@Test func anOpeningHandshakeEndsAtItsDeadline() async throws {
    let (loop, near, far) = try await streams()
    let opening = Task { try await WebSocketClient().open("ws://host/", over: near) }
    let peer = await Sockets.Connection(far)
    _ = try await peer.read(within: .seconds(1000))
    try await peer.write(Array("HTTP/1.1 101 Yes\r\n".utf8), within: .seconds(1000))
    await loop.advance(by: .seconds(15))
    await #expect(throws: WebSocketError.timedOut(.opening)) { try await opening.value }

    let (slowLoop, other, slow) = try await streams()
    let ended = Atomic(false)
    let accepting = Task {
        defer { ended.store(true, ordering: .relaxed) }
        return try await WebSocketServer().accept(slow)
    }
    // The task begins when the pool gets to it, and only then its time runs.
    while !ended.load(ordering: .relaxed) { await slowLoop.advance(by: .seconds(15)) }
    await #expect(throws: WebSocketError.timedOut(.opening)) { try await accepting.value }
    withExtendedLifetime(other) {}
}

@Test func aCancelledOpeningClosesItsStream() async throws {
    let (_, near, far) = try await streams()
    let opening = Task { try await WebSocketClient().open("ws://host/", over: near) }
    let peer = await Sockets.Connection(far)
    _ = try await peer.read(within: .seconds(20))
    opening.cancel()
    await #expect(throws: WebSocketError.cancelled) { try await opening.value }
    await #expect(throws: SocketsError.connectionReset) { try await peer.read(within: .seconds(20)) }
}

@Test(arguments: [
    ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 400 ", HandshakeFault.upgrade),
    (
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 8\r\n\r\n",
        "HTTP/1.1 426 ", HandshakeFault.version
    ),
    ("nonsense\r\n\r\n", "HTTP/1.1 400 ", HandshakeFault.head),
])
func aServerAnswersABadRequestAndCloses(request: String, answer: String, fault: HandshakeFault) async throws {
    let (_, near, far) = try await streams()
    let accepting = Task { try await WebSocketServer().accept(far) }
    let peer = await Sockets.Connection(near)
    try await peer.write(Array(request.utf8), within: .seconds(1))
    await #expect(throws: WebSocketError.handshake(fault)) { try await accepting.value }
    let response = String(decoding: try await peer.read(within: .seconds(20)) ?? [], as: UTF8.self)
    #expect(response.hasPrefix(answer) && response.contains("\r\nSec-WebSocket-Version: 13\r\n"))
    #expect(try await peer.read(within: .seconds(20)) == nil)
    await peer.close()
}
