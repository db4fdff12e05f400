import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Starts a process with signals as a shell would leave them.
enum Spawn {
    #if canImport(Darwin)
        typealias FileActions = posix_spawn_file_actions_t?
    #else
        typealias FileActions = posix_spawn_file_actions_t
    #endif

    /// - Parameters:
    ///   - flags: More flags of posix_spawn.
    ///   - files: Says what becomes of its descriptors.
    static func start(
        _ executable: String,
        _ arguments: [String],
        environment: [String: String],
        flags: Int16 = 0,
        files: (inout FileActions) -> Void
    ) throws -> pid_t {
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
        var defaults = sigset_t()
        sigemptyset(&defaults)
        for number in [SIGINT, SIGPIPE, SIGHUP] { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        // Threads of a test may have signals blocked, which children would inherit.
        var mask = sigset_t()
        sigemptyset(&mask)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | flags)
        files(&actions)

        var words: [UnsafeMutablePointer<CChar>?] = ([executable] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = environment.map { strdup($0 + "=" + $1) } + [nil]
        defer { for one in words + variables { free(one) } }
        var pid: pid_t = 0
        let status = posix_spawn(&pid, executable, &actions, &attributes, &words, &variables)
        guard status == 0 else {
            throw RunningProcess.Failure(description: "\(executable): \(String(cString: strerror(status)))")
        }
        return pid
    }

    /// Waits for the end; the exit code, or the number of the signal, negated.
    static func end(of pid: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
}
