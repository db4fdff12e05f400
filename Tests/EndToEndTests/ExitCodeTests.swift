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

    @Test("tell relays that are not there from relays that cannot be reached, in every command that needs one")
    func relays() throws {
        let home = try DaemonProcess.home()
        let relay = try RelayProcess(["--in-memory"])
        func run(_ line: String, within time: Int = 60) throws -> RunningProcess.Ending {
            try LinkstrProcess.run("--home \(home.path) --timeout \(time) " + line)
        }
        func use(_ relays: String) { _ = home.file("relays.json", #"{"relays":[\#(relays)]}"#) }
        #expect(try run("account new").code == 0)
        use(#"{"url":"\#(relay.url)","enabled":true}"#)
        #expect(try run("session new Films").code == 0)
        let lines = ["sync", "post Films https://example.com/a", "session new Notes", "profile set --name Ann"]
        for line in lines { #expect(try run(line).code == 0, "\(line)") }
        use("")
        for line in lines { #expect(try run(line).code == 69, "\(line)") }
        use(#"{"url":"ws://127.0.0.1:1","enabled":true}"#)
        for line in lines {
            let ending = try run(line, within: 2)
            #expect(ending.code == 75 && ending.errorText.contains("127.0.0.1:1"), "\(line): \(ending.errorText)")
        }
    }

    /// Both while the work can be cancelled and while it cannot.
    @Test("after a signal say which it was", arguments: [(SIGINT, Int32(130)), (SIGTERM, -SIGTERM)])
    func signals(number: Int32, code: Int32) async throws {
        let relay = try RelayProcess(["--in-memory"])
        let home = try DaemonProcess.home()
        _ = home.file("relays.json", #"{"relays":[{"url":"\#(relay.url)","enabled":true}]}"#)
        let event = try LinkstrProcess.run(["event", "new", "--kind", "1", "--sec", Published.secret]).text
        #expect(try LinkstrProcess.run(["publish", relay.url], input: event).code == 0)
        #expect(try LinkstrProcess.run(["--home", home.path, "account", "new"]).code == 0)
        let watch = ["--home", home.path, "watch", "--json"]
        let stream = try BackgroundProcess(["req", "--kind", "1", "--stream", relay.url], waitsForLine: true)
        #expect(stream.end(by: number) == code)
        let alone = try BackgroundProcess(watch, waitsForLine: true)
        #expect(alone.end(by: number) == code)
        var plan = RunningProcess.Plan()
        plan.usesTerminal = true
        plan.interruptsAt = "Passphrase: "
        plan.interruption = number
        #expect(try LinkstrProcess.run(["key", "decrypt", Published.ncryptsec], plan: plan).code == code)
        let daemon = try DaemonProcess(home: home)
        let seen = try TemporaryFolder()
        let followed = try BackgroundProcess(watch, into: seen)
        // It follows once it is told of a session.
        let follows = try await eventually {
            _ = try daemon.linkstr("session new Films")
            return !seen.text("output").isEmpty
        }
        #expect(follows)
        #expect(followed.end(by: number) == code)
        // Servers close in good order.
        #expect(daemon.end(by: number) == 0)
        #expect(relay.end(by: number) == 0)
    }
}
