import ControlSocket
import Foundation
import Locking
import NostrEvents
import Sockets
import Testing

/// A folder that goes away with the value.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/control-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// A server in a folder of its own, with methods that tests need.
final class Daemon: Sendable {
    let folder: TemporaryFolder
    let server: ControlServer
    /// How many requests to `wait` were cancelled.
    let cancelled = Signal()
    /// How many requests to `wait` have begun.
    let begun = Signal()
    /// How many items the `flood` has got rid of.
    let flooded = Locked(0)
    private let raws = Locked<[RawClient]>([])

    var path: String { folder.path + "/run/socket" }
    var home: String { folder.path }

    init(limits: ControlServer.Limits = .init()) throws {
        folder = try TemporaryFolder()
        let cancelled = cancelled
        let begun = begun
        let flooded = flooded
        server = try ControlServer(
            at: folder.path + "/run/socket",
            hello: ControlHello(home: folder.path, process: 7, program: "1.2.3"),
            methods: [
                "echo": { call in call.parameters ?? RawJSON(.null) },
                "fail": { _ in throw RPCFailure(code: 66, message: "There is no such thing.", data: ["thing": 1]) },
                "break": { _ in throw SocketsError.closed },
                "wait": { _ in
                    begun.raise()
                    do {
                        try await Task.sleep(for: .seconds(60))
                    } catch {
                        cancelled.raise()
                        throw error
                    }
                    return RawJSON(.null)
                },
                "wait and fail": { _ in
                    begun.raise()
                    try? await Task.sleep(for: .seconds(60))
                    throw RPCFailure(code: 74, message: "It was interrupted.")
                },
                "slow": { _ in
                    begun.raise()
                    try await Task.sleep(for: .milliseconds(200))
                    return RawJSON("late")
                },
                "lend": { call in
                    await call.tell("lent", JSONObject())
                    while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
                    return RawJSON("back")
                },
                "count": { call in
                    for number in 1...3 {
                        await call.tell("progress", JSONObject([.init(key: "count", value: .integer(Int64(number)))]))
                    }
                    return RawJSON("counted")
                },
                "large": { call in
                    let size = try call.parameterObject()["size"]?.integer ?? 0
                    return RawJSON(.string(String(repeating: "x", count: Int(size))))
                },
                "numbers": { call in
                    let name = try await call.stream { send in
                        for number in 1...3 { await send(RawJSON(.integer(Int64(number)))) }
                    }
                    return RawJSON(["subscription": .string(name)])
                },
                "doomed": { call in
                    let name = try await call.stream { (send) async throws(RPCFailure) in
                        await send(RawJSON(1))
                        throw RPCFailure(code: 77, message: "It was locked.")
                    }
                    return RawJSON(["subscription": .string(name)])
                },
                "flood": { call in
                    let name = try await call.stream { send in
                        let item = RawJSON(.string(String(repeating: "y", count: 10_000)))
                        while !Task.isCancelled {
                            await send(item)
                            flooded.withLock { $0 += 1 }
                        }
                        cancelled.raise()
                    }
                    return RawJSON(["subscription": .string(name)])
                },
            ],
            limits: limits
        )
    }

    func client() async throws -> ControlClient {
        try await ControlClient.connect(to: path, home: home)
    }

    /// Bytes as somebody else would send them.
    func raw() async throws -> RawClient {
        let stream = try await Connector().connect(toPath: path, on: EventLoopGroup.shared.next())
        let client = RawClient(connection: await Connection(stream))
        raws.withLock { $0.append(client) }
        return client
    }

    /// Ends the server and what was connected to it as somebody else.
    func close() async {
        for client in raws.withLock({ $0 }) { await client.connection.close() }
        await server.close()
    }
}

/// Counts, and lets a test wait for a count.
final class Signal: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func raise() { continuation.yield() }

    /// Waits until it was raised once more; false after half a minute.
    func wait() async -> Bool {
        let stream = stream
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await _ in stream { return true }
                return false
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(30))
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
    }
}

/// A client that sends what it is told to.
struct RawClient: Sendable {
    let connection: Connection
    /// What was read behind the last line.
    private let rest = Locked<ArraySlice<UInt8>>([])

    init(connection: Connection) { self.connection = connection }

    func send(_ text: String) async throws {
        try await connection.write(Array(text.utf8), within: .seconds(30))
    }

    /// The next line; nil at the end. Empty lines are left out.
    func line() async throws -> String? {
        var line: [UInt8] = []
        while true {
            let piece = rest.withLock { rest in
                let piece = rest.prefix { $0 != 0x0A }
                rest = rest.dropFirst(piece.count)
                return piece
            }
            line += piece
            if rest.withLock({ $0.popFirst() }) != nil {
                if !line.isEmpty { return String(decoding: line, as: UTF8.self) }
            } else {
                guard let more = try await connection.read(upTo: 4_096, within: .seconds(30)) else { return nil }
                rest.withLock { $0 = more[...] }
            }
        }
    }

    /// Sends a line and reads one.
    func exchange(_ text: String) async throws -> String? {
        try await send(text + "\n")
        return try await line()
    }
}
