import ControlSocket
import Foundation
import NostrEvents
import Sockets
import Testing

/// A daemon hands its home to a command for a moment. Nobody else notices: who watches goes on, and what was unlocked stays so.
@Suite("A home that a daemon lends", .timeLimit(.minutes(20)))
struct LendingTests {
    private typealias Person = SharingTests.Person

    /// Somebody whose home a daemon keeps, with a friend, and a session of both.
    private final class World {
        let relay: RelayProcess
        let ann: Person
        let ben: Person
        let daemon: DaemonProcess
        let metrics: HTTPURL

        init() throws {
            relay = try RelayProcess(["--in-memory"])
            ann = try Person("Ann", relay: relay.url)
            ben = try Person("Ben", relay: relay.url)
            _ = try ann.output("session", "new", "Films", "--member", ben.npub, "--yes", "--not-a-contact")
            _ = try ben.output("sync")
            daemon = try DaemonProcess(["--http-listen", "127.0.0.1:0"], home: ann.folder)
            let line = try #require(daemon.logged.split(separator: "\n").first { $0.contains("http listening") })
            metrics = try HTTPURL("http://\(line.split(separator: "=").last ?? "")/metrics")
        }

        /// Begins to watch, and waits until the daemon has taken note of it.
        func watch(_ arguments: String...) async throws -> (process: BackgroundProcess, folder: TemporaryFolder) {
            let folder = try TemporaryFolder()
            let process = try BackgroundProcess(
                ["--home", ann.folder.path, "watch", "--json"] + arguments,
                into: folder
            )
            try await waitForSubscriber()
            return (process, folder)
        }

        private func waitForSubscriber() async throws {
            var client = HTTPClient()
            client.timeout = .seconds(60)
            client.stallTime = .seconds(60)
            let deadline = ContinuousClock.now + .seconds(60)
            while ContinuousClock.now < deadline {
                let text = String(decoding: try await client.get(metrics).body, as: UTF8.self)
                if text.contains(/linkstrd_subscribers\{account="[0-9a-f]{64}"\} 1/) { return }
            }
            Issue.record("nobody subscribes: \(daemon.logged)")
        }
    }

