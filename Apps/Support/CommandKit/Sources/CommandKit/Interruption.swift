internal import Locking

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Ctrl-C and SIGTERM. A command ends at once, after Ctrl-C with exit code 130 and after SIGTERM by that signal, unless it is inside
/// ``cancelling(_:)``: then its task is cancelled first, and only the second signal ends the process. It ends in the same way then.
public enum Interruption {
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var cleanUp: (@Sendable () -> Void)?
        var hangup: (@Sendable () -> Void)?
        var isCancelled = false
        /// What cancelled was SIGTERM.
        var isTerminated = false
    }

    private static let state = Locked(State())

    /// Runs `work`, which ends the process, and waits for SIGINT and SIGTERM on this thread. No other thread may exist
    /// yet: the signals are blocked in all that are made from here on. SIGINT stays ignored where it is, as in a
    /// background job.
    ///
    /// - Parameter takesHangups: Whether SIGHUP is for ``onHangup(_:)``; otherwise it ends the process.
    static func waitForever(
        output: Output,
        takesHangups: Bool,
        while work: @escaping @Sendable () async -> Never
    ) -> Never {
        let isHandled = !isIgnored
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGINT)
        sigaddset(&set, SIGTERM)
        if takesHangups { sigaddset(&set, SIGHUP) }
        pthread_sigmask(SIG_BLOCK, &set, nil)
        Task { await work() }
        while true {
            var signal: Int32 = 0
            guard sigwait(&set, &signal) == 0 else { continue }
            if signal == SIGTERM {
                terminate(output)
            } else if signal == SIGHUP {
                state.withLock { $0.hangup }?()
            } else if isHandled {
                interrupt(output)
            }
        }
    }

    /// Calls `action` for each SIGHUP from now on, on the thread that waits for signals. The application has to take hangups.
    public static func onHangup(_ action: @escaping @Sendable () -> Void) {
        state.withLock { $0.hangup = action }
    }

    /// Cancels what is inside ``cancelling(_:)``; false if there is nothing, or if it was cancelled before.
    private static func cancelsWork() -> Bool {
        let cancel: (@Sendable () -> Void)? = state.withLock { state in
            defer { state.isCancelled = true }
            return state.isCancelled ? nil : state.cancel
        }
        cancel?()
        return cancel != nil
    }

    /// Whether SIGTERM cancelled the work.
    static var isTerminated: Bool { state.withLock { $0.isTerminated } }

    private static func terminate(_ output: Output) {
        state.withLock { if !$0.isCancelled { $0.isTerminated = true } }
        if cancelsWork() { return }
        state.withLock { $0.cleanUp }?()
        output.flushIfIdle()
        endByTermination()
    }

    /// Ends the process by SIGTERM, so that whoever waits for it sees what ended it.
    static func endByTermination() {
        signal(SIGTERM, SIG_DFL)
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
        raise(SIGTERM)
    }

    private static func interrupt(_ output: Output) {
        if !cancelsWork() {
            state.withLock { $0.cleanUp }?()
            // Whoever reads the output may have stopped reading.
            signal(SIGALRM) { _ in _exit(ExitCode.interrupted.rawValue) }
            alarm(1)
            output.flushIfIdle()
            _exit(ExitCode.interrupted.rawValue)
        }
    }

    private static var isIgnored: Bool {
        var current = sigaction()
        guard sigaction(SIGINT, nil, &current) == 0 else { return false }
        #if canImport(Darwin)
            let handler = unsafeBitCast(current.__sigaction_u.__sa_handler, to: Int.self)
        #else
            let handler = unsafeBitCast(current.__sigaction_handler.sa_handler, to: Int.self)
        #endif
        return handler == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Runs work that Ctrl-C cancels: the work sees a cancelled task, cleans up, and throws `CancellationError`.
    public static func cancelling<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        // In one step, so that a signal that the work itself brings about finds it.
        let task = state.withLock { state in
            let task = Task { try await work() }
            state.cancel = { task.cancel() }
            return task
        }
        defer { state.withLock { $0.cancel = nil } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    /// Runs work whose traces on the terminal an interruption must take away.
    static func cleaningUp<Result>(_ cleanUp: @escaping @Sendable () -> Void, _ work: () throws -> Result) rethrows
        -> Result
    {
        state.withLock { $0.cleanUp = cleanUp }
        defer {
            state.withLock { $0.cleanUp = nil }
            cleanUp()
        }
        return try work()
    }
}
