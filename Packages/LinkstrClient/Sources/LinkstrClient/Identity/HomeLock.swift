import NostrCrypto

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The right to write into a home: one process at a time has it. It ends with the process, however that ends, so no stale lock
/// remains.
public final class HomeLock: Sendable {
    private let file: Int32

    /// Takes the lock at once or not at all.
    /// - Throws: ``IdentityError/inUse(path:process:)`` with the process that has it, where that is known.
    public init(_ home: Home) throws(IdentityError) {
        try PrivateFile.makeDirectory(home.data)
        let path = home.lock
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw PrivateFile.failure("lock", path) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
            let problem = errno
            let holder = Self.holder(file)
            close(file)
            if problem == EWOULDBLOCK { throw .inUse(path: path, process: holder) }
            throw .system(operation: "lock", path: path, errno: problem)
        }
        // Who holds it is for the message of others; the lock is the system's.
        ftruncate(file, 0)
        let text = String(getpid()) + "\n"
        _ = text.withCString { pwrite(file, $0, text.utf8.count, 0) }
        self.file = file
    }

    /// Says where the holder can be talked to, for ``socket(announcedIn:)``.
    /// - Parameter path: The absolute path of a Unix socket.
    public func announce(socket path: String) {
        let text = "\(getpid())\n\(path)\n"
        _ = text.withCString { pwrite(file, $0, text.utf8.count, 0) }
    }

    /// Where the process that works on a home can be talked to, if it has said so. Whether it still runs is found out by connecting.
    public static func socket(announcedIn home: Home) -> String? {
        guard PrivateFile.exists(home.lock), let bytes = try? PrivateFile.read(home.lock) else { return nil }
        let lines = bytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
            .split(separator: "\n", omittingEmptySubsequences: false)
        return lines.count > 1 && lines[1].hasPrefix("/") ? String(lines[1]) : nil
    }

    deinit {
        ftruncate(file, 0)
        close(file)
    }

    private static func holder(_ file: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(file, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self))
    }
}
