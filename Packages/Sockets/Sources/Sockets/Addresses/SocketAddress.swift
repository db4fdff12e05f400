#if canImport(Darwin)
    import Darwin
#else
    import CLinux
    import Glibc
#endif

/// Where a socket is: an IP address and port, or the path of a Unix socket.
public enum SocketAddress: Hashable, Sendable {
    /// An IPv4 or IPv6 address and a TCP port.
    case ip(IPAddress, port: UInt16)
    /// A path in the file system, at most 107 bytes on Linux.
    case unix(path: String)

    /// The port; nil for a Unix socket.
    public var port: UInt16? {
        if case .ip(_, let port) = self { port } else { nil }
    }

    var family: Int32 {
        switch self {
        case .ip(.v4, _): AF_INET
        case .ip(.v6, _): AF_INET6
        case .unix: AF_UNIX
        }
    }

    /// Calls a closure with the system's form of the address.
    func withSystemAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) throws(SocketsError) -> Result {
        switch self {
        case .ip(.v4(let bits), let port):
            var address = sockaddr_in()
            #if canImport(Darwin)
                address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
            #endif
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            address.sin_addr.s_addr = bits.bigEndian
            return Self.call(&address, MemoryLayout<sockaddr_in>.size, body)
        case .ip(.v6(let high, let low, let scope), let port):
            var address = sockaddr_in6()
            #if canImport(Darwin)
                address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
            #endif
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            withUnsafeMutableBytes(of: &address.sin6_addr) { bytes in
                bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
                bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
            }
            return Self.call(&address, MemoryLayout<sockaddr_in6>.size, body)
        case .unix(let path):
            var address = sockaddr_un()
            let bytes = Array(path.utf8)
            guard !bytes.isEmpty, !bytes.contains(0), bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
                throw .invalidAddress(path)
            }
            #if canImport(Darwin)
                address.sun_len = UInt8(MemoryLayout<sockaddr_un>.size)
            #endif
            address.sun_family = sa_family_t(AF_UNIX)
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            return Self.call(&address, MemoryLayout<sockaddr_un>.size, body)
        }
    }

    private static func call<Address, Result>(
        _ address: inout Address,
        _ size: Int,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }

    /// From the system's form; nil for a family that is not known.
    init?(_ address: UnsafePointer<sockaddr>) {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let four = raw.loadUnaligned(as: sockaddr_in.self)
            self = .ip(.v4(UInt32(bigEndian: four.sin_addr.s_addr)), port: UInt16(bigEndian: four.sin_port))
        case AF_INET6:
            let six = raw.loadUnaligned(as: sockaddr_in6.self)
            self = .ip(IPAddress(six.sin6_addr, scope: six.sin6_scope_id), port: UInt16(bigEndian: six.sin6_port))
        default:
            return nil
        }
    }

    /// The local or the remote address of a socket; nil when it cannot be told.
    init?(of descriptor: Int32, remote: Bool) {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let found: SocketAddress? = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                let call = remote ? getpeername : getsockname
                return call(descriptor, address, &length) == 0 ? SocketAddress(address) : nil
            }
        }
        guard let found else { return nil }
        self = found
    }
}

extension SocketAddress: CustomStringConvertible {
    /// `192.0.2.1:443`, `[2001:db8::1]:443`, or the path.
    public var description: String {
        switch self {
        case .ip(let address, let port): address.isV6 ? "[\(address)]:\(port)" : "\(address):\(port)"
        case .unix(let path): path
        }
    }
}
