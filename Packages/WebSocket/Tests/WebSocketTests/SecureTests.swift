import Foundation
import Sockets
import TestSupport
import Testing
import WebSocket

/// A certificate that signs itself, for the loopback, made by the `openssl` program; gone with the object.
private final class SelfSigned: Sendable {
    private let folder: TemporaryFolder
    var certificate: String { folder.path + "/certificate.pem" }
    var key: String { folder.path + "/key.pem" }

    init() throws {
        folder = try TemporaryFolder()
        let command =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=loopback -days 2 "
            + "-addext subjectAltName=IP:127.0.0.1 -keyout '\(key)' -out '\(certificate)' 2>/dev/null"
        try #require(system(command) == 0)
    }
}

extension LoopbackTests {
    @Test func aSecureConnectionNeedsACertificateThatIsTrusted() async throws {
        let files = try SelfSigned()
        let tls = try TLSServer(certificateChainFile: files.certificate, privateKeyFile: files.key)
        let group = try EventLoopGroup(count: 1)
        let listener = try Listener(on: .ip(.loopback4, port: 0), group: group) { stream in
            Task {
                let connection = try await WebSocketServer().accept(try await tls.accept(stream, within: .seconds(15)))
                for try await message in connection.messages { try await connection.send(message) }
            }
        }
        defer { listener.close() }
        let url = "wss://127.0.0.1:\(listener.address.port ?? 0)/"

        var configuration = TLSConfiguration()
        configuration.trustsSystemAuthorities = false
        configuration.extraAuthoritiesFile = files.certificate
        var client = WebSocketClient()
        client.connector.tls = try TLSClient(configuration)
        let connection = try await client.connect(to: url, on: group.next())
        let large = WebSocketMessage.binary([UInt8](repeating: 3, count: 300_000))
        try await connection.send(contentsOf: [.text("secret"), large])
        var answers: [WebSocketMessage] = []
        while answers.count < 2 { answers += try await connection.receiveBatch() }
        #expect(answers == [.text("secret"), large])
        #expect(await connection.close().isClean)

        await #expect(throws: WebSocketError.transport(.tls(.selfSigned))) {
            try await WebSocketClient().connect(to: url, on: group.next())
        }
    }
}
