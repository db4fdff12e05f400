import Foundation
import Testing

/// The peers that `scripts/bootstrap.sh --peers` installs.
private enum Peers {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path
    static let python = root + "/.build/peers/bin/python3"
    static let areInstalled = FileManager.default.isExecutableFile(atPath: python)
}

/// What `scripts/interop.sh` checks at length, with few of everything.
@Suite(.enabled(if: Peers.areInstalled, "nostr-sdk is not installed: scripts/bootstrap.sh --peers"))
struct InteropTests {
    @Test func linkstrAndNostrSDKUnderstandEachOther() throws {
        let result = try run(["interop.py", "--quick"])
        #expect(result.code == 0, "\(result.errorText)")
        let checks = result.lines.dropFirst().count
        #expect(checks == 12, "\(result.text)")
    }

    @Test func anotherEncoderDrawsTheSameQRCodesAndADecoderReadsThem() throws {
        let result = try run(["qr.py"])
        #expect(result.code == 0 && result.text.hasPrefix("ok: 3 QR codes"), "\(result.errorText)")
    }

    @Test(
        "a client that is not linkstr makes sessions and takes part in them",
        arguments: ["own", "nostr-sdk", "nostr-relay"]
    )
    func anotherClientTakesPart(relay: String) throws {
        let result = try run(["sessions.py", "--relay", relay])
        #expect(result.code == 0, "\(result.errorText)")
        #expect(result.text.hasPrefix("sessions with another client over \(relay)"), "\(result.text)")
    }

    private func run(_ script: [String]) throws -> RunningProcess.Ending {
        var plan = RunningProcess.Plan()
        plan.deadline = 300
        var environment = ["PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"]
        for name in ["ASAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"] {
            environment[name] = ProcessInfo.processInfo.environment[name]
        }
        return try RunningProcess.run(
            Peers.python,
            [Peers.root + "/Tests/Interop/" + script[0]] + script.dropFirst() + ["--linkstr", LinkstrProcess.path],
            environment: environment,
            plan: plan
        )
    }
}
