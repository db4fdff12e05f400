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
    /// - Parameter hasInput: Whether something will be written to its standard input; else it has this process's.
    /// - Throws: ``CommandFailure`` with ``ExitCode/unavailable`` where it cannot be started.
    init(_ program: String, _ arguments: [String], hasInput: Bool = false) throws(CommandFailure) {
        var ends: [Int32] = [-1, -1]
        if hasInput {
            guard pipe(&ends) == 0 else {
                throw CommandFailure(.localIO, "no pipe can be made: \(String(cString: strerror(errno)))")
            }
            _ = fcntl(ends[1], F_SETFD, FD_CLOEXEC)
        }
        defer { if hasInput { close(ends[0]) } }
        do throws(Spawn.Failure) {
            process = try Spawn.start(program, arguments, unignored: [SIGPIPE]) { actions in
                guard hasInput else { return }
                posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
                if ends[0] != 0 { posix_spawn_file_actions_addclose(&actions, ends[0]) }
            }
        } catch {
            if hasInput { close(ends[1]) }
            throw CommandFailure(.unavailable, "\(TerminalText.safe(program)) cannot be started: \(error.reason)")
        }
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
        Spawn.end(of: process)
    }
}
