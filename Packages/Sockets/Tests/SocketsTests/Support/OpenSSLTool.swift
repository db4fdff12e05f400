import Foundation
import Sockets

/// Certificates for one run of the tests, made by the `openssl` program.
final class Certificates: Sendable {
    private static let made = Task { try await offThePool { try Certificates() } }

    /// Made at first use.
    static func shared() async throws -> Certificates { try await made.value }

    let directory = TemporaryDirectory()

    var authority: String { directory.file("ca.pem") }
    func certificate(_ name: String) -> String { directory.file("\(name).pem") }
    func key(_ name: String) -> String { directory.file("\(name).key") }

    private init() throws {
        try request(["-x509", "-subj", "/CN=test authority", "-days", "2", "-out", authority], key: "ca")
        try issue("good", names: "DNS:localhost,DNS:*.wild.example,IP:127.0.0.1,IP:::1", days: "2")
        try issue("expired", names: "DNS:localhost,IP:127.0.0.1", days: "-1")
        try issue("elsewhere", names: "DNS:elsewhere.example", days: "2")
        let names = ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
        try request(
            ["-x509", "-subj", "/CN=localhost", "-days", "2", "-out", certificate("selfsigned")] + names,
            key: "selfsigned"
        )
        // An authority that nobody trusts, and a certificate of it.
        try request(["-x509", "-subj", "/CN=stranger", "-days", "2", "-out", certificate("stranger")], key: "stranger")
        try issue("foreign", names: "DNS:localhost,IP:127.0.0.1", days: "2", by: "stranger")
    }

    private func request(_ arguments: [String], key name: String) throws {
        let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key(name)]
        try Self.openssl(["req"] + newKey + arguments)
    }

    private func issue(_ name: String, names: String, days: String, by issuer: String = "ca") throws {
        let extensions = directory.file("\(name).ext")
        try Data("subjectAltName=\(names)\n".utf8).write(to: URL(fileURLWithPath: extensions))
        try request(["-subj", "/CN=\(name)", "-out", directory.file("\(name).csr")], key: name)
        try Self.openssl([
            "x509", "-req", "-in", directory.file("\(name).csr"), "-CA", certificate(issuer), "-CAkey", key(issuer),
            "-set_serial", "\(UInt32.random(in: 1...UInt32.max))", "-days", days, "-extfile", extensions,
            "-out", certificate(name),
        ])
    }

    private static func openssl(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw SocketsError.invalidAddress("openssl \(arguments)") }
    }
}

/// `openssl s_server` on a free port of the loopback; it answers each line with the line reversed.
final class OpenSSLServer: Sendable {
    let port: UInt16
    private let process: Shared<Process>

    static func start(_ certificate: String, _ options: [String] = []) async throws -> OpenSSLServer {
        let certificates = try await Certificates.shared()
        return try await offThePool { try OpenSSLServer(certificate, options, certificates) }
    }

    private init(_ certificate: String, _ options: [String], _ certificates: Certificates) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            ["openssl", "s_server", "-accept", "127.0.0.1:0", "-rev"]
            + ["-cert", certificates.certificate(certificate), "-key", certificates.key(certificate)] + options
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        self.process = Shared(process)
        var text = ""
        var found: UInt16?
        while found == nil {
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { throw SocketsError.closed }
            text += String(decoding: data, as: UTF8.self)
            for line in text.split(separator: "\n").dropLast(text.hasSuffix("\n") ? 0 : 1)
            where line.hasPrefix("ACCEPT") {
                found = line.split(separator: ":").last.flatMap { UInt16($0) }
            }
        }
        port = found ?? 0
    }

    deinit { process.value.terminate() }
}

/// A client that trusts the authority of the tests, and nobody else.
func testClient(_ change: (inout TLSConfiguration) -> Void = { _ in }) async throws -> TLSClient {
    var configuration = TLSConfiguration()
    configuration.trustsSystemAuthorities = false
    configuration.extraAuthoritiesFile = try await Certificates.shared().authority
    change(&configuration)
    return try TLSClient(configuration)
}

/// Runs something that blocks on a thread of its own: the pool of the tasks is small.
func offThePool<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
    }
}
