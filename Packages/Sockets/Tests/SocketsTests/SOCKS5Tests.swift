import Sockets
import Testing

/// A SOCKS5 proxy for tests: does what it is told, and connects everything to one port of the loopback.
private final class TestProxy: Sendable {
    let listener: Listener
    let targets = Shared<[String]>([])
    var port: UInt16 { listener.address.port ?? 0 }

    /// - Parameter reply: the code of its answer; after 0 it really connects to `port`.
    init(to port: UInt16, login: (String, String)? = nil, reply: UInt8 = 0, garbage: [UInt8]? = nil) throws {
        let targets = self.targets
        listener = try Listener(on: .ip(.loopback4, port: 0)) { stream in
            Task {
                let near = await Connection(stream)
                try? await Self.serve(near, port, login, reply, garbage, targets)
                await near.close()
            }
        }
    }

    private static func serve(
        _ near: Connection,
        _ port: UInt16,
        _ login: (String, String)?,
        _ reply: UInt8,
        _ garbage: [UInt8]?,
        _ targets: Shared<[String]>
    ) async throws {
        let head = try await near.read(exactly: 2, within: patience)
        let methods = try await near.read(exactly: Int(head[1]), within: patience)
        if let garbage {
            try await near.write(garbage, within: patience)
            near.isolatedFinish()
            _ = try await near.read(within: patience)
            return
        }
        if let login {
            guard methods.contains(2) else {
                try await near.write([5, 0xff], within: patience)
                return
            }
            try await near.write([5, 2], within: patience)
            let user = try await counted(near, skipping: 1)
            let password = try await counted(near, skipping: 0)
            let isRight = (user, password) == login
            try await near.write([1, isRight ? 0 : 1], within: patience)
            guard isRight else { return }
        } else {
            try await near.write([5, 0], within: patience)
        }
        let kind = try await near.read(exactly: 4, within: patience)[3]
        let target: String
        switch kind {
        case 1: target = try await near.read(exactly: 4, within: patience).map(String.init).joined(separator: ".")
        case 3: target = try await counted(near, skipping: 0)
        default: target = "v6:\(try await near.read(exactly: 16, within: patience))"
        }
        let asked = try await near.read(exactly: 2, within: patience)
        targets.update { $0.append("\(target):\(Int(asked[0]) << 8 + Int(asked[1]))") }
        guard reply == 0 else {
            try await near.write([5, reply, 0, 1, 0, 0, 0, 0, 0, 0], within: patience)
            return
        }
        let far = await Connection(
            try await Connector().connect(to: "127.0.0.1", port: port, on: EventLoopGroup.shared.next())
        )
        // The answer and the first bytes of the host in one piece: neither may be lost.
        try await near.write([5, 0, 0, 3, 4, 1, 1, 1, 1, 0, 80] + Array("hi!".utf8), within: patience)
        async let back: Void = copy(far, near)
        try await copy(near, far)
        try await back
        await far.close()
    }

    private static func counted(_ connection: Connection, skipping: Int) async throws -> String {
        let head = try await connection.read(exactly: skipping + 1, within: patience)
        return String(
            decoding: try await connection.read(exactly: Int(head[skipping]), within: patience),
            as: UTF8.self
        )
    }

    private static func copy(_ from: Connection, _ to: Connection) async throws {
        while let bytes = try await from.read(within: patience) { try await to.write(bytes, within: patience) }
        await to.finishWriting()
    }
}

extension Connection {
    fileprivate nonisolated func isolatedFinish() {
        Task { await finishWriting() }
    }
}

@Suite struct SOCKS5Tests {
    private let loop: EventLoop

    init() throws {
        loop = try EventLoopGroup.shared.next()
    }

    private func connector(_ proxy: TestProxy, _ credentials: (String, String)? = nil) -> Connector {
        var connector = Connector()
        connector.proxy = SOCKS5Proxy(host: "127.0.0.1", port: proxy.port, credentials: credentials)
        connector.resolver = Resolver { name throws(SocketsError) in
            Issue.record("\(name) was looked up here")
            return [.loopback4]
        }
        return connector
    }

