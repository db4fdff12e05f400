import Foundation
import Sockets
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct ListenerTests {
    private let loop: EventLoop

    init() throws {
        loop = try EventLoopGroup.shared.next()
    }

    @Test func aUnixSocketKnowsThePeersUserAndHasItsMode() async throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        let users = Shared<[UInt32?]>([])
        var options = ListenerOptions()
        options.mode = 0o640
        options.allowedUsers = [getuid()]
        let listener = try Listener(on: .unix(path: path), options: options) { stream in
            users.update { $0.append(stream.peerUser) }
            stream.start(Echo(stream))
        }
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
        let stream = try await Connector().connect(toPath: path, on: loop)
        #expect(stream.peerUser == getuid())
        let connection = await Connection(stream)
        try await connection.write([5], within: patience)
        #expect(try await connection.read(within: patience) == [5])
        #expect(users.value == [getuid()])
        await connection.close()
        listener.close()
        #expect(await eventually { !FileManager.default.fileExists(atPath: path) })
    }

    @Test(arguments: [nil, 100])
    func moreConnectionsThanMayComeInASecondWaitAndAreServedThen(rate: Int?) async throws {
        var options = ListenerOptions()
        options.connectionsPerSecond = rate
        let listener = try Listener(on: .ip(.loopback4, port: 0), options: options) { $0.start(Echo($0)) }
        let port = try #require(listener.address.port)
        let start = ContinuousClock.now
        try await withThrowingTaskGroup { group in
            for _ in 0..<60 {
                group.addTask {
                    let stream = try await Connector().connect(to: "127.0.0.1", port: port, on: loop)
                    let connection = await Connection(stream)
                    try await connection.write([5], within: patience)
                    #expect(try await connection.read(within: patience) == [5])
                    await connection.close()
                }
            }
            try await group.waitForAll()
        }
        // Five in the first twentieth of a second, and in each one after it.
        #expect(rate == nil || ContinuousClock.now - start > .milliseconds(500))
        listener.close()
    }

    @Test func aUserWhoIsNotAllowedIsTurnedAway() async throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        var options = ListenerOptions()
        options.allowedUsers = [getuid() &+ 1]
        let listener = try Listener(on: .unix(path: path), options: options) { _ in
            Issue.record("let in")
        }
        let connection = await Connection(try await Connector().connect(toPath: path, on: loop))
        let bytes = try? await connection.read(within: patience)
        #expect(bytes == .some(.none) || bytes == .none)
        await connection.abort()
        listener.close()
    }

    @Test func aSocketLeftByADeadProcessIsReplacedAndALivingOneIsNot() async throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        let first = try Listener(on: .unix(path: path)) { _ in }
        #expect(await failure { _ = try Listener(on: .unix(path: path)) { _ in } } == .addressInUse(path))
        first.close()
        #expect(await eventually { !FileManager.default.fileExists(atPath: path) })
        // What a killed process leaves: bound, and nobody listens.
        let dead = socket(AF_UNIX, streamSocketType, 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                _ = bind(dead, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        close(dead)
        #expect(FileManager.default.fileExists(atPath: path))
        let server = try EchoServer(on: .unix(path: path))
        let connection = await Connection(try await Connector().connect(toPath: path, on: loop))
        try await connection.write([5], within: patience)
        #expect(try await connection.read(within: patience) == [5])
        await connection.close()
        server.listener.close()
    }

    @Test func aFileThatIsNoSocketIsNeverReplaced() async throws {
        let directory = TemporaryDirectory()
        let path = directory.file("s")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        #expect(await failure { _ = try Listener(on: .unix(path: path)) { _ in } } == .addressInUse(path))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("precious".utf8))
    }

    @Test(arguments: ["", String(repeating: "x", count: 200)])
    func aPathThatFitsNoSocketAddressIsRefused(path: String) async {
        #expect(await failure { _ = try Listener(on: .unix(path: path)) { _ in } } == .invalidAddress(path))
    }

    @Test func aPortInUseIsNamed() async throws {
        let server = try EchoServer()
        let error = await failure { _ = try EchoServer(on: .ip(.loopback4, port: server.port)) }
        #expect(error == .addressInUse("127.0.0.1:\(server.port)"))
    }

    @Test func aListeningSocketOfAServiceManagerIsAdopted() async throws {
        let raw = socket(AF_INET, streamSocketType, 0)
        #expect(await failure { _ = try Listener(adopting: raw) { _ in } } == .invalidAddress("descriptor \(raw)"))
        #expect(listen(raw, 8) == 0)
        let listener = try Listener(adopting: raw) { $0.start(Echo($0)) }
        let port = try #require(listener.address.port)
        let stream = try await Connector().connect(to: "127.0.0.1", port: port, on: loop)
        let connection = await Connection(stream)
        try await connection.write([5], within: patience)
        #expect(try await connection.read(within: patience) == [5])
        await connection.close()
    }

    #if os(Linux)
        @Test func aProcessWithoutDescriptorsTurnsConnectionsAwayAndRecovers() async throws {
            // In a process of its own: the other tests need descriptors.
            await #expect(processExitsWith: .success) {
                let server = try EchoServer()
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_port = server.port.bigEndian
                address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
                let clients = (0..<20).map { _ in socket(AF_INET, streamSocketType, 0) }
                let fillers = takeAllDescriptors(below: 200)
                for client in clients {
                    var time = timeval(tv_sec: 30, tv_usec: 0)
                    setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
                    let code = withUnsafePointer(to: &address) { pointer in
                        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                            connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                        }
                    }
                    guard code == 0 else { exit(12) }
                    var byte: UInt8 = 0
                    // The end or a reset, and not the time-out.
                    let count = recv(client, &byte, 1, 0)
                    guard count == 0 || (count < 0 && errno == ECONNRESET) else { exit(13) }
                }
                for filler in fillers { close(filler) }
                guard try await server.sendsBack(5) else { exit(14) }
            }
        }
    #endif
}
