import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A TCP port of the loopback that is listened at.
final class LoopbackPort: Sendable {
    let number: UInt16
    let descriptor: Int32

    init() throws {
        descriptor = Self.makeSocket()
        let descriptor = descriptor
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        var address = Self.address(0)
        let listens = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                bind(descriptor, raw, length) == 0 && listen(descriptor, 64) == 0
                    && getsockname(descriptor, raw, &length) == 0
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        try #require(listens)
    }

    deinit { close(descriptor) }

    /// A connection to a port of the loopback; negative where nobody answers.
    static func connect(to port: UInt16) -> Int32 {
        let descriptor = makeSocket()
        var address = address(port)
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
                #if canImport(Glibc)
                    Glibc.connect(descriptor, raw, socklen_t(MemoryLayout<sockaddr_in>.size))
                #else
                    Darwin.connect(descriptor, raw, socklen_t(MemoryLayout<sockaddr_in>.size))
                #endif
            }
        }
        guard status == 0 else {
            close(descriptor)
            return -1
        }
        return descriptor
    }

    private static func makeSocket() -> Int32 {
        #if canImport(Glibc)
            socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            socket(AF_INET, SOCK_STREAM, 0)
        #endif
    }

    private static func address(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        return address
    }
}

/// A TCP server that takes connections and never says anything.
final class SilentServer {
    private let listener: LoopbackPort
    var port: UInt16 { listener.number }

    init() throws { listener = try LoopbackPort() }
}
