import Foundation
import Sockets
import Testing

@Suite struct TLSTests {
    private let loop: EventLoop

    init() throws {
        loop = try EventLoopGroup.shared.next()
    }

    /// Connects to the loopback under a name that only this connector knows.
    private func connector(_ client: TLSClient) -> Connector {
        var connector = Connector()
        connector.resolver = Resolver { _ throws(SocketsError) in [.loopback4] }
        connector.tls = client
        return connector
    }

    private func reversed(_ text: String, over stream: any ByteStream) async throws -> String {
        let connection = await Connection(stream)
        try await connection.write(Array("\(text)\n".utf8), within: patience)
        let answer = try await connection.read(exactly: text.utf8.count + 1, within: patience)
        await connection.abort()
        return String(decoding: answer.dropLast(), as: UTF8.self)
    }

    @Test(arguments: [
        ("localhost", "-tls1_3"), ("127.0.0.1", "-tls1_3"), ("localhost", "-tls1_2"), ("a.wild.example", "-tls1_2"),
    ])
    func aGoodChainIsAccepted(host: String, version: String) async throws {
        let server = try await OpenSSLServer.start("good", [version])
        let stream = try await connector(await testClient()).connect(
            to: host,
            port: server.port,
            secure: true,
            on: loop
        )
        let tls = try #require(stream as? TLSStream)
        #expect(tls.version == (version == "-tls1_3" ? "TLSv1.3" : "TLSv1.2"))
        #expect(try await reversed("hello", over: stream) == "olleh")
    }

