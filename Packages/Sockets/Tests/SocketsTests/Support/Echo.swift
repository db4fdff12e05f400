import Sockets

/// Sends back what it is given, holding the peer back when the way out is full.
actor Echo: ByteStreamHandler {
    private let loop: EventLoop
    private let stream: any ByteStream
    private(set) var mostPending = 0
    private(set) var reason: CloseReason?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ stream: any ByteStream) {
        self.stream = stream
        loop = stream.loop
    }

    nonisolated func received(_ bytes: inout MutableRawSpan) {
        assumeIsolated { echo in
            let outcome = echo.stream.write(bytes.bytes)
            echo.mostPending = max(echo.mostPending, echo.stream.pendingBytes)
            if outcome == .full { echo.stream.pauseReading() }
        }
    }

    nonisolated func writable() {
        assumeIsolated { $0.stream.resumeReading() }
    }

    nonisolated func ended() {
        assumeIsolated { $0.stream.close() }
    }

    nonisolated func closed(_ reason: CloseReason) {
        assumeIsolated { $0.reason = reason }
    }
}

/// A server on the loopback that echoes; remembers its handlers.
final class EchoServer: Sendable {
    let listener: Listener
    let echoes: Shared<[Echo]>

    init(on address: SocketAddress = .ip(.loopback4, port: 0), options: ListenerOptions = .init()) throws {
        let echoes = Shared<[Echo]>([])
        self.echoes = echoes
        listener = try Listener(on: address, options: options) { stream in
            let echo = Echo(stream)
            echoes.update { $0.append(echo) }
            stream.start(echo)
        }
    }

    var port: UInt16 { listener.address.port ?? 0 }

    /// Whether a new connection gives back what is sent on it.
    func sendsBack(_ byte: UInt8) async throws -> Bool {
        let stream = try await Connector().connect(to: "127.0.0.1", port: port, on: EventLoopGroup.shared.next())
        let connection = await Connection(stream)
        try await connection.write([byte], within: patience)
        guard try await connection.read(within: patience) == [byte] else { return false }
        await connection.close()
        return true
    }
}
