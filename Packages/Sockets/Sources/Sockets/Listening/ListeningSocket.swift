#if canImport(Darwin)
    import Darwin
#else
    import CLinux
    import Glibc
#endif

/// Opens and examines listening sockets.
enum ListeningSocket {
    static func open(_ address: SocketAddress, _ options: ListenerOptions) throws(SocketsError) -> Int32 {
        let descriptor = try SystemCall.streamSocket(address.family)
        do throws(SocketsError) {
            if case .unix(let path) = address {
                try bindPath(descriptor, address, path, options.mode)
            } else {
                SystemCall.setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
                if address.family == AF_INET6 {
                    SystemCall.setOption(descriptor, Int32(IPPROTO_IPV6), Int32(IPV6_V6ONLY), 1)
                }
                try bindAddress(descriptor, address)
            }
            guard listen(descriptor, options.backlog) == 0 else {
                throw SystemCall.error("listen", errno, at: address.description)
            }
        } catch {
            SystemCall.closeDescriptor(descriptor)
            throw error
        }
        return descriptor
    }

    private static func bindAddress(_ descriptor: Int32, _ address: SocketAddress) throws(SocketsError) {
        let code = try address.withSystemAddress { bind(descriptor, $0, $1) == 0 ? 0 : errno }
        guard code == 0 else { throw SystemCall.error("bind", code, at: address.description) }
    }

    /// Nobody can connect before `listen`, so the mode is in force before the first connection.
    private static func bindPath(
        _ descriptor: Int32,
        _ address: SocketAddress,
        _ path: String,
        _ mode: UInt32
    ) throws(SocketsError) {
        do throws(SocketsError) {
            try bindAddress(descriptor, address)
        } catch SocketsError.addressInUse {
            // A socket that nobody listens at was left by a process that was killed.
            guard try isAbandoned(address, path) else { throw .addressInUse(path) }
            _ = unlink(path)
            try bindAddress(descriptor, address)
        }
        guard chmod(path, mode_t(mode & 0o777)) == 0 else {
            let code = errno
            _ = unlink(path)
            throw SystemCall.error("chmod", code, at: path)
        }
    }

    private static func isAbandoned(_ address: SocketAddress, _ path: String) throws(SocketsError) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        let probe = try SystemCall.streamSocket(AF_UNIX)
        defer { SystemCall.closeDescriptor(probe) }
        return try address.withSystemAddress { connect(probe, $0, $1) == -1 && errno == ECONNREFUSED }
    }

    /// The address of a descriptor that is a listening stream socket; nil for anything else.
    static func address(ofListening descriptor: Int32) -> SocketAddress? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &length) == 0, value != 0 else { return nil }
        if let address = SocketAddress(of: descriptor, remote: false) { return address }
        var name = sockaddr_un()
        var size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let found = withUnsafeMutablePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) == 0 }
        }
        guard found, Int32(name.sun_family) == AF_UNIX else { return nil }
        return .unix(
            path: withUnsafeBytes(of: &name.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        )
    }

    /// What tells one file from another that took its path.
    static func identity(ofPath path: String) -> FileIdentity? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        return FileIdentity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
    }

    struct FileIdentity: Equatable {
        let device: UInt64
        let inode: UInt64
    }
}
