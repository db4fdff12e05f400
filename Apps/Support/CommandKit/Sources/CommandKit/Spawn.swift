#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#elseif canImport(Darwin)
    package import Darwin
#endif

/// Starts processes, in which signals do what they usually do: this one blocks or ignores some, and a child would inherit that.
package enum Spawn {
    #if canImport(Darwin)
        package typealias FileActions = posix_spawn_file_actions_t?
    #else
        package typealias FileActions = posix_spawn_file_actions_t
    #endif

    /// Why a program was not started.
    package struct Failure: Error, CustomStringConvertible {
        package let program: String
        /// In the system's words.
        package let reason: String

        package var description: String { "\(program): \(reason)" }
    }

    /// - Parameters:
    ///   - program: Its path, or a name that is found by `PATH`.
    ///   - environment: That of this process where there is none.
    ///   - unignored: The signals that are not ignored, though this process may do so. None is blocked.
    ///   - flags: More flags of posix_spawn.
    ///   - files: Says what becomes of its descriptors.
    package static func start(
        _ program: String,
        _ arguments: [String],
        environment: [String: String]? = nil,
        unignored: [Int32],
        flags: Int16 = 0,
        files: (inout FileActions) -> Void
    ) throws(Failure) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in unignored { sigaddset(&signals, signal) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF) | flags)
        files(&actions)

        var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = (environment ?? [:]).map { strdup($0 + "=" + $1) } + [nil]
        defer { for text in words + variables { free(text) } }
        var process = pid_t()
        let code =
            environment == nil
            ? posix_spawnp(&process, program, &actions, &attributes, &words, environ)
            : posix_spawnp(&process, program, &actions, &attributes, &words, &variables)
        guard code == 0 else { throw Failure(program: program, reason: Platform.message(for: code)) }
        return process
    }

    /// Waits for the end of a child; its exit code, or the number of the signal that ended it, negated.
    @discardableResult
    package static func end(of process: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
}
