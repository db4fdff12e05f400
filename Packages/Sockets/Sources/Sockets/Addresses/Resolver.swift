import Locking

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Turns host names into addresses, on a few threads of its own, because the system's resolver blocks.
///
/// A look-up cannot be interrupted: when its time is up the caller goes on and the thread finishes later. Look-ups
/// beyond the threads wait in a queue of bounded length.
public final class Resolver: Sendable {
    /// A blocking look-up: all addresses of a name in the order to try them.
    public typealias Lookup = @Sendable (_ name: String) throws(SocketsError) -> [IPAddress]

    private struct Request: Sendable {
        let name: String
        let answer: Once<[IPAddress]>
    }

    private struct State {
        var threads = 0
        var queue: [Request] = []
    }

    private let lookup: Lookup
    private let threadLimit: Int
    private let queueLimit: Int
    private let state = Locked(State())

    /// The resolver of the process: the system's names, four threads.
    public static let system = Resolver()

    /// - Parameters:
    ///   - threads: how many look-ups run at once at most; a thread lives only while there is something to look up.
    ///   - queueLimit: how many look-ups may wait; the next one fails at once.
    ///   - lookup: the system's `getaddrinfo`, or a table in a test.
    public init(threads: Int = 4, queueLimit: Int = 256, lookup: @escaping Lookup = Resolver.systemLookup) {
        threadLimit = max(1, threads)
        self.queueLimit = max(0, queueLimit)
        self.lookup = lookup
    }

    /// The addresses of a name, or the one address that the text itself is. From anywhere.
    ///
    /// - Throws: ``SocketsError/nameNotFound(_:)``, ``SocketsError/nameLookupFailed(_:)``, ``SocketsError/timedOut(_:)``,
    ///   ``SocketsError/cancelled``; ``SocketsError/onionNeedsProxy(_:)`` for a `.onion` name (RFC 7686).
    public func addresses(
        of name: String,
        until deadline: ContinuousClock.Instant,
        on loop: EventLoop
    ) async throws(SocketsError) -> [IPAddress] {
        if let address = IPAddress(name) { return [address] }
        guard !Self.isOnion(name) else { throw .onionNeedsProxy(name) }
        guard !name.isEmpty, name.utf8.count <= 253, !name.utf8.contains(0) else { throw .invalidAddress(name) }
        let request = Request(name: name, answer: Once())
        try submit(request)
        return try await request.answer.wait(.nameLookup, until: deadline, on: loop) {
            self.state.withLock { $0.queue.removeAll { $0.answer === request.answer } }
        }
    }

    static func isOnion(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasSuffix(".onion") || name.hasSuffix(".onion.") || name == "onion"
    }

    private func submit(_ request: Request) throws(SocketsError) {
        let start: Bool? = state.withLock { state in
            if state.threads < threadLimit {
                state.threads += 1
                return true
            }
            guard state.queue.count < queueLimit else { return nil }
            state.queue.append(request)
            return false
        }
        guard let start else { throw .nameLookupFailed(request.name) }
        guard start else { return }
        do {
            try SystemThread.start { self.work(request) }
        } catch {
            state.withLock { $0.threads -= 1 }
            throw error
        }
    }

    private func work(_ first: Request) {
        var next: Request? = first
        while let request = next {
            do throws(SocketsError) {
                request.answer.resolve(.success(try lookup(request.name)))
            } catch {
                request.answer.resolve(.failure(error))
            }
            next = state.withLock { state in
                guard state.queue.isEmpty else { return state.queue.removeFirst() }
                state.threads -= 1
                return nil
            }
        }
    }

    /// The system's `getaddrinfo`: blocks.
    public static let systemLookup: Lookup = { name throws(SocketsError) in
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Darwin)
            hints.ai_socktype = SOCK_STREAM
        #else
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else {
            throw code == EAI_NONAME ? .nameNotFound(name) : .nameLookupFailed(name)
        }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var entry = list
        while let current = entry, addresses.count < 64 {
            if let address = current.pointee.ai_addr, case .ip(let found, _) = SocketAddress(address),
                !addresses.contains(found)
            {
                addresses.append(found)
            }
            entry = current.pointee.ai_next
        }
        guard !addresses.isEmpty else { throw .nameNotFound(name) }
        return addresses
    }
}
