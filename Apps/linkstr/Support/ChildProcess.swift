import CommandKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A program that is started beside this one. Its arguments are words of their own, never a line for a shell.
struct ChildProcess {
    private let process: pid_t
    private let input: Int32

    /// Starts a program, found by `PATH`.
    ///
    /// Signals do to it what they usually do: this process blocks or ignores some, and a child would inherit that.
    /// - Parameter hasInput: Whether something will be written to its standard input; else it has this process's.
    /// - Throws: ``CommandFailure`` with ``ExitCode/unavailable`` where it cannot be started.
    init(_ program: String, _ arguments: [String], hasInput: Bool = false) throws(CommandFailure) {
        var ends: [Int32] = [-1, -1]
        if hasInput {
            guard pipe(&ends) == 0 else {
                throw CommandFailure(.localIO, "no pipe can be made: \(Self.message(errno))")
            }
            _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        if hasInput {
            posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
            if ends[0] != 0 { posix_spawn_file_actions_addclose(&actions, ends[0]) }
        }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigaddset(&signals, SIGPIPE)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
        let texts: [String] = [program] + arguments
        var words: [UnsafeMutablePointer<CChar>?] = texts.map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var process = pid_t()
        let code = posix_spawnp(&process, program, &actions, &attributes, &words, environ)
        if hasInput { close(ends[0]) }
        guard code == 0 else {
            if hasInput { close(ends[1]) }
            throw CommandFailure(.unavailable, "\(TerminalText.safe(program)) cannot be started: \(Self.message(code))")
        }
        self.process = process
        input = ends[1]
    }

    /// Writes to its standard input, closes it, and waits for its end. A program that does not read is no failure.
    func finish(writing bytes: [UInt8]) {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        close(input)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
    }

    private static func message(_ code: Int32) -> String { String(cString: strerror(code)) }
}
