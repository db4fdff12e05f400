import Locking
public import NostrEvents
public import Sockets

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Answers JSON-RPC 2.0 on a Unix socket, one message a line, to processes of the same user.
///
/// ```swift
/// let hello = ControlHello(home: "/home/ann/.local/share/linkstr", process: 4711, program: "1.0")
/// let server = try ControlServer(at: path, hello: hello, methods: ["echo": { call in call.parameters ?? RawJSON(.null) }])
/// ```
///
/// A handler runs as a task of its own and is cancelled when its client goes away. It throws ``RPCFailure`` to say what went
/// wrong; any other error is answered as unexpected, without its words.
public final class ControlServer: Sendable {
    /// Answers one request.
    public typealias Handler = @Sendable (ControlCall) async throws -> RawJSON

    /// What a client may cost.
    public struct Limits: Sendable {
        /// Bytes of one message that comes in.
        public var messageSize = 4 << 20
        /// Connections at the same time; the next get a failure and are closed.
        public var connections = 64
        /// Requests of one connection at the same time; the next are refused.
        public var requests = 32
        /// Bytes of these requests together.
        public var requestBytes = 8 << 20
        /// Streams of one connection at the same time.
        public var streams = 16
        /// How long a client may read nothing of what was sent before it is let go.
        public var stallTime: Duration = .seconds(30)
        /// How often a client that has finished writing is tried, while it waits for answers.
        public var probeTime: Duration = .milliseconds(250)

        /// The defaults named at each.
        public init() {}
    }

    private let listener: Listener
    private let clients: Clients

    /// Where it listens.
    public var address: SocketAddress { listener.address }
    /// How many clients are connected.
    public var connections: Int { clients.count }

    /// Begins to listen. The socket has mode 0600, and its directory, which is made if it is missing, mode 0700. A socket that
    /// a killed process has left is replaced: hold the lock of the home, so that there is no living one.
    ///
    /// - Parameters:
    ///   - path: Of the socket.
    ///   - hello: What clients are told first.
    ///   - methods: Who answers what. `hello`, `cancel` and `unsubscribe` are answered by the server.
    ///   - limits: What a client may cost.
    /// - Throws: ``ControlError/unsafeDirectory(path:)``, ``ControlError/socket(_:)``.
    public convenience init(
        at path: String,
        hello: ControlHello,
        methods: [String: Handler],
        limits: Limits = Limits()
    ) throws(ControlError) {
        try Self.prepareDirectory(of: path)
        try self.init(hello, methods, limits) { (options, accept) throws(SocketsError) in
            try Listener(on: .unix(path: path), options: options, accept: accept)
        }
    }

    /// Takes over a Unix socket that a service manager has made and listens at.
    ///
    /// - Parameters:
    ///   - descriptor: Of the socket.
    ///   - hello: What clients are told first.
    ///   - methods: Who answers what.
    ///   - limits: What a client may cost.
    /// - Throws: ``ControlError/socket(_:)``.
    public convenience init(
        adopting descriptor: Int32,
        hello: ControlHello,
        methods: [String: Handler],
        limits: Limits = Limits()
    ) throws(ControlError) {
        try self.init(hello, methods, limits) { (options, accept) throws(SocketsError) in
            try Listener(adopting: descriptor, options: options, accept: accept)
        }
    }

    private init(
        _ hello: ControlHello,
        _ methods: [String: Handler],
        _ limits: Limits,
        _ listen: (ListenerOptions, @escaping @Sendable (SocketStream) -> Void) throws(SocketsError) -> Listener
    ) throws(ControlError) {
        var methods = methods
        methods[ControlHello.method] = { _ in hello.json }
        let clients = Clients()
        self.clients = clients
        var options = ListenerOptions()
        options.allowedUsers = [getuid()]
        let table = methods
        do throws(SocketsError) {
            listener = try listen(options) { stream in
                // On the loop: the slot is taken before there is a task.
                let key = clients.enter(limits.connections)
                Task {
                    let connection = await Connection(stream)
                    guard let key else {
                        let refusal = RPCMessage.answer(id: nil, .failure(.busy)).line
                        try? await connection.write(refusal, within: limits.stallTime)
                        await connection.close(within: .seconds(2))
                        return
                    }
                    let client = ControlConnection(connection, methods: table, limits: limits)
                    clients.keep(client, as: key)
                    await client.serve()
                    clients.leave(key)
                }
            }
        } catch {
            throw .socket(error)
        }
    }

    /// Stops listening, ends every stream, lets requests finish, and waits until every client is let go.
    ///
    /// - Parameter time: How long requests may take to finish; then they are cancelled.
    public func close(within time: Duration = .zero) async {
        listener.close()
        let all = clients.closeDoor()
        await withTaskGroup { group in
            for client in all { group.addTask { await client.finish(within: time) } }
        }
        // The listener is closed in a turn of its loop, which is over when the loop answers.
        for loop in (try? EventLoopGroup.shared.loops()) ?? [] { try? await loop.sleep(for: .zero) }
    }

    private static func prepareDirectory(of path: String) throws(ControlError) {
        guard let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return }
        let directory = String(path[..<slash])
        var status = stat()
        if lstat(directory, &status) != 0 {
            try makeDirectory(directory)
            guard lstat(directory, &status) == 0 else { throw failure("lstat") }
        }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == getuid(), status.st_mode & 0o077 == 0 else {
            throw .unsafeDirectory(path: directory)
        }
    }

    private static func makeDirectory(_ path: String) throws(ControlError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw failure("mkdir")
        }
        try makeDirectory(String(path[..<slash]))
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("mkdir") }
    }

    private static func failure(_ call: String) -> ControlError {
        .socket(.system(call: call, code: errno))
    }
}

/// The clients of a server.
private final class Clients: Sendable {
    private struct State {
        var last = 0
        var isClosed = false
        var present: Set<Int> = []
        var connections: [Int: ControlConnection] = [:]
    }

    private let state = Locked(State())

    var count: Int { state.withLock { $0.present.count } }

    /// Nil when there is no room.
    func enter(_ limit: Int) -> Int? {
        state.withLock { state in
            guard state.present.count < limit, !state.isClosed else { return nil }
            state.last += 1
            state.present.insert(state.last)
            return state.last
        }
    }

    func keep(_ connection: ControlConnection, as key: Int) {
        let isClosed = state.withLock { state in
            state.connections[key] = connection
            return state.isClosed
        }
        // It came in while the door was being closed.
        if isClosed { Task { await connection.finish(within: .zero) } }
    }

    func leave(_ key: Int) {
        state.withLock { state in
            state.present.remove(key)
            state.connections[key] = nil
        }
    }

    func closeDoor() -> [ControlConnection] {
        state.withLock { state in
            state.isClosed = true
            return Array(state.connections.values)
        }
    }
}
