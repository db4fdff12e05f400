import Foundation
import Testing

@testable import CommandKit

/// Each exit code that is documented is how some command ends.
@Suite("Exit codes", .timeLimit(.minutes(10)))
struct ExitCodeTests {
    /// A line for each code, in a home with an account and without relays.
    private static let lines: [ExitCode: String] = [
        .done: "feed",
        .unexpected: "doctor",
        .usage: "feed --limit many",
        .badInput: "post Films mailto:a@b",
        .notFound: "feed Films",
        .unavailable: "sync",
        .cannotWrite: "export /nowhere/at/all --passphrase-file HOME/passphrase",
        .localIO: "import /nowhere/at/all",
        .timedOut: "--timeout 1 sync",
        .notPermitted: "session delete Notes",
        .configuration: "session list",
        .interrupted: "account lock",
    ]

    @Test("are each what a command ends with")
    func codes() async throws {
        #expect(Set(Self.lines.keys) == Set(ExitCode.allCases))
        let relay = try RelayProcess(["--in-memory"])
        let silent = try SilentServer()
        let home = try DaemonProcess.home()
        _ = home.file("passphrase", "correct horse")
        func run(_ line: String, _ plan: RunningProcess.Plan = .init()) throws -> RunningProcess.Ending {
            try LinkstrProcess.run("--home \(home.path) " + line.replacing("HOME", with: home.path), plan: plan)
        }
        #expect(try run("account new").code == 0)
        _ = home.file("relays.json", #"{"relays":[{"url":"\#(relay.url)","enabled":true}]}"#)
        for name in ["Notes", "Films"] { #expect(try run("session new " + name).code == 0) }
        var dataKey = ""
        for code in ExitCode.allCases {
            await Task.yield()
            let line = try #require(Self.lines[code])
            var plan = RunningProcess.Plan()
            switch code {
            case .notFound: #expect(try run("session delete Films --yes").code == 0)
            case .unavailable, .unexpected: _ = home.file("relays.json", #"{"relays":[]}"#)
            case .timedOut:
                _ = home.file(
                    "relays.json",
                    #"{"relays":[{"url":"ws://127.0.0.1:\#(silent.port)","enabled":true}]}"#
                )
            case .configuration:
                // The key of what is stored here is gone; nothing is made anew.
                let accounts = home.path + "/accounts"
                let account = try #require(try FileManager.default.contentsOfDirectory(atPath: accounts).first)
                dataKey = accounts + "/" + account + "/data-key"
                try FileManager.default.moveItem(atPath: dataKey, toPath: dataKey + ".away")
            case .interrupted:
                try FileManager.default.moveItem(atPath: dataKey + ".away", toPath: dataKey)
                plan.usesTerminal = true
                plan.interruptsAt = "New passphrase"
            default: _ = home.file("relays.json", #"{"relays":[{"url":"\#(relay.url)","enabled":true}]}"#)
            }
            let ending = try run(line, plan)
            #expect(ending.code == code.rawValue, "\(line): \(ending.errorText)\(ending.text)")
        }
    }
}
