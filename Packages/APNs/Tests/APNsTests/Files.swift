import Foundation
import Locking
import TestSupport
import Testing

/// How long a test waits before it gives up.
let patience: Duration = .seconds(60)

/// A certificate for 127.0.0.1, its key, and the keys of a team, made by `openssl` in a folder that goes with the test.
final class Files: Sendable {
    private let folder: TemporaryFolder
    var path: String { folder.path }
    var certificate: String { path + "/cert.pem" }
    var certificateKey: String { path + "/key.pem" }
    var signingKey: String { path + "/AuthKey.p8" }
    var publicKey: String { path + "/public.pem" }

    init() throws {
        folder = try TemporaryFolder()
        try openssl(
            "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout \(certificateKey)"
                + " -out \(certificate) -days 2 -subj /CN=localhost -addext subjectAltName=IP:127.0.0.1"
        )
        try openssl("genpkey -algorithm EC -pkeyopt ec_paramgen_curve:prime256v1 -out \(signingKey)")
        try openssl("pkey -in \(signingKey) -pubout -out \(publicKey)")
    }

    func openssl(_ arguments: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments.split(separator: " ").map(String.init)
        process.standardError = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    func read(_ path: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    }
}

/// The outside programs of the tests, if they are there.
enum Peers {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    static let python = root.appendingPathComponent(".build/peers/bin/python3").path
    static let server = root.appendingPathComponent("Tests/Interop/apns_server.py").path
    static let nghttpd = ["/usr/sbin/nghttpd", "/usr/bin/nghttpd", "/opt/homebrew/bin/nghttpd"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static var isLookAlikeThere: Bool {
        FileManager.default.isExecutableFile(atPath: python) && FileManager.default.fileExists(atPath: server)
    }
    static let lookAlikeIsMissing: Comment = "scripts/bootstrap.sh --peers installs the look-alike of Apple's service"
    static let nghttpdIsMissing: Comment = "nghttpd is in Debian's package nghttp2-server"
}
