import Dispatch
import Glibc
import Sockets

/// Echoes over the loopback, both ends in this process and each on a loop of its own. The floor is the same exchange with two
/// threads that block.
func socketBenchmarks() -> [Benchmark] {
    [
        // A thousand at a time, so that waking the thread that measures does not count.
        Benchmark(name: "Sockets 1,000 echoes, one by one", sizes: [100], targets: [.microseconds(25_000)]) { size in
            try echoes(size: size, count: 1000)
        },
        Benchmark(name: "Sockets echo, 16 MiB in pieces", sizes: [64 << 10]) { size in
            try echoes(size: size, count: (16 << 20) / size)
        },
        Benchmark(name: "Sockets echo over TLS, 16 MiB in pieces", sizes: [64 << 10]) { size in
            try secureEchoes(size: size, count: (16 << 20) / size)
        },
    ]
}

/// TLS 1.3 as the system's OpenSSL chooses it. The floor is the same echo without TLS.
private func secureEchoes(size: Int, count: Int) throws -> Benchmark.Run {
    let loops = try EventLoopGroup(count: 2).loops()
    let (server, client) = try selfSigned()
    let plain = try Listener(on: .ip(.loopback4, port: 0), group: EventLoopGroup(loops[0])) { stream in
        stream.start(Mirror(stream))
    }
    let secure = try Listener(on: .ip(.loopback4, port: 0), group: EventLoopGroup(loops[0])) { stream in
        Task { await Mirror(try await server.accept(stream, within: .seconds(15))).begin() }
    }
    let open = try blocking { try await Asker(plain, on: loops[1], size: size) }
    let closed = try blocking { try await Asker(secure, on: loops[1], size: size, tls: client) }
    return Benchmark.Run(
        floors: [("without TLS", { withExtendedLifetime(plain) { open.exchange(count) } })],
        work: { withExtendedLifetime(secure) { closed.exchange(count) } }
    )
}

/// A certificate for the loopback, made by the `openssl` program, and who trusts it.
private func selfSigned() throws -> (TLSServer, TLSClient) {
    var template = Array("/tmp/linkstr-bench-XXXXXX\0".utf8CString)
    guard mkdtemp(&template) != nil else { throw SocketsError.closed }
    let folder = String(decoding: template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { _ = system("rm -r '\(folder)'") }
    let (certificate, key) = (folder + "/certificate.pem", folder + "/key.pem")
    let made = system(
        "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=loopback -days 2 "
            + "-addext subjectAltName=IP:127.0.0.1 -keyout '\(key)' -out '\(certificate)' 2>/dev/null"
    )
    guard made == 0 else { throw SocketsError.closed }
    var configuration = TLSConfiguration()
    configuration.trustsSystemAuthorities = false
    configuration.extraAuthoritiesFile = certificate
    return (
        try TLSServer(certificateChainFile: certificate, privateKeyFile: key), try TLSClient(configuration)
    )
}

private func echoes(size: Int, count: Int) throws -> Benchmark.Run {
    let loops = try EventLoopGroup(count: 2).loops()
    let listener = try Listener(on: .ip(.loopback4, port: 0), group: EventLoopGroup(loops[0])) { stream in
        stream.start(Mirror(stream))
    }
    let client = try blocking { try await Asker(listener, on: loops[1], size: size) }
    let raw = RawEcho()
    let message = [UInt8](repeating: 1, count: size)
    return Benchmark.Run(
        floors: [("blocking threads", { raw.exchange(message, count) })],
        work: { withExtendedLifetime(listener) { client.exchange(count) } }
    )
}

private func blocking<Result: Sendable>(_ body: @escaping @Sendable () async throws -> Result) throws -> Result {
    let done = DispatchSemaphore(value: 0)
    let box = Box<Swift.Result<Result, any Error>?>(nil)
    Task {
        do { box.value = .success(try await body()) } catch { box.value = .failure(error) }
        done.signal()
    }
    done.wait()
    guard let result = box.value else { throw SocketsError.closed }
    return try result.get()
}

/// `@unchecked Sendable`: written before the semaphore is signalled and read after it was waited for.
private final class Box<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

private actor Mirror: ByteStreamHandler {
    private let stream: any ByteStream
    private let loop: EventLoop
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ stream: any ByteStream) {
        self.stream = stream
        loop = stream.loop
    }

    func begin() { stream.start(self) }

    nonisolated func received(_ bytes: inout MutableRawSpan) {
        assumeIsolated { if $0.stream.write(bytes.bytes) == .full { $0.stream.pauseReading() } }
    }
    nonisolated func writable() { assumeIsolated { $0.stream.resumeReading() } }
    nonisolated func ended() { assumeIsolated { $0.stream.close() } }
    nonisolated func closed(_ reason: CloseReason) {}
}

private actor Asker: ByteStreamHandler {
    private let stream: any ByteStream
    private let loop: EventLoop
    private let message: [UInt8]
    private var left = 0
    private var missing = 0
    private let done = DispatchSemaphore(value: 0)
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(_ listener: Listener, on loop: EventLoop, size: Int, tls: TLSClient? = nil) async throws {
        guard let port = listener.address.port else { throw SocketsError.closed }
        var connector = Connector()
        if let tls { connector.tls = tls }
        self.loop = loop
        message = [UInt8](repeating: 1, count: size)
        stream = try await connector.connect(to: "127.0.0.1", port: port, secure: tls != nil, on: loop)
        begin()
    }

    private func begin() { stream.start(self) }

    nonisolated func exchange(_ count: Int) {
        loop.execute { self.assumeIsolated { $0.ask(count) } }
        done.wait()
    }

    private func ask(_ count: Int) {
        left = count
        missing = message.count
        _ = stream.write(message)
    }

    private func took(_ count: Int) {
        missing -= count
        guard missing <= 0 else { return }
        left -= 1
        guard left > 0 else {
            done.signal()
            return
        }
        missing = message.count
        _ = stream.write(message)
    }

    nonisolated func received(_ bytes: inout MutableRawSpan) {
        assumeIsolated { $0.took(bytes.byteCount) }
    }
    nonisolated func ended() {}
    nonisolated func closed(_ reason: CloseReason) {}
}

/// A thread that sends back what comes through one end of a pair of sockets.
private final class RawEcho {
    private let near: Int32

    init() {
        var pair: [Int32] = [0, 0]
        socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
        near = pair[0]
        let far = pair[1]
        var thread = pthread_t()
        pthread_create(
            &thread,
            nil,
            { argument in
                let far = Int32(Int(bitPattern: argument))
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                while true {
                    let count = read(far, &buffer, buffer.count)
                    guard count > 0 else { break }
                    var sent = 0
                    while sent < count {
                        let more = buffer.withUnsafeBytes { write(far, $0.baseAddress! + sent, count - sent) }
                        guard more > 0 else { break }
                        sent += more
                    }
                }
                close(far)
                return nil
            },
            UnsafeMutableRawPointer(bitPattern: Int(far))
        )
        pthread_detach(thread)
    }

    deinit { close(near) }

    func exchange(_ message: [UInt8], _ count: Int) {
        var buffer = message
        for _ in 0..<count {
            _ = write(near, message, message.count)
            var got = 0
            while got < message.count {
                let more = buffer.withUnsafeMutableBytes { read(near, $0.baseAddress! + got, message.count - got) }
                guard more > 0 else { return }
                got += more
            }
        }
    }
}