    @Test(arguments: ["abcdef.onion", "name.example", "192.0.2.7"])
    func theProxyIsGivenTheNameAndNothingIsLookedUpHere(host: String) async throws {
        let server = try EchoServer()
        let proxy = try TestProxy(to: server.port)
        let stream = try await connector(proxy).connect(to: host, port: 7777, on: loop)
        let connection = await Connection(stream)
        #expect(try await connection.read(exactly: 3, within: patience) == Array("hi!".utf8))
        try await connection.write([1, 2, 3], within: patience)
        #expect(try await connection.read(exactly: 3, within: patience) == [1, 2, 3])
        #expect(proxy.targets.value == ["\(host):7777"])
        await connection.close()
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func aPlaceOfThisMachineIsReachedWithoutTheProxyWhereThatIsWanted(host: String) async throws {
        let server = try EchoServer()
        let proxy = try TestProxy(to: server.port)
        var connector = self.connector(proxy)
        connector.direct = [try #require(LoopbackPlace(host: host, port: server.port))]
        let mixed = connector
        let near = await Connection(try await mixed.connect(to: host, port: server.port, on: loop))
        try await near.write([1, 2, 3], within: patience)
        #expect(try await near.read(exactly: 3, within: patience) == [1, 2, 3])
        await near.close()
        #expect(proxy.targets.value.isEmpty)
        // Another port of it is nothing that the caller has named.
        let far = await Connection(try await mixed.connect(to: host, port: 7777, on: loop))
        #expect(try await far.read(exactly: 3, within: patience) == Array("hi!".utf8))
        await far.close()
        #expect(proxy.targets.value == ["\(host):7777"])
    }

    @Test func onlyWhatNeverLeavesThisMachineCanBeReachedWithoutAProxy() {
        for host in ["127.0.0.1", "127.255.255.254", "::1", "localhost", "LocalHost"] {
            #expect(LoopbackPlace(host: host, port: 1) != nil, "\(host)")
        }
        for host in [
            "", "0.0.0.0", "126.255.255.255", "128.0.0.1", "10.0.0.1", "::", "::2", "fe80::1", "::ffff:127.0.0.1",
            "localhost.example", "127.0.0.1.example", "a.localhost",
        ] {
            #expect(LoopbackPlace(host: host, port: 1) == nil, "\(host)")
        }
    }

    @Test func aLoginIsGivenWhenTheProxyAsks() async throws {
        let server = try EchoServer()
        let proxy = try TestProxy(to: server.port, login: ("user", "pass"))
        let stream = try await connector(proxy, ("user", "pass")).connect(to: "name.example", port: 80, on: loop)
        let connection = await Connection(stream)
        #expect(try await connection.read(exactly: 3, within: patience) == Array("hi!".utf8))
        await connection.close()
        let wrong = connector(proxy, ("user", "guess"))
        #expect(
            await failure { _ = try await wrong.connect(to: "name.example", port: 80, on: loop) }
                == .proxy(.authenticationRefused)
        )
        let none = connector(proxy)
        #expect(
            await failure { _ = try await none.connect(to: "name.example", port: 80, on: loop) }
                == .proxy(.authenticationNeeded)
        )
        #expect(!"\(connector(proxy, ("user", "pass")).proxy!)".contains("pass"))
    }

    @Test(arguments: [
        (UInt8(1), SOCKS5Failure.failed(code: 1)), (2, .notAllowed), (3, .unreachable), (4, .unreachable),
        (5, .refused),
        (6, .unreachable), (7, .failed(code: 7)), (200, .failed(code: 200)),
    ])
    func theProxysRefusalIsNamed(code: UInt8, expected: SOCKS5Failure) async throws {
        let proxy = try TestProxy(to: 1, reply: code)
        let connector = self.connector(proxy)
        let error = await failure { _ = try await connector.connect(to: "name.example", port: 80, on: loop) }
        #expect(error == .proxy(expected))
        #expect(await eventually { socketsTouching(port: proxy.port) <= 1 })
    }

    @Test(arguments: [[4, 0], [5], [], [5, 1], [5, 2], [0x48, 0x54, 0x54, 0x50]] as [[UInt8]])
    func somethingElseThanAProxyIsNamedSo(garbage: [UInt8]) async throws {
        let proxy = try TestProxy(to: 1, garbage: garbage)
        let connector = self.connector(proxy)
        let error = await failure { _ = try await connector.connect(to: "name.example", port: 80, on: loop) }
        #expect(error == .proxy(.protocolViolation))
    }

    @Test func aNameThatIsTooLongForTheProxyIsRefused() async throws {
        let proxy = try TestProxy(to: 1)
        let connector = self.connector(proxy)
        let name = String(repeating: "a", count: 256)
        #expect(await failure { _ = try await connector.connect(to: name, port: 80, on: loop) } == .proxy(.nameTooLong))
    }

    @Test func aProxyThatStaysSilentTimesOut() async throws {
        let listener = try Listener(on: .ip(.loopback4, port: 0)) { $0.start(Silent($0)) }
        var connector = Connector()
        connector.timeout = .seconds(2)
        connector.proxy = SOCKS5Proxy(host: "127.0.0.1", port: try #require(listener.address.port))
        let impatient = connector
        let error = await failure { _ = try await impatient.connect(to: "a.onion", port: 80, on: loop) }
        #expect(error == .timedOut(.proxyHandshake))
    }

    @Test func theAddressPolicyHoldsForLiteralAddressesBehindAProxy() async throws {
        let proxy = try TestProxy(to: 1)
        var connector = self.connector(proxy)
        connector.addressPolicy = .publicOnly
        let strict = connector
        let error = await failure { _ = try await strict.connect(to: "10.0.0.1", port: 80, on: loop) }
        #expect(error == .addressRefused("10.0.0.1"))
        #expect(proxy.targets.value.isEmpty)
    }

    @Test func tlsWorksThroughTheProxy() async throws {
        let server = try await OpenSSLServer.start("good")
        let proxy = try TestProxy(to: server.port)
        var connector = self.connector(proxy)
        connector.tls = try await testClient()
        let chatty = connector
        // The three bytes that this proxy puts first are no TLS: the control that they reach the handshake.
        let error = await failure { _ = try await chatty.connect(to: "localhost", port: 443, secure: true, on: loop) }
        guard case .tls = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}
