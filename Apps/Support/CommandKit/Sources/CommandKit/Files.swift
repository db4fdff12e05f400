#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Small files, read with a bound and written as a whole or not at all.
public enum Files {
    /// The path as a process in another directory names the same file.
    public static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
        defer { free(directory) }
        return String(cString: directory) + "/" + path
    }

    /// Reads a secret from a file that is closed to everybody but its owner, or from a pipe or a device.
    ///
    /// What a path below `/dev` leads to (`/dev/stdin`, the `/dev/fd/63` of a process substitution) was opened by
    /// whoever started the process, as standard input was, and is read whatever its mode is.
    ///
    /// - Parameter limit: the most bytes it may have.
    /// - Throws: ``CommandFailure``: ``ExitCode/notPermitted`` for a file that is open to others,
    ///   ``ExitCode/localIO`` when it cannot be read, ``ExitCode/badInput`` when it is larger than the limit.
    public static func readSecret(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw unreadable(path, errno) }
        if status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0, !path.hasPrefix("/dev/") {
            throw CommandFailure(
                .notPermitted,
                "\(named(path)) is open to others than its owner, so it is not used; chmod 600 closes it"
            )
        }
        return try read(descriptor, path, limit)
    }

    private static func read(_ descriptor: Int32, _ path: String, _ limit: Int) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = chunk.withUnsafeMutableBytes { Platform.read(descriptor, into: $0) }
            if count < 0 { throw unreadable(path, Int32(-count)) }
            if count == 0 { return bytes }
            bytes.append(contentsOf: chunk[..<count])
            if bytes.count > limit {
                throw CommandFailure(.badInput, "\(named(path)) is larger than \(limit) bytes")
            }
        }
    }

    /// Reads a file that holds no secret; nil if there is none.
    ///
    /// - Parameter limit: the most bytes it may have.
    /// - Throws: ``CommandFailure``: ``ExitCode/localIO`` when it cannot be read, ``ExitCode/badInput`` when it is larger than
    ///   the limit.
    public static func readIfPresent(_ path: String, limit: Int) throws(CommandFailure) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw unreadable(path, errno)
        }
        defer { close(descriptor) }
        return try read(descriptor, path, limit)
    }

    /// Writes a file beside its place and moves it there.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitCode/cannotWrite``.
    public static func write(_ path: String, _ text: String, mode: UInt32 = 0o644) throws(CommandFailure) {
        try write(path, bytes: Array(text.utf8), mode: mode)
    }

    /// Writes a file beside its place and moves it there. What a link leads to is written in its place; what is no file, such as a
    /// terminal or a pipe, is written to as it is.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitCode/cannotWrite``.
    public static func write(_ path: String, bytes: [UInt8], mode: UInt32 = 0o644) throws(CommandFailure) {
        var status = stat()
        let isThere = stat(path, &status) == 0
        if isThere, status.st_mode & S_IFMT != S_IFREG {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw unwritable(path, errno) }
            if let failure = writeAndClose(bytes, descriptor) { throw unwritable(path, failure) }
            return
        }
        let place = isThere ? resolved(path) : path
        // A name that nobody has: what is beside the file is not ours.
        let draft = "\(place).\(UInt64.random(in: 0 ... .max)).new"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(mode))
        guard descriptor >= 0 else { throw unwritable(path, errno) }
        var failure = writeAndClose(bytes, descriptor)
        if failure == nil, rename(draft, place) != 0 { failure = errno }
        if let failure {
            unlink(draft)
            throw unwritable(path, failure)
        }
    }

    private static func writeAndClose(_ bytes: [UInt8], _ descriptor: Int32) -> Int32? {
        let failure = bytes.withUnsafeBytes { Platform.write(descriptor, $0) }
        return close(descriptor) != 0 && failure == nil ? errno : failure
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// A path, as messages name it. Without a directory it is repeated as any other word is.
    static func named(_ path: String) -> String {
        path.utf8.contains(UInt8(ascii: "/")) ? "'" + TerminalText.safe(path, width: 200) + "'" : quoted(path)
    }

    private static func unreadable(_ path: String, _ number: Int32) -> CommandFailure {
        CommandFailure(.localIO, "\(named(path)) cannot be read: \(Platform.message(for: number))")
    }

    private static func unwritable(_ path: String, _ number: Int32) -> CommandFailure {
        CommandFailure(.cannotWrite, "\(named(path)) cannot be written: \(Platform.message(for: number))")
    }
}
