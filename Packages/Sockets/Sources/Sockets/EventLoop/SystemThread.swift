#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A detached thread of the system, and the identity of the current one.
enum SystemThread {
    private final class Body {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    static var current: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    static func start(_ run: @escaping @Sendable () -> Void) throws(SocketsError) {
        let body = Unmanaged.passRetained(Body(run))
        // Signals are left to the threads that the program itself made.
        var every = sigset_t()
        var before = sigset_t()
        sigfillset(&every)
        pthread_sigmask(SIG_SETMASK, &every, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = pthread_create(&thread, nil, { SystemThread.enter($0) }, body.toOpaque())
            if code == 0, let thread { pthread_detach(thread) }
        #else
            var thread = pthread_t()
            let code = pthread_create(&thread, nil, { $0.flatMap { SystemThread.enter($0) } }, body.toOpaque())
            if code == 0 { pthread_detach(thread) }
        #endif
        guard code == 0 else {
            body.release()
            throw .system(call: "pthread_create", code: code)
        }
    }

    private static func enter(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
    }
}