    @Test(arguments: [
        ("expired", "localhost", [], TLSFailure.certificateExpired),
        ("elsewhere", "localhost", [], .wrongHost("localhost")),
        ("elsewhere", "127.0.0.1", [], .wrongHost("127.0.0.1")),
        ("good", "b.a.wild.example", [], .wrongHost("b.a.wild.example")),
        ("selfsigned", "localhost", [], .selfSigned),
        ("foreign", "localhost", [], .unknownIssuer),
        ("good", "localhost", ["-tls1", "-cipher", "ALL:@SECLEVEL=0"], .protocolTooOld),
        ("good", "localhost", ["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], .protocolTooOld),
    ])
    func aBadServerIsRefusedWithTheReason(
        certificate: String,
        host: String,
        options: [String],
        expected: TLSFailure
    ) async throws {
        let server = try await OpenSSLServer.start(certificate, options)
        let connector = try await self.connector(testClient())
        let error = await failure {
            _ = try await connector.connect(to: host, port: server.port, secure: true, on: loop)
        }
        #expect(error == .tls(expected))
        #expect(await eventually { socketsTouching(port: server.port) == 0 })
    }

    @Test func theSystemsAuthoritiesDoNotCoverATestAuthority() async throws {
        let server = try await OpenSSLServer.start("good")
        var connector = self.connector(try TLSClient.system())
        let strict = connector
        let error = await failure {
            _ = try await strict.connect(to: "localhost", port: server.port, secure: true, on: loop)
        }
        #expect(error == .tls(.unknownIssuer))
        var configuration = TLSConfiguration()
        configuration.extraAuthoritiesFile = try await Certificates.shared().authority
        connector.tls = try TLSClient(configuration)
        _ = try await connector.connect(to: "localhost", port: server.port, secure: true, on: loop)
    }

    @Test func anyCertificateIsAcceptedOnlyWhenTheInsecureChoiceIsNamed() async throws {
        let server = try await OpenSSLServer.start("selfsigned")
        let client = try await testClient { $0.verification = .insecureAcceptAnyCertificate }
        let stream = try await connector(client).connect(to: "localhost", port: server.port, secure: true, on: loop)
        #expect(try await reversed("hello", over: stream) == "olleh")
    }

    @Test func aServerThatDoesNotSpeakTLSIsNamedSo() async throws {
        let server = try EchoServer()
        let connector = try await self.connector(testClient())
        let error = await failure {
            _ = try await connector.connect(to: "localhost", port: server.port, secure: true, on: loop)
        }
        guard case .tls = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        let http = try Listener(on: .ip(.loopback4, port: 0)) { stream in
            stream.start(Echo(stream))
            _ = stream.write(Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8))
        }
        let port = try #require(http.address.port)
        let plain = await failure {
            _ = try await connector.connect(to: "localhost", port: port, secure: true, on: loop)
        }
        #expect(plain == .tls(.notTLS))
    }

    @Test func aServerThatStaysSilentTimesOutInTheHandshake() async throws {
        let listener = try Listener(on: .ip(.loopback4, port: 0)) { stream in
            stream.start(Silent(stream))
        }
        let port = try #require(listener.address.port)
        let client = try await testClient()
        let stream = try await Connector().connect(to: "127.0.0.1", port: port, on: loop)
        let error = await failure {
            _ = try await client.connect(stream, host: "localhost", port: port, within: .milliseconds(50))
        }
        #expect(error == .timedOut(.tlsHandshake))
        listener.close()
        #expect(await eventually { socketsTouching(port: port) == 0 })
    }

    @Test(arguments: ["-tls1_3", "-tls1_2"])
    func aSecondConnectionResumesTheSession(version: String) async throws {
        let server = try await OpenSSLServer.start("good", [version])
        let connector = try await self.connector(testClient())
        var resumed: [Bool] = []
        for _ in 0..<3 {
            let stream = try await connector.connect(to: "localhost", port: server.port, secure: true, on: loop)
            resumed.append(try #require(stream as? TLSStream).isResumed)
            #expect(try await reversed("hello", over: stream) == "olleh")
        }
        #expect(resumed == [false, true, true])
        let other = try await connector.connect(to: "127.0.0.1", port: server.port, secure: true, on: loop)
        #expect(try #require(other as? TLSStream).isResumed == false)
    }

    /// Our own server with the good certificate, echoing.
    private func echoServer(protocols: [String] = []) async throws -> (Listener, Shared<[Echo]>, Shared<[SocketsError]>)
    {
        let certificates = try await Certificates.shared()
        let server = try TLSServer(
            certificateChainFile: certificates.certificate("good"),
            privateKeyFile: certificates.key("good"),
            applicationProtocols: protocols
        )
        let echoes = Shared<[Echo]>([])
        let errors = Shared<[SocketsError]>([])
        let listener = try Listener(on: .ip(.loopback4, port: 0)) { stream in
            Task {
                do throws(SocketsError) {
                    let tls = try await server.accept(stream)
                    let echo = Echo(tls)
                    echoes.update { $0.append(echo) }
                    tls.loop.execute { tls.start(echo) }
                } catch {
                    errors.update { $0.append(error) }
                }
            }
        }
        return (listener, echoes, errors)
    }

    @Test func megabytesGoThroughOurOwnServerInBoundedMemory() async throws {
        let (listener, echoes, _) = try await echoServer()
        let port = try #require(listener.address.port)
        let stream = try await connector(await testClient()).connect(
            to: "localhost",
            port: port,
            secure: true,
            on: loop
        )
        let connection = await Connection(stream)
        let total = 8_000_000
        let sent = pattern(total)
        let writing = Task {
            for (number, start) in stride(from: 0, to: total, by: 50_000).enumerated() {
                // Pieces of many sizes, so that some share a record and some need several.
                let cut = start + (number &* 7919) % 50_000
                try await connection.write(Array(sent[start..<cut]), within: patience)
                try await connection.write(Array(sent[cut..<start + 50_000]), within: patience)
            }
            await connection.finishWriting()
        }
        var got: [UInt8] = []
        while let bytes = try await connection.read(within: patience) { got += bytes }
        try await writing.value
        #expect(isSame(got, sent))
        let echo = try #require(echoes.value.first)
        #expect(await echo.mostPending <= 2 * Connector.defaultHighWaterMark + 200_000)
        await connection.close()
        #expect(await eventually { await echo.reason == .finished })
    }

    @Test func theApplicationProtocolIsAgreed() async throws {
        let (listener, _, errors) = try await echoServer(protocols: ["http/1.1", "other"])
        let port = try #require(listener.address.port)
        let client = try await testClient { $0.applicationProtocols = ["h2", "other", "http/1.1"] }
        let stream = try await connector(client).connect(to: "localhost", port: port, secure: true, on: loop)
        #expect(stream.applicationProtocol == "http/1.1")
        let stranger = connector(try await testClient { $0.applicationProtocols = ["h2"] })
        let error = await failure {
            _ = try await stranger.connect(to: "localhost", port: port, secure: true, on: loop)
        }
        #expect(error == .tls(.noCommonProtocol))
        #expect(await eventually { !errors.value.isEmpty })
        let silent = try await connector(await testClient()).connect(
            to: "localhost",
            port: port,
            secure: true,
            on: loop
        )
        #expect(silent.applicationProtocol == nil)
    }

    @Test func aConnectionThatIsCutOffIsToldFromOneThatEnds() async throws {
        let certificates = try await Certificates.shared()
        let server = try TLSServer(
            certificateChainFile: certificates.certificate("good"),
            privateKeyFile: certificates.key("good")
        )
        for isCut in [false, true] {
            let (left, right) = MemoryStream.pair(on: loop, chunk: isCut ? 1 : 1000)
            async let accepted = server.accept(left, within: patience)
            let client = try await testClient()
            let tls = try await client.connect(right, host: "localhost", port: 1, within: patience)
            let other = try await accepted
            let recorder = Recorder(on: loop)
            let far = Recorder(on: loop)
            await recorder.on { recorder in
                tls.start(recorder)
                other.start(far)
                if isCut { left.finishWriting() } else { other.finishWriting() }
            }
            if isCut {
                #expect(await eventually { await recorder.closeReason == .failed(.tls(.truncated)) })
            } else {
                #expect(await eventually { await recorder.happenings == [.ended] })
                await recorder.on { _ in
                    tls.close()
                    other.close()
                }
                #expect(await eventually { await recorder.closeReason == .finished })
                #expect(await eventually { await far.closeReason == .finished })
            }
        }
    }

    @Test func credentialsThatCannotBeReadAreAnError() async throws {
        let certificates = try await Certificates.shared()
        #expect(throws: SocketsError.self) {
            try TLSServer(certificateChainFile: "/nowhere", privateKeyFile: certificates.key("good"))
        }
        #expect(throws: SocketsError.self) {
            try TLSServer(
                certificateChainFile: certificates.certificate("good"),
                privateKeyFile: certificates.key("expired")
            )
        }
        var configuration = TLSConfiguration()
        configuration.extraAuthoritiesFile = "/nowhere"
        #expect(throws: SocketsError.tls(.badCredentials("no certificates can be read from /nowhere"))) {
            try TLSClient(configuration)
        }
    }
}

/// Takes everything and says nothing; closes when the peer does.
final class Silent: ByteStreamHandler {
    let stream: any ByteStream
    init(_ stream: any ByteStream) { self.stream = stream }
    func received(_ bytes: inout MutableRawSpan) {}
    func ended() { stream.close() }
    func closed(_ reason: CloseReason) {}
}
