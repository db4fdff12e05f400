#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif
public import NostrEvents
import Sockets

/// Talks to a ``ControlServer``: one request at a time, which the compiler makes sure of, because a client belongs to one task.
///
/// ```swift
/// let client = try await ControlClient.connect(to: path, home: home)
/// let answer = try await client.call("status")
/// await client.close()
/// ```
///
/// When the task is cancelled during a request, the connection is closed, and the daemon stops working on the request.
public final class ControlClient {
    /// Told of what comes before the answer: the name of the notification and its parameters.
    public typealias Listener = (_ notice: String, _ parameters: JSONObject) async throws -> Void

    /// What the daemon says of itself.
    public let hello: ControlHello
    private let wire: Wire
    private var last: Int64 = 0

    private init(_ wire: Wire, _ hello: ControlHello) {
        self.wire = wire
        self.hello = hello
    }

    /// Connects, and makes sure that the daemon works on the home that is meant.
    ///
    /// - Parameters:
    ///   - path: Of the socket.
    ///   - home: The home that the daemon has to work on; nil for any.
    ///   - time: How long all of it may take.
    /// - Throws: ``ControlError/notRunning(path:)``, ``ControlError/otherHome(expected:found:)``,
    ///   ``ControlError/otherProtocol(_:)``, ``ControlError/untrustedDirectory(path:)`` and others.
    public static func connect(
        to path: String,
        home: String? = nil,
        within time: Duration = .seconds(5)
    ) async throws(ControlError) -> ControlClient {
        try checkDirectory(of: path)
        var connector = Connector()
        connector.timeout = time
        let stream: SocketStream
        do throws(SocketsError) {
            stream = try await connector.connect(toPath: path, on: EventLoopGroup.shared.next())
        } catch SocketsError.connectionRefused {
            throw .notRunning(path: path)
        } catch {
            throw ControlError(error)
        }
        let wire = Wire(await Connection(stream))
        do throws(ControlError) {
            // Passphrases go this way: only to a program of the same user, or of the administrator.
            guard let user = stream.peerUser, user == geteuid() || user == 0 else { throw .otherUser(path: path) }
            let request = RPCMessage.request(id: .number(0), method: ControlHello.method, parameters: nil)
            try await wire.write(request)
            let hello: ControlHello
            switch try await wire.next(within: time) {
            case .answer(.number(0), .success(let json)): hello = try ControlHello(json)
            // One that has no room says so without having read what it is asked.
            case .answer(.number(0), .failure(let failure)), .answer(nil, .failure(let failure)):
                throw .failed(failure)
            default: throw .malformed("it answers something else first")
            }
            if let home = home.map(ControlHello.canonical), hello.home != home {
                throw .otherHome(expected: home, found: hello.home)
            }
            return ControlClient(wire, hello)
        } catch {
            await wire.close()
            throw error
        }
    }

    /// Whoever can write into the directory could put a socket of their own in the place of the daemon's.
    private static func checkDirectory(of path: String) throws(ControlError) {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        guard access(path, F_OK) == 0, stat(directory, &status) == 0 else { throw .notRunning(path: path) }
        guard status.st_uid == geteuid() || status.st_uid == 0, status.st_mode & 0o022 == 0 else {
            throw .untrustedDirectory(path: directory)
        }
    }

    /// Asks, and waits for the answer.
    ///
    /// - Parameters:
    ///   - method: What is asked for.
    ///   - parameters: An object or an array.
    ///   - silence: How long the daemon may say nothing.
    ///   - listener: Told of progress and warnings of the request, in their order.
    /// - Throws: ``ControlError/failed(_:)`` with what the daemon says, ``ControlError/closed``,
    ///   ``ControlError/timedOut``, ``ControlError/cancelled``; and what the listener throws.
    public nonisolated(nonsending) func call(
        _ method: String,
        _ parameters: RawJSON? = nil,
        silence: Duration = .seconds(600),
        listener: Listener? = nil
    ) async throws -> RawJSON {
        last += 1
        let id = RPCIdentifier.number(last)
        try await wire.write(.request(id: id, method: method, parameters: parameters))
        while true {
            switch try await wire.next(within: silence) {
            case .answer(id, .success(let result)): return result
            // A failure without an id is about the last thing that was said.
            case .answer(id, .failure(let failure)), .answer(nil, .failure(let failure)):
                throw ControlError.failed(failure)
            case .notification(let notice, let parameters):
                if let listener, let object = Self.object(parameters), object["request"] == id.json {
                    try await listener(notice, object)
                }
            case .answer: continue
            case .request: throw ControlError.malformed("it asks something itself")
            }
        }
    }

