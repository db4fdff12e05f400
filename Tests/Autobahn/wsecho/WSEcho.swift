import NostrRelay
import Sockets
import WebSocket

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

// The program that Autobahn's suite and other peers test:
//     wsecho server PORT       sends every message back, until it is killed
//     wsecho relay PORT        the same behind a relay's front end: its HTTP server and its WebSocket options
//     wsecho client URL        runs every case of a fuzzing server and asks it for its report
//     wsecho load BYTES N      sends N binary messages to an echo of its own and prints how fast they come back

let usage = "usage: wsecho server PORT | relay PORT | client URL | load BYTES N\n"

func options() -> WebSocketOptions {
    var options = WebSocketOptions()
    let size = 64 << 20
    options.limits = MessageLimits(frameBytes: size, messageBytes: size, inflatedBytes: size, fragments: 1 << 20)
    options.largestSentMessage = size
    // Everything that may be compressed is, with the context kept where the other end allows it.
    options.compression = CompressionSettings(threshold: 0, level: 1, keepsContext: true)
    return options
}

/// Sends every message back until the connection ends, however it ends: a peer that breaks the protocol is part of it.
func echo(_ connection: WebSocketConnection) async {
    do {
        while true {
            let batch = try await connection.receiveBatch()
            if batch.isEmpty { return }
            try await connection.send(contentsOf: batch)
        }
    } catch {
        _ = await connection.close()
    }
}

func listen(port: UInt16) throws -> Listener {
    var server = WebSocketServer()
    server.options = options()
    server.compression = CompressionPolicy(serverNoContextTakeover: false, clientNoContextTakeover: false)
    let accepting = server
    return try Listener(on: .ip(.loopback4, port: port)) { stream in
        Task {
            guard let connection = try? await accepting.accept(stream) else { return }
            await echo(connection)
        }
    }
}

func serve(port: UInt16) async throws {
    let listener = try listen(port: port)
    print("listening on \(listener.address)")
    fflush(nil)
    while true { try await Task.sleep(for: .seconds(3600)) }
}

/// A relay without the relay: what stands in front of it, set up as it does, with an echo behind it. The suite sends messages
/// of 16 MiB and of 65,536 fragments, so these two limits are wider; all else is a relay's.
func serveAsRelay(port: UInt16) async throws {
    var relay = RelayOptions()
    relay.compresses = true
    relay.limits.messageSize = 64 << 20
    var server = relay.webSocketServer
    server.options.limits.fragments = 1 << 20
    let accepting = server
    let front = try HTTPServer(
        on: .ip(.loopback4, port: port),
        limits: relay.httpLimits,
        upgrades: [
            "websocket": { head, stream in
                guard let connection = try? accepting.upgrade(head, over: stream) else { return }
                connection.assumeIsolated { $0.deliver(to: EchoSession(connection)) }
            }
        ],
        handler: { _ in HTTPResponse(status: 404, text: "There is nothing here.\n") }
    )
    print("listening on \(front.address)")
    fflush(nil)
    while true { try await Task.sleep(for: .seconds(3600)) }
}

/// Sends back on the loop what comes, as a relay answers, and holds the other end back while it does not read.
///
/// `@unchecked Sendable`: `waiting` is touched on the connection's loop alone.
final class EchoSession: WebSocketHandler, @unchecked Sendable {
    private let connection: WebSocketConnection
    private var waiting: [WebSocketMessage] = []

    init(_ connection: WebSocketConnection) {
        self.connection = connection
    }

    func received(_ messages: [WebSocketMessage]) {
        waiting += messages
        flush()
    }

    func writable() {
        flush()
    }

    func closed(_ status: CloseStatus, error: WebSocketError?) {}

    private func flush() {
        while !waiting.isEmpty {
            let message = waiting[0]
            switch connection.assumeIsolated({ $0.enqueue([message]) }) {
            case .taken: waiting.removeFirst()
            case .full:
                waiting.removeFirst()
                return connection.assumeIsolated { $0.pauseDelivery() }
            case .refused: return
            case .tooLarge, .closed:
                waiting = []
                return
            }
        }
        connection.assumeIsolated { $0.resumeDelivery() }
    }
}

func client() -> WebSocketClient {
    var client = WebSocketClient()
    client.options = options()
    return client
}

func runCases(of url: String) async throws {
    let counting = try await client().connect(to: url + "/getCaseCount")
    let answer = try await counting.receiveBatch().first?.text
    await counting.close()
    guard let count = answer.flatMap({ Int($0) }), count > 0 else {
        print("the server names no cases")
        exit(1)
    }
    for number in 1...count {
        let connection = try await client().connect(to: "\(url)/runCase?case=\(number)&agent=linkstr")
        await echo(connection)
        await connection.close()
        if number % 50 == 0 || number == count { print("\(number) of \(count) cases") }
        fflush(nil)
    }
    try await client().connect(to: url + "/updateReports?agent=linkstr").close()
}

/// Both directions at once, uncompressed: what the codec, the connection and the loopback do together.
func load(bytes: Int, count: Int) async throws {
    let listener = try listen(port: 0)
    var plain = client()
    plain.compressionOffer = nil
    let connection = try await plain.connect(to: "ws://\(listener.address)")
    let message = WebSocketMessage.binary([UInt8](repeating: 7, count: bytes))
    let start = ContinuousClock.now
    async let sending: Void = {
        var left = count
        while left > 0 {
            let batch = min(left, 64)
            try await connection.send(contentsOf: Array(repeating: message, count: batch))
            left -= batch
        }
    }()
    var received = 0
    while received < count {
        let batch = try await connection.receiveBatch()
        if batch.isEmpty { break }
        received += batch.count
    }
    try await sending
    let time = ContinuousClock.now - start
    let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18
    let rate = Double(received) / seconds
    print("\(received) messages of \(bytes) bytes: \(Int(rate))/s, \(Int(rate * Double(bytes) / 1e6)) MB/s each way")
    await connection.close()
    listener.close()
}

@main
enum WSEcho {
    static func main() async {
        do {
            let arguments = CommandLine.arguments.dropFirst()
            switch (arguments.first, arguments.dropFirst().first, arguments.count) {
            case ("server", let text?, 2):
                guard let port = UInt16(text) else { fail(usage, 64) }
                try await serve(port: port)
            case ("relay", let text?, 2):
                guard let port = UInt16(text) else { fail(usage, 64) }
                try await serveAsRelay(port: port)
            case ("client", let url?, 2): try await runCases(of: url)
            case ("load", let size?, 3):
                guard let bytes = Int(size), let count = Int(CommandLine.arguments[3]) else { fail(usage, 64) }
                try await load(bytes: bytes, count: count)
            default: fail(usage, 64)
            }
        } catch {
            fail("wsecho: \(error)\n", 1)
        }
    }

    static func fail(_ text: String, _ code: Int32) -> Never {
        var text = text
        text.withUTF8 { _ = write(2, $0.baseAddress, $0.count) }
        exit(code)
    }
}
