import Sockets

/// A server on the loopback that does with a connection what it is told.
final class RawServer: Sendable {
    let port: UInt16
    private let listener: Listener

    init(_ serve: @escaping @Sendable (Connection) async throws -> Void) throws {
        listener = try Listener(on: .ip(.loopback4, port: 0)) { stream in
            Task {
                let connection = await Connection(stream)
                // It ends when the other side has gone, as it should.
                try? await serve(connection)
                await connection.abort()
            }
        }
        port = listener.address.port ?? 0
    }

    func close() { listener.close() }
}

/// A SOCKS5 proxy that leads to one port of this machine, whatever name it is asked for.
final class SOCKSServer: Sendable {
    private let server: RawServer
    var port: UInt16 { server.port }

    init(to target: UInt16) throws {
        server = try RawServer { connection in
            let methods = try await connection.read(exactly: 2, within: .seconds(20))
            _ = try await connection.read(exactly: Int(methods[1]), within: .seconds(20))
            try await connection.write([5, 0], within: .seconds(20))
            let request = try await connection.read(exactly: 5, within: .seconds(20))
            _ = try await connection.read(exactly: Int(request[4]) + 2, within: .seconds(20))
            try await connection.write([5, 0, 0, 1, 0, 0, 0, 0, 0, 0], within: .seconds(20))
            let stream = try await Connector().connect(to: "127.0.0.1", port: target, on: EventLoopGroup.shared.next())
            let inner = await Connection(stream)
            // One request and one answer is all that is needed here.
            let question = try await connection.read(within: .seconds(20)) ?? []
            try await inner.write(question, within: .seconds(20))
            while let answer = try await inner.read(within: .seconds(20)) {
                try await connection.write(answer, within: .seconds(20))
            }
            await inner.abort()
        }
    }

    func close() { server.close() }
}
