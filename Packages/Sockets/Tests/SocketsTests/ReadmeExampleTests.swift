import Sockets
import Testing

// The example of the README.

/// Sends back what it gets, and reads no faster than the peer does.
actor Parrot: ByteStreamHandler {
    private let stream: any ByteStream
    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ stream: any ByteStream) {
        self.stream = stream
        loop = stream.loop
    }

    // Called on the loop, which is the actor's executor: it is entered at once, without a hop.
    nonisolated func received(_ bytes: inout MutableRawSpan) {
        assumeIsolated { if $0.stream.write(bytes.bytes) == .full { $0.stream.pauseReading() } }
    }
    nonisolated func writable() { assumeIsolated { $0.stream.resumeReading() } }
    nonisolated func ended() { assumeIsolated { $0.stream.close() } }
    nonisolated func closed(_ reason: CloseReason) {}
}

func exampleOfTheReadme() async throws -> (String, Int) {
    let listener = try Listener(on: .ip(.loopback4, port: 0)) { stream in stream.start(Parrot(stream)) }

    // Elsewhere: async calls with deadlines, for code that is not on a loop.
    let loop = try EventLoopGroup.shared.next()
    let stream = try await Connector().connect(to: "127.0.0.1", port: listener.address.port ?? 0, on: loop)
    let connection = await Connection(stream)
    try await connection.write(Array("hello".utf8), within: .seconds(5))
    let answer = try await connection.read(exactly: 5, within: .seconds(5))
    await connection.close()

    // HTTP, on top of the same streams.
    let server = try HTTPServer(on: .ip(.loopback4, port: 0)) { _ in HTTPResponse(status: 200, text: "well") }
    let url = try HTTPURL("http://127.0.0.1:\(server.address.port ?? 0)/health")
    let response = try await HTTPClient().get(url)
    return (String(decoding: answer, as: UTF8.self), response.status)
}

@Test func theExampleOfTheReadmeWorks() async throws {
    let (answer, status) = try await exampleOfTheReadme()
    #expect(answer == "hello")
    #expect(status == 200)
}
