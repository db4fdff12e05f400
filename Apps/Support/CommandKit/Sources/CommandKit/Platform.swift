#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The few system calls that the rest of the module needs, with interruptions handled.
enum Platform {
    /// Writes all bytes, or returns the number of the error.
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int32? {
        var rest = bytes
        while let start = rest.baseAddress, !rest.isEmpty {
            #if canImport(Glibc)
                let count = Glibc.write(descriptor, start, rest.count)
            #elseif canImport(Musl)
                let count = Musl.write(descriptor, start, rest.count)
            #else
                let count = Darwin.write(descriptor, start, rest.count)
            #endif
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    // Somebody else made the shared descriptor non-blocking.
                    var one = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&one, 1, -1)
                    continue
                }
                return errno
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return nil
    }

    /// Reads once; 0 is the end, a negative value the negated number of the error.
    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            #if canImport(Glibc)
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                let count = Musl.read(descriptor, buffer.baseAddress, buffer.count)
            #else
                let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 { return count }
            if errno == EINTR { continue }
            if errno == EAGAIN {
                var one = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&one, 1, -1)
                continue
            }
            return -Int(errno)
        }
    }

    /// The offset of the first such byte.
    static func firstIndex(of byte: UInt8, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard let start = bytes.baseAddress, let found = memchr(start, Int32(byte), bytes.count) else { return nil }
        return UnsafeRawPointer(found) - start
    }

    static func message(for number: Int32) -> String {
        guard let text = strerror(number) else { return "error \(number)" }
        return String(cString: text)
    }

    static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

    /// Makes sure that no file or connection gets the number of a standard descriptor that was closed by who started the process: what
    /// is said would be written into it. In their place stands what can be neither read nor written, as before.
    static func occupyStandardDescriptors() {
        for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 && errno == EBADF {
            // The lowest number that is free, which is this one.
            _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
        }
    }

    /// Crashes leave no image of the memory behind.
    static func forbidCores() {
        var none = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
            setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none)
        #else
            setrlimit(RLIMIT_CORE, &none)
        #endif
    }

    /// The place of the first argument that is not UTF-8, counted from 1. `CommandLine.arguments` has it mended, so a
    /// command would work on something that nobody gave.
    static var firstMalformedArgument: Int? {
        (1..<max(1, Int(CommandLine.argc))).first { place in
            CommandLine.unsafeArgv[place].map { String(validatingCString: $0) == nil } ?? false
        }
    }

    /// Columns of the terminal behind the descriptor, 80 where that is unknown.
    static func columns(_ descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col >= 20 else { return 80 }
        return Int(size.ws_col)
    }

    /// Milliseconds of a clock that only goes forward.
    static func milliseconds() -> Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    static let brokenPipe = EPIPE
}
