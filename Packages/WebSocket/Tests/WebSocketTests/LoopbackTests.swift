import Sockets
import Testing
import WebSocket

#if canImport(Glibc)
    import Glibc
#endif

/// Over TCP on the loopback. Serialised, and the only suite here that opens sockets, so that it can count them.
@Suite(.serialized) struct LoopbackTests {
    private static func listen(
        _ group: EventLoopGroup,
        serve: @escaping @Sendable (WebSocketConnection) async throws -> Void
    ) throws -> Listener {
        try Listener(on: .ip(.loopback4, port: 0), group: group) { stream in
            Task { try await serve(try await WebSocketServer().accept(stream)) }
        }
    }

    private static func url(_ listener: Listener) -> String {
        "ws://127.0.0.1:\(listener.address.port ?? 0)/"
    }

    @Test func messagesComeBackOverTCP() async throws {
        let group = try EventLoopGroup(count: 1)
        let listener = try Self.listen(group) { connection in
            for try await message in connection.messages { try await connection.send(message) }
        }
        let client = try await WebSocketClient().connect(to: Self.url(listener), on: group.next())
        let sent = (0..<200).map { WebSocketMessage.binary([UInt8](repeating: UInt8($0), count: $0 * 100)) }
        async let sending: Void = client.send(contentsOf: sent)
        var received: [WebSocketMessage] = []
        while received.count < sent.count { received += try await client.receiveBatch() }
        try await sending
        #expect(received == sent)
        #expect(await client.close().isClean)
        listener.close()
    }

    @Test func nobodyAtTheAddressIsReported() async throws {
        let group = try EventLoopGroup(count: 1)
        let listener = try Self.listen(group) { _ in }
        let url = Self.url(listener)
        _ = try await WebSocketClient().connect(to: url, on: group.next()).close()
        listener.close()
        _ = try await group.next().currentTime()
        try await group.next().sleep(for: .zero)
        let port = listener.address.port ?? 0
        await #expect(throws: WebSocketError.transport(.connectionRefused("127.0.0.1:\(port)"))) {
            try await WebSocketClient().connect(to: url, on: group.next())
        }
        await #expect(throws: WebSocketError.invalidURL("http://127.0.0.1")) {
            try await WebSocketClient().connect(to: "http://127.0.0.1", on: group.next())
        }
    }

    #if canImport(Glibc)
        private static func openSockets() -> Int {
            guard let folder = opendir("/proc/self/fd") else { return -1 }
            defer { closedir(folder) }
            var count = 0
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                var target = [CChar](repeating: 0, count: 64)
                let length = readlink("/proc/self/fd/" + name, &target, target.count)
                let link = target.prefix(max(0, length)).map { UInt8(bitPattern: $0) }
                if String(decoding: link, as: UTF8.self).hasPrefix("socket:") { count += 1 }
            }
            return count
        }

        @Test func cancelledReadersAndOpeningsLeaveNoDescriptor() async throws {
            let group = try EventLoopGroup(count: 1)
            let before = Self.openSockets()
            #expect(before >= 0)
            let listener = try Self.listen(group) { connection in
                for try await _ in connection.messages {}
            }
            // It accepts, and never answers.
            let silent = try Listener(on: .ip(.loopback4, port: 0), group: group) { stream in
                stream.start(Silent(stream))
            }
            var readers: [Task<Void, any Error>] = []
            for _ in 0..<10 {
                let client = try await WebSocketClient().connect(to: Self.url(listener), on: group.next())
                readers.append(Task { for try await _ in client.messages {} })
            }
            let openings = (0..<10).map { _ in
                Task { _ = try await WebSocketClient().connect(to: Self.url(silent), on: group.next()) }
            }
            #expect(Self.openSockets() >= before + 22)
            for task in readers + openings { task.cancel() }
            for task in readers + openings { await #expect(throws: (any Error).self) { try await task.value } }
            listener.close()
            silent.close()
            // The last closing handshakes are under way; none may take longer than its deadline.
            let deadline = ContinuousClock.now.advanced(by: .seconds(10))
            while Self.openSockets() > before, ContinuousClock.now < deadline {
                try await group.next().sleep(for: .milliseconds(5))
            }
            #expect(Self.openSockets() == before)
        }
    #endif
}

/// Takes what comes and says nothing; ends when the other end does.
private final class Silent: ByteStreamHandler {
    private let stream: SocketStream

    init(_ stream: SocketStream) {
        self.stream = stream
    }

    func received(_ bytes: inout MutableRawSpan) {}
    func ended() { stream.abort() }
    func closed(_ reason: CloseReason) {}
}