    private static func posts(in text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            guard let event = try? JSONValue(json: String(line)), event["event"]?.string == "post" else { return nil }
            return event["post"]?["url"]?.string
        }
    }

    @Test("is watched on, with every post once, whoever works on it meanwhile")
    func watching() async throws {
        let world = try World()
        let (ann, ben) = (world.ann, world.ben)
        let home = ann.folder.path
        let passphrase = ann.folder.file("passphrase", "correct horse")
        let (watch, seen) = try await world.watch("Films")
        var expected: [String] = []
        func post(_ person: Person) async throws {
            let url = "https://example.com/\(expected.count)"
            _ = try person.output("post", "Films", url)
            expected.append(url)
            let wanted = expected
            #expect(await eventually { Self.posts(in: seen.text("output")).count >= wanted.count })
            #expect(Self.posts(in: seen.text("output")) == wanted, "\(seen.text("errors"))")
        }
        try await post(ann)
        try await post(ben)
        let lines = [
            ["relay", "add", "ws://127.0.0.1:1"], ["relay", "remove", "ws://127.0.0.1:1"],
            ["export", home + "/export", "--export-passphrase-file", passphrase],
            ["import", home + "/export", "--export-passphrase-file", passphrase],
            ["account", "export", "--yes"], ["config", "set", "proxy", "127.0.0.1:1"], ["config", "unset", "proxy"],
            ["account", "new", "--name", "Cleo"],
        ]
        for line in lines {
            #expect(try ann.run(line).code == 0, "\(line)")
            try await post(ann)
            try await post(ben)
        }
        #expect(watch.end(by: SIGINT) == 130)
        #expect(Self.posts(in: seen.text("output")) == expected)
        #expect(world.daemon.end() == 0)
    }

    @Test("brings what came meanwhile to who watches, once it is back")
    func meanwhile() async throws {
        let world = try World()
        let (watch, seen) = try await world.watch()
        let key = try world.ann.key
        let client = try await ControlClient.connect(to: world.daemon.socketPath)
        _ = try await client.call("home.lend", RawJSON(["account": .string(key)])) { notice, _ in
            guard notice == "lent" else { return }
            let told = seen.text("output")
            let url = try world.ben.output("post", "Films", "https://example.com/meanwhile")
            #expect(!url.isEmpty && Self.posts(in: told).isEmpty)
            try await client.takeBack()
        }
        await client.close()
        #expect(await eventually { !Self.posts(in: seen.text("output")).isEmpty }, "\(seen.text("errors"))")
        _ = try world.ben.output("post", "Films", "https://example.com/after")
        #expect(await eventually { Self.posts(in: seen.text("output")).count > 1 })
        #expect(
            Self.posts(in: seen.text("output")) == ["https://example.com/meanwhile", "https://example.com/after"]
        )
        #expect(watch.end(by: SIGTERM) == -SIGTERM)
        #expect(world.daemon.end() == 0)
    }

    @Test("is waited for by commands that begin meanwhile, as long as they may")
    func waiting() async throws {
        let world = try World()
        let key = try world.ann.key
        let client = try await ControlClient.connect(to: world.daemon.socketPath)
        let folder = try TemporaryFolder()
        var patient: BackgroundProcess?
        _ = try await client.call("home.lend", RawJSON(["account": .string(key)])) { notice, _ in
            guard notice == "lent" else { return }
            let home = ["--home", world.ann.folder.path]
            patient = try BackgroundProcess(home + ["session", "list", "--timeout", "600"], into: folder)
            let refused = try world.ann.linkstr("session", "list", "--timeout", "1")
            #expect(refused.code == 75, "\(refused.errorText)")
            #expect(folder.text("output").isEmpty)
            try await client.takeBack()
        }
        await client.close()
        #expect(patient?.end(by: 0) == 0, "\(folder.text("errors"))")
        #expect(folder.text("output").contains("Films"))
        #expect(world.daemon.end() == 0)
    }

    @Test("tells who watches why there is no more, where its account is locked, taken off, or the daemon ends")
    func ends() async throws {
        let world = try World()
        let passphrase = world.ann.folder.file("passphrase", "correct horse")
        func end(_ line: [String], _ code: Int32, _ sentence: String) async throws {
            let (watch, seen) = try await world.watch()
            #expect(try world.ann.run(line).code == 0)
            #expect(watch.end(by: 0) == code)
            #expect(seen.text("errors").contains(sentence), "\(seen.text("errors"))")
        }
        try await end(["account", "lock", "--passphrase-file", passphrase], 77, "is locked: hand its passphrase over")
        #expect(try world.ann.run(["account", "unlock", "--passphrase-file", passphrase]).code == 0)
        let (watch, seen) = try await world.watch()
        // A session that there is not is refused at once, as before.
        #expect(try world.ann.linkstr("watch", "Nothing").code == 66)
        _ = try world.ben.output("post", "Films", "https://example.com/unlocked")
        #expect(await eventually { !Self.posts(in: seen.text("output")).isEmpty })
        #expect(try world.ann.run(["account", "logout", "--yes"]).code == 0)
        #expect(watch.end(by: 0) == 66)
        let nsec = try world.ben.output("account", "export", "--yes")
        #expect(try LinkstrProcess.run(["--home", world.ann.folder.path, "account", "import"], input: nsec).code == 0)
        let (last, told) = try await world.watch()
        #expect(world.daemon.end() == 0)
        #expect(last.end(by: 0) == 69)
        #expect(told.text("errors").contains("the daemon has ended"), "\(told.text("errors"))")
    }

    @Test("leaves an account that was unlocked as it was, until it is locked anew")
    func unlocked() async throws {
        let world = try World()
        let home = world.ann.folder.path
        let passphrase = ["--passphrase-file", world.ann.folder.file("passphrase", "correct horse")]
        let export = ["--export-passphrase-file", passphrase[1]]
        func run(_ line: [String]) throws -> Int32 { try world.ann.run(line).code }
        #expect(try run(["account", "lock"] + passphrase) == 0)
        #expect(try run(["session", "list"]) == 77)
        #expect(try run(["account", "unlock"] + passphrase) == 0)
        #expect(try run(["session", "list"]) == 0)
        for line in [
            ["export", home + "/export"] + export + passphrase, ["import", home + "/export"] + export + passphrase,
            ["account", "export", "--yes"] + passphrase, ["account", "export", "--encrypted"] + export + passphrase,
            ["relay", "add", "ws://127.0.0.1:1"], ["config", "set", "proxy", "127.0.0.1:1"],
            ["config", "unset", "proxy"],
        ] {
            await Task.yield()
            #expect(try run(line) == 0, "\(line)")
            #expect(try run(["session", "list"]) == 0, "\(line)")
        }
        // Anew with the same passphrase is anew.
        #expect(try run(["account", "lock", "--current-passphrase-file", passphrase[1]] + passphrase) == 0)
        #expect(try run(["session", "list"]) == 77)
        #expect(world.daemon.end() == 0)
        #expect(!world.daemon.logged.contains("horse"))
    }

    @Test("is needed to choose an account, and lent for it")
    func choosing() async throws {
        let relay = try RelayProcess(["--in-memory"])
        let ann = try Person("Ann", relay: relay.url)
        let cleo = try ann.output("account", "new", "--name", "Cleo").prefix { !$0.isWhitespace }
        func chosen() throws -> String { try ann.output("account", "show") }
        let watch = try BackgroundProcess(["--home", ann.folder.path, "watch"])
        #expect(await eventually { !ann.folder.text("lock").isEmpty })
        let refused = try ann.linkstr("account", "use", "Cleo")
        #expect(refused.code == 75 && refused.text.isEmpty && refused.errorText.contains("(\(watch.pid))"))
        #expect(try chosen().contains(ann.npub))
        #expect(watch.end(by: SIGTERM) == -SIGTERM)
        #expect(try ann.linkstr("account", "use", "Cleo").code == 0)
        #expect(try chosen().contains(cleo))
        let daemon = try DaemonProcess(home: ann.folder)
        #expect(try ann.linkstr("account", "use", "Ann").code == 0)
        #expect(try chosen().contains(ann.npub))
        #expect(daemon.end() == 0)
    }

    @Test("is needed to note that a key was exported, and nothing is printed without it")
    func exportedMark() async throws {
        let relay = try RelayProcess(["--in-memory"])
        let ann = try Person("Ann", relay: relay.url)
        let warning = "never shown or exported"
        #expect(try ann.linkstr("account", "logout").errorText.contains(warning))
        let watch = try BackgroundProcess(["--home", ann.folder.path, "watch"])
        #expect(await eventually { !ann.folder.text("lock").isEmpty })
        let refused = try ann.linkstr("account", "export", "--yes")
        #expect(refused.code == 75 && refused.text.isEmpty && refused.errorText.contains("(\(watch.pid))"))
        #expect(watch.end(by: SIGTERM) == -SIGTERM)
        #expect(try ann.linkstr("account", "logout").errorText.contains(warning))
        #expect(try ann.linkstr("account", "export", "--yes").text.hasPrefix("nsec1"))
        let known = try ann.linkstr("account", "logout")
        #expect(known.code == 77 && !known.errorText.contains(warning))
    }
}
