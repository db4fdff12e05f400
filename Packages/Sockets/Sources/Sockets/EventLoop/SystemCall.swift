#if canImport(Darwin)
    import Darwin
#else
    import Glibc
    import CLinux
#endif

/// The few system calls of this package, with the differences between systems and the errors in one place.
enum SystemCall {
    static func message(_ code: Int32) -> String {
        String(cString: strerror(code))
    }

    static func error(_ call: String, _ code: Int32, at address: String) -> SocketsError {
        switch code {
        case ECONNREFUSED: .connectionRefused(address)
        case ECONNRESET, EPIPE, ECONNABORTED: .connectionReset
        case ENETUNREACH, EHOSTUNREACH, EADDRNOTAVAIL, ENETDOWN, EHOSTDOWN, EAFNOSUPPORT: .unreachable(address)
        case ETIMEDOUT: .timedOut(.connect)
        case EADDRINUSE: .addressInUse(address)
        case EACCES, EPERM: .permissionDenied(address)
        case EMFILE, ENFILE: .tooManyDescriptors
        case ENOENT: .connectionRefused(address)
        default: .system(call: call, code: code)
        }
    }

    /// A non-blocking stream socket that is closed on `exec` and raises no SIGPIPE.
    static func streamSocket(_ family: Int32) throws(SocketsError) -> Int32 {
        #if os(Linux)
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
            let descriptor = socket(family, type, 0)
            guard descriptor >= 0 else { throw error("socket", errno, at: "the network") }
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
            guard descriptor >= 0 else { throw error("socket", errno, at: "the network") }
            adopt(descriptor)
        #endif
        return descriptor
    }

    /// Gives a descriptor that came from elsewhere the flags of `streamSocket`.
    static func adopt(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, fcntl(descriptor, F_GETFD) | FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        #if canImport(Darwin)
            setOption(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
        #endif
    }

    static func accept(_ listener: Int32) -> Int32 {
        #if os(Linux)
            return accept4(listener, nil, nil, Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue))
        #else
            let descriptor = Darwin.accept(listener, nil, nil)
            if descriptor >= 0 { adopt(descriptor) }
            return descriptor
        #endif
    }

    static func setOption(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) {
        var value = value
        _ = setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The pending error of a socket; zero when there is none.
    static func pendingError(_ descriptor: Int32) -> Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 ? code : errno
    }

    static func disableNagle(_ descriptor: Int32) {
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// Where the system does not know it, this does nothing.
    static func limitUnsent(_ descriptor: Int32, _ bytes: Int32) {
        setOption(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, bytes)
    }

    static func receive(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        recv(descriptor, buffer.baseAddress, buffer.count, 0)
    }

    /// Sends two pieces in one call; the first or the second may be empty.
    static func send(_ descriptor: Int32, _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { pieces in
            pieces[0] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress),
                iov_len: first.count
            )
            pieces[1] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress),
                iov_len: second.count
            )
            var message = msghdr()
            message.msg_iov = pieces.baseAddress
            message.msg_iovlen = 2
            #if os(Linux)
                return sendmsg(descriptor, &message, Int32(MSG_NOSIGNAL))
            #else
                return sendmsg(descriptor, &message, 0)
            #endif
        }
    }

    static func shutdownWriting(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    static func closeDescriptor(_ descriptor: Int32) {
        _ = close(descriptor)
    }

    static func wouldBlock(_ code: Int32) -> Bool {
        code == EAGAIN || code == EWOULDBLOCK
    }

    /// The user at the other end of a Unix socket.
    static func peerUser(_ descriptor: Int32) -> UInt32? {
        #if os(Linux)
            var credentials: (pid: Int32, user: UInt32, group: UInt32) = (0, 0, 0)
            var length = socklen_t(MemoryLayout.size(ofValue: credentials))
            guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
            return credentials.user
        #else
            var user: uid_t = 0
            var group: gid_t = 0
            guard getpeereid(descriptor, &user, &group) == 0 else { return nil }
            return user
        #endif
    }
}