    /// Takes the request that is under way back, from within its listener; its answer comes all the same.
    public nonisolated(nonsending) func takeBack() async throws(ControlError) {
        try await wire.write(.notification(method: "cancel", parameters: RawJSON(["request": .integer(last)])))
    }

    /// Begins a stream and takes its items until it ends. While an item is worked on no more is read, so that a slow reader holds
    /// the daemon back.
    ///
    /// - Parameters:
    ///   - method: What begins it.
    ///   - parameters: An object or an array.
    ///   - silence: How long it may be quiet; by default for a year.
    ///   - begun: Called when the stream has begun.
    ///   - item: Takes one item; what it throws ends the stream.
    /// - Throws: As ``call(_:_:silence:listener:)``; ``ControlError/failed(_:)`` also with the reason for the end of the stream.
    public nonisolated(nonsending) func stream(
        _ method: String,
        _ parameters: RawJSON? = nil,
        silence: Duration = .seconds(31_536_000),
        begun: () async throws -> Void = {},
        item: (RawJSON) async throws -> Void
    ) async throws {
        let answer = try await call(method, parameters)
        guard let name = (try? answer.value())?["subscription"]?.string else {
            throw ControlError.malformed("it names no stream")
        }
        try await begun()
        while true {
            guard case .notification(let notice, let parameters) = try await wire.next(within: silence),
                let members = try? parameters?.members()
            else { continue }
            let fields = Dictionary(members, uniquingKeysWith: { $1 })
            guard (try? fields["subscription"]?.value())?.string == name else { continue }
            if notice == "ended" {
                let failure = (try? fields["error"]?.value()).flatMap { RPCFailure($0) }
                if let failure { throw ControlError.failed(failure) }
                return
            }
            if notice == "item", let value = fields["item"] { try await item(value) }
        }
    }

    /// Closes the connection.
    public nonisolated(nonsending) func close() async {
        await wire.close()
    }

    private static func object(_ parameters: RawJSON?) -> JSONObject? {
        (try? parameters?.value())?.object
    }
}

/// Messages over a connection.
private final class Wire {
    private let connection: Connection
    /// An answer may be large; a daemon of the same user is not hostile, but it may be wrong.
    private static let answerSize = 256 << 20
    private var splitter = MessageSplitter(limit: Wire.answerSize)

    init(_ connection: Connection) {
        self.connection = connection
    }

    nonisolated(nonsending) func write(_ message: RPCMessage) async throws(ControlError) {
        let line = message.line
        do throws(SocketsError) {
            for start in stride(from: 0, to: line.count, by: 64 * 1024) {
                try await connection.write(
                    Array(line[start..<min(line.count, start + 64 * 1024)]),
                    within: .seconds(30)
                )
            }
        } catch {
            throw ControlError(error)
        }
    }

    nonisolated(nonsending) func next(within time: Duration) async throws(ControlError) -> RPCMessage {
        while true {
            if let message = try buffered() { return message }
            let bytes: [UInt8]?
            do throws(SocketsError) {
                bytes = try await connection.read(within: time)
            } catch {
                throw ControlError(error)
            }
            guard let bytes else { throw .closed }
            splitter.append(bytes)
        }
    }

    private func buffered() throws(ControlError) -> RPCMessage? {
        let line: [UInt8]?
        do throws(MessageSplitter.LineTooLong) { line = try splitter.next() } catch {
            throw .malformed("the line is too long")
        }
        guard let line else { return nil }
        do throws(RPCFailure) {
            return try RPCMessage(line, limit: Wire.answerSize)
        } catch {
            throw .malformed(error.message)
        }
    }

    nonisolated(nonsending) func close() async {
        await connection.close(within: .seconds(1))
    }
}

extension ControlError {
    init(_ error: SocketsError) {
        switch error {
        case .cancelled: self = .cancelled
        case .timedOut: self = .timedOut
        case .closed, .connectionReset, .endedEarly: self = .closed
        default: self = .socket(error)
        }
    }
}
