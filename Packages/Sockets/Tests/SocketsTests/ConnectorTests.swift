import Foundation
import Sockets
import Testing

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite struct ConnectorTests {
    private let loop: EventLoop

    init() throws {
        loop = try EventLoopGroup.shared.next()
    }

    @Test func aRefusedConnectionSaysSo() async throws {
        var port: UInt16 = 0
        do { port = try EchoServer().port }
        let closedPort = port
        #expect(await eventually { socketsTouching(port: closedPort) == 0 })
        let error = await failure { _ = try await Connector().connect(to: "127.0.0.1", port: closedPort, on: loop) }
        #expect(error == .connectionRefused("127.0.0.1:\(closedPort)"))
    }

    @Test(arguments: ["deadline", "cancellation"])
    func aServerThatDoesNotAnswerIsGivenUp(by cause: String) async throws {
        let hole = try BlackHole()
        var connector = Connector()
        if cause == "deadline" {
            connector.timeout = .milliseconds(60)
            let connector = connector
            let error = await failure { _ = try await connector.connect(to: "127.0.0.1", port: hole.port, on: loop) }
            #expect(error == .timedOut(.connect))
        } else {
            let connector = connector
            let task = Task { try await connector.connect(to: "127.0.0.1", port: hole.port, on: loop) }
            try await loop.sleep(for: .milliseconds(20))
            task.cancel()
            let error = await failure { _ = try await task.value }
            #expect(error == .cancelled)
        }
        #expect(await eventually { socketsTouching(port: hole.port) == hole.ownSockets })
    }

    @Test func aDeadAddressIsOvertakenByALivingOne() async throws {
        let hole = try BlackHole()
        let server = try EchoServer(on: .ip(.v4(0x7f00_0002), port: hole.port))
        var connector = Connector()
        connector.attemptDelay = .milliseconds(30)
        connector.resolver = Resolver { _ throws(SocketsError) in [.loopback4, .v4(0x7f00_0002)] }
        let stream = try await connector.connect(to: "two.example", port: hole.port, on: loop)
        #expect(stream.peer == .ip(.v4(0x7f00_0002), port: server.port))
        let connection = await Connection(stream)
        await connection.close()
    }

    @Test func anAddressThatRefusesIsFollowedByTheNextAtOnce() async throws {
        let server = try EchoServer()
        var connector = Connector()
        connector.attemptDelay = .seconds(1000)
        connector.resolver = Resolver { _ throws(SocketsError) in [.v4(0x7f00_0003), .loopback4] }
        let stream = try await connector.connect(to: "two.example", port: server.port, on: loop)
        #expect(stream.peer == .ip(.loopback4, port: server.port))
    }

    @Test(.enabled(if: hasIPv6Loopback, "there is no ::1 on this machine"))
    func theFamiliesTakeTurns() async throws {
        let hole = try BlackHole()
        let server = try EchoServer(on: .ip(.loopback6, port: hole.port))
        var connector = Connector()
        connector.attemptDelay = .seconds(1000)
        // The first refuses; were the second not put behind the other family, its silence would be waited for.
        connector.resolver = Resolver { _ throws(SocketsError) in [.v4(0x7f00_0003), .loopback4, .loopback6] }
        let stream = try await connector.connect(to: "three.example", port: hole.port, on: loop)
        #expect(stream.peer == .ip(.loopback6, port: server.port))
    }

    @Test func aNameIsLookedUpBesideTheLoopAndADeadlineEndsTheWait() async throws {
        let gate = DispatchSemaphore(value: 0)
        defer { gate.signal() }
        var connector = Connector()
        connector.timeout = .milliseconds(40)
        connector.resolver = Resolver { _ throws(SocketsError) in
            gate.wait()
            return [.loopback4]
        }
        let slow = connector
        let error = await failure { _ = try await slow.connect(to: "slow.example", port: 1, on: loop) }
        #expect(error == .timedOut(.nameLookup))
        let task = Task { try await slow.resolver.addresses(of: "slow.example", until: .now + patience, on: loop) }
        task.cancel()
        #expect(await failure { _ = try await task.value } == .cancelled)
    }

    @Test func moreLookUpsThanTheQueueHoldsFailAtOnce() async throws {
        let gate = DispatchSemaphore(value: 0)
        let running = Shared(false)
        let resolver = Resolver(threads: 1, queueLimit: 1) { _ throws(SocketsError) in
            running.update { $0 = true }
            gate.wait()
            return [.loopback4]
        }
        let loop = self.loop
        let outcomes = Shared<[SocketsError?]>([])
        @Sendable func look(_ name: String) async {
            let error = await failure { _ = try await resolver.addresses(of: name, until: .now + patience, on: loop) }
            outcomes.update { $0.append(error) }
        }
        await withTaskGroup { group in
            group.addTask { await look("first") }
            #expect(await eventually { running.value })
            // One of these waits; there is no place for the other.
            group.addTask { await look("other") }
            group.addTask { await look("other") }
            #expect(await eventually { outcomes.value == [.nameLookupFailed("other")] })
            gate.signal()
            gate.signal()
        }
        #expect(outcomes.value == [.nameLookupFailed("other"), nil, nil])
    }

    @Test func theSystemKnowsLocalhost() async throws {
        let addresses = try await Resolver.system.addresses(of: "localhost", until: .now + patience, on: loop)
        #expect(addresses.contains(.loopback4) || addresses.contains(.loopback6))
    }

    @Test(arguments: ["name.invalid", "", "a\0b"])
    func aNameThatCannotBeLookedUpIsAnError(name: String) async {
        let loop = self.loop
        #expect(await failure { _ = try await Connector().connect(to: name, port: 80, on: loop) } != nil)
    }

    @Test(arguments: ["abcdef.onion", "ABC.ONION", "x.onion."])
    func anOnionNameIsNeverLookedUpHere(name: String) async {
        var connector = Connector()
        connector.resolver = Resolver { name throws(SocketsError) in
            Issue.record("looked up \(name)")
            return [.loopback4]
        }
        let onion = connector
        let error = await failure { _ = try await onion.connect(to: name, port: 80, on: loop) }
        #expect(error == .onionNeedsProxy(name))
    }

    @Test func theAddressPolicyIsAskedAfterTheLookUp() async throws {
        let server = try EchoServer()
        var connector = Connector()
        connector.resolver = Resolver { _ throws(SocketsError) in [.loopback4] }
        _ = try await connector.connect(to: "inside.example", port: server.port, on: loop)
        connector.addressPolicy = .publicOnly
        let strict = connector
        for host in ["inside.example", "127.0.0.1"] {
            let error = await failure { _ = try await strict.connect(to: host, port: server.port, on: loop) }
            #expect(error == .addressRefused("127.0.0.1"))
        }
    }

    @Test func manyConnectionsAtOnceAllGetThrough() async throws {
        let server = try EchoServer()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let loop = try EventLoopGroup.shared.next()
                    let stream = try await Connector().connect(to: "127.0.0.1", port: server.port, on: loop)
                    let connection = await Connection(stream)
                    let bytes = [UInt8](repeating: UInt8(number), count: 1000)
                    try await connection.write(bytes, within: patience)
                    #expect(try await connection.read(exactly: 1000, within: patience) == bytes)
                    await connection.close()
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A listener that accepts nothing and whose queue is full: connecting to it waits for ever.
final class BlackHole: Sendable {
    let port: UInt16
    private let descriptors: Shared<[Int32]>

    init() throws {
        var held: [Int32] = []
        let type = streamSocketType
        let listening = socket(AF_INET, type, 0)
        held.append(listening)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { system in
                _ = bind(listening, system, length)
                _ = listen(listening, 0)
                _ = getsockname(listening, system, &length)
            }
        }
        for _ in 0..<4 {
            let filler = socket(AF_INET, type, 0)
            _ = fcntl(filler, F_SETFL, O_NONBLOCK)
            held.append(filler)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = connect(filler, $0, length) }
            }
        }
        port = address.sin_port.bigEndian
        descriptors = Shared(held)
    }

    /// Its own sockets that have the port at an end: those whose connection is under way count as well.
    var ownSockets: Int {
        var own = 0
        descriptors.update { held in
            own = held.count { descriptor in
                [getsockname, getpeername].contains { call in
                    var address = sockaddr_in()
                    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                    let code = withUnsafeMutablePointer(to: &address) { pointer in
                        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
                    }
                    return code == 0 && address.sin_port.bigEndian == port
                }
            }
        }
        return own
    }

    deinit { descriptors.update { for descriptor in $0 { close(descriptor) } } }
}
