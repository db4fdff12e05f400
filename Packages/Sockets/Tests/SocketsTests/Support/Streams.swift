import Foundation
import Sockets

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

#if canImport(Darwin)
    let streamSocketType = SOCK_STREAM
#else
    let streamSocketType = Int32(SOCK_STREAM.rawValue)
#endif

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

/// Whether `::1` can be used here.
let hasIPv6Loopback: Bool = (try? Listener(on: .ip(.loopback6, port: 0)) { _ in }) != nil

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
