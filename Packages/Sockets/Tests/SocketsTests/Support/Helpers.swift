import Foundation
import Sockets

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

let patience = Duration.seconds(60)

#if canImport(Darwin)
    let streamSocketType = SOCK_STREAM
#else
    let streamSocketType = Int32(SOCK_STREAM.rawValue)
#endif

/// How many open sockets of this process have the port at either end.
func socketsTouching(port: UInt16) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
    return names.count { name in
        guard let descriptor = Int32(name) else { return false }
        return [getsockname, getpeername].contains { call in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
            }
            return code == 0 && Int32(address.sin_family) == AF_INET && address.sin_port.bigEndian == port
        }
    }
}

/// Two connected streams on one loop, over the loopback.
func pairOfSockets(on loop: EventLoop) async throws -> (SocketStream, SocketStream) {
    let accepted = Shared<SocketStream?>(nil)
    let listener = try Listener(on: .ip(.loopback4, port: 0), group: EventLoopGroup(loop)) { stream in
        accepted.update { $0 = stream }
    }
    guard let port = listener.address.port,
        let left = try await Connector().connect(to: "127.0.0.1", port: port, on: loop) as? SocketStream
    else { throw SocketsError.closed }
    guard await eventually({ accepted.value != nil }), let right = accepted.value else { throw SocketsError.closed }
    return (left, right)
}

/// Waits, yielding, until something is so; false after a minute.
func eventually(_ condition: () async -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + patience
    while ContinuousClock.now < deadline {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return false
}

/// A value that several threads touch.
///
/// `@unchecked Sendable`: touched under the lock. `NSLock`, which the thread sanitiser knows.
final class Shared<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var stored: Value
    init(_ value: Value) { stored = value }
    var value: Value { lock.withLock { stored } }
    func update(_ body: (inout Value) -> Void) { lock.withLock { body(&stored) } }
}

/// Sends back what it is given, holding the peer back when the way out is full.
actor Echo: ByteStreamHandler {
    private let loop: EventLoop
    private let stream: any ByteStream
    private(set) var mostPending = 0
    private(set) var reason: CloseReason?
    private var hasEnded = false
    private var held: [UInt8] = []

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
}

/// Writes down what a stream tells it.
actor Recorder: ByteStreamHandler {
    enum Happening: Equatable { case bytes([UInt8]), writable, ended, closed(CloseReason) }

    private let loop: EventLoop
    private(set) var happenings: [Happening] = []
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: EventLoop) { self.loop = loop }

    var bytes: [UInt8] { happenings.flatMap { if case .bytes(let bytes) = $0 { bytes } else { [UInt8]() } } }
    var closeReason: CloseReason? {
        if case .closed(let reason) = happenings.last { reason } else { nil }
    }

    /// Runs something on the loop, with the recorder.
    func on<Result: Sendable>(_ body: @Sendable (isolated Recorder) throws -> Result) rethrows -> Result {
        try body(self)
    }

    nonisolated func received(_ bytes: inout MutableRawSpan) {
        assumeIsolated { recorder in
            recorder.happenings.append(.bytes(bytes.withUnsafeBytes { Array($0) }))
        }
    }
    nonisolated func writable() { assumeIsolated { $0.happenings.append(.writable) } }
    nonisolated func ended() { assumeIsolated { $0.happenings.append(.ended) } }
    nonisolated func closed(_ reason: CloseReason) { assumeIsolated { $0.happenings.append(.closed(reason)) } }
}

/// A directory for one test.
final class TemporaryDirectory: Sendable {
    let path: String
    init() {
        path = NSTemporaryDirectory().replacingOccurrences(of: "//", with: "/") + "s-" + UUID().uuidString.prefix(8)
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }
    func file(_ name: String) -> String { path + "/" + name }
}

/// Whether `::1` can be used here.
let hasIPv6Loopback: Bool = (try? Listener(on: .ip(.loopback6, port: 0)) { _ in }) != nil

/// The error that a closure throws.
func failure(_ body: () async throws -> Void) async -> SocketsError? {
    do {
        try await body()
        return nil
    } catch {
        return error as? SocketsError
    }
}

/// Bytes that repeat only after a prime number of them, made and compared without a loop of our own: in a debug build under a
/// sanitiser such a loop would hold a thread of the tasks for half a minute.
func pattern(_ count: Int) -> [UInt8] {
    let period = (0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + period.count)
    while bytes.count < count { bytes.append(contentsOf: period) }
    bytes.removeLast(bytes.count - count)
    return bytes
}

func isSame(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count
        && left.withUnsafeBytes { left in
            right.withUnsafeBytes { right in memcmp(left.baseAddress!, right.baseAddress!, left.count) == 0 }
        }
}
