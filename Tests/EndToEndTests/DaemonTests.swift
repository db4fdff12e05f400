import ControlSocket
import Foundation
import NostrEvents
import Sockets
import Testing

@Suite struct DaemonTests {
    @Test func itStartsInAnEmptyHomeAndEndsWithZero() throws {
        let daemon = try DaemonProcess()
        #expect(daemon.logged.contains("ready accounts=0"))
        #expect(daemon.end() == 0)
        #expect(daemon.logged.contains("stopped"))
        #expect(!FileManager.default.fileExists(atPath: daemon.socketPath))
    }

    @Test func aSecondStartSaysWhoHoldsTheLock() throws {
        let daemon = try DaemonProcess()
        let second = try DaemonProcess(starting: [], home: daemon.home)
        #expect(second.end(by: 0) == 75)
        #expect(second.logged.contains("Another process (\(daemon.pid)) works on this home"))
        #expect(try daemon.linkstr("account list").code == 0)
        #expect(daemon.end() == 0)
    }

    @Test func afterAKillTheNextStartIsClean() throws {
        let daemon = try DaemonProcess()
        #expect(daemon.end(by: SIGKILL) == -SIGKILL)
        #expect(FileManager.default.fileExists(atPath: daemon.socketPath))
        let next = try DaemonProcess(home: daemon.home)
        #expect(try next.linkstr("account new --name Ann").code == 0)
        #expect(next.end() == 0)
    }

    @Test func anAccountMadeLaterIsTakenUpAndUsedOverTheSocket() throws {
        let daemon = try DaemonProcess(["--relay-listen", "127.0.0.1:0"])
        let early = try daemon.linkstr("feed")
        #expect(early.code == 66)
        #expect(early.errorText.contains("account new"))
        #expect(try daemon.linkstr("account new --name Ann").code == 0)
        let made = try daemon.linkstr("session new Films --json")
        #expect(made.code == 0)
        let posted = try daemon.linkstr("post Films https://example.com/a --note Look")
        #expect(posted.code == 0)
        let feed = try daemon.linkstr("feed --json")
        #expect(feed.lines.count == 1)
        #expect(feed.text.contains(posted.lines.first ?? "none"))
        let unknown = try daemon.linkstr("post Nothing https://example.com/a")
        #expect(unknown.code == 66)
        #expect(daemon.end() == 0)
        #expect(daemon.logged.contains("account open"))
    }

    /// Every kind of command, once with the daemon and once without.
    @Test func theOutputIsTheSameWithAndWithoutTheDaemon() throws {
        let relay = try RelayProcess(["--in-memory"])
        let daemon = try DaemonProcess()
        #expect(try daemon.linkstr("relay add \(relay.url)").code == 0)
        #expect(try daemon.linkstr("account new --name Ann").code == 0)
        #expect(try daemon.linkstr("session new Films").code == 0)
        #expect(try daemon.linkstr("post Films https://example.com/a").code == 0)
        let lines = [
            "feed", "feed --json", "feed Films", "feed Nothing", "session list", "session list --json",
            "session show Films --json", "session members Films --json", "session members Films --history --json",
            "session rename Films \u{7}", "post Films nothing", "react ffff +", "account list --json",
            "session show Nothing", "read Films", "session archive Films",
            "session unarchive Films",
        ]
        func run() throws -> [String] {
            try lines.map { line in
                let ending = try daemon.linkstr(line)
                return "\(line): \(ending.code)\n\(ending.text)\(ending.errorText)"
            }
        }
        let with = try run()
        #expect(daemon.end() == 0)
        let without = try run()
        #expect(with == without)
        relay.end(by: SIGTERM)
    }

    @Test func aLockedAccountWaitsUntilItIsUnlocked() throws {
        let daemon = try DaemonProcess()
        let passphrase = daemon.home.file("passphrase", "correct horse")
        #expect(try daemon.linkstr("account new --name Ann").code == 0)
        #expect(try daemon.linkstr("session list").code == 0)
        #expect(try daemon.linkstr("account lock --passphrase-file \(passphrase)").code == 0)
        let locked = try daemon.linkstr("session list")
        #expect(locked.code == 77)
        #expect(locked.errorText.contains("unlock"))
        let wrong = daemon.home.file("wrong", "horse correct")
        #expect(try daemon.linkstr("account unlock --passphrase-file \(wrong)").code == 77)
        #expect(try daemon.linkstr("session list").code == 77)
        #expect(try daemon.linkstr("account unlock --passphrase-file \(passphrase)").code == 0)
        #expect(try daemon.linkstr("session list").code == 0)
        #expect(daemon.end() == 0)
        #expect(!daemon.logged.contains("horse"))
        // A daemon that starts later waits as well.
        let next = try DaemonProcess(home: daemon.home)
        #expect(try next.linkstr("session list").code == 77)
        #expect(try next.linkstr("account unlock --passphrase-file \(passphrase)").code == 0)
        #expect(try next.linkstr("session list").code == 0)
        #expect(try next.linkstr("account logout --yes").code == 0)
        #expect(try next.linkstr("session list").code == 66)
        #expect(next.end() == 0)
        #expect(try next.linkstr("account unlock --passphrase-file \(passphrase)").code != 0)
    }

    @Test func oneDamagedAccountStopsNoOther() throws {
        let home = try DaemonProcess.home()
        let options = ["--home", home.path]
        let bad = try LinkstrProcess.run(options + ["account", "new", "--name", "Bad", "--json"])
        #expect(try LinkstrProcess.run(options + ["account", "new", "--name", "Good"]).code == 0)
        let key = try #require(try JSONValue(json: bad.output.dropLast().map { $0 })["pubkey"]?.string)
        let file = home.path + "/accounts/\(key)/account.db"
        let rubbish = Data(String(repeating: "no database ", count: 1000).utf8)
        try rubbish.write(to: URL(fileURLWithPath: file))
        chmod(file, 0o600)
        let daemon = try DaemonProcess(home: home)
        let failed = try daemon.linkstr("--account Bad session list")
        #expect(failed.code == 74)
        #expect(failed.errorText.contains(file))
        #expect(try daemon.linkstr("--account Good session list").code == 0)
        #expect(daemon.end() == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == rubbish)
        // For this run it goes on without its database.
        let temporary = try DaemonProcess(["--temporary"], home: home)
        #expect(temporary.logged.contains("temporary"))
        #expect(try temporary.linkstr("--account Bad session list").code == 0)
        #expect(temporary.end() == 0)
        #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == rubbish)
    }

    /// The relay takes the copy for the sender and refuses the other one: the retry must not make a second post.
    @Test func aSendingThatFailedIsCompletedByTheSameCommand() throws {
        let folder = try TemporaryFolder()
        let database = folder.path + "/relay.db"
        let first = try RelayProcess(["--database", database])
        let daemon = try DaemonProcess()
        #expect(try daemon.linkstr("relay add \(first.url)").code == 0)
        let made = try daemon.linkstr("account new --name Ann --json")
        let ann = try #require(try JSONValue(json: made.output.dropLast().map { $0 })["pubkey"]?.string)
        #expect(try daemon.linkstr("session new Films --member \(Published.npub) --yes --not-a-contact").code == 0)
        first.end(by: SIGTERM)
        let address = String(first.url.dropFirst("ws://".count))
        let partial = try RelayProcess(["--database", database, "--author", ann], listen: address)
        let failed = try daemon.linkstr("post Films https://example.com/a")
        #expect(failed.code == 69)
        #expect(failed.errorText.contains(Published.npub))
        // The copy that the relay has is no post yet, though it comes back.
        #expect(try daemon.linkstr("sync --full").code == 0)
        #expect(try daemon.linkstr("feed --json").lines.isEmpty)
        partial.end(by: SIGTERM)
        let whole = try RelayProcess(["--database", database], listen: address)
        let sent = try daemon.linkstr("post Films https://example.com/a")
        #expect(sent.code == 0)
        #expect(try daemon.linkstr("sync --full").code == 0)
        #expect(try daemon.linkstr("feed --json").lines.count == 1)
        // What was completed is over: the next one is another post, once the second in which both would be the same is over.
        var again = sent
        let deadline = Date(timeIntervalSinceNow: 20)
        while again.text == sent.text, Date() < deadline {
            again = try daemon.linkstr("post Films https://example.com/a")
            #expect(again.code == 0)
        }
        #expect(again.text != sent.text)
        #expect(try daemon.linkstr("feed --json").lines.count == 2)
        #expect(daemon.end() == 0)
        whole.end(by: SIGTERM)
    }

    /// The own relay takes it, but others cannot reach that one; the outside one refuses.
    @Test func theOwnRelayAloneDoesNotMakeASendingSucceed() throws {
        let daemon = try DaemonProcess(["--relay-listen", "127.0.0.1:0"])
        #expect(try daemon.linkstr("account new --name Ann").code == 0)
        #expect(try daemon.linkstr("session new Films").code == 0)
        let refusing = try RelayProcess(["--in-memory", "--kind", "1"])
        #expect(try daemon.linkstr("relay add \(refusing.url)").code == 0)
        #expect(try daemon.linkstr("post Films https://example.com/refused").code == 69)
        // What failed does not come back through the own relay.
        #expect(try daemon.linkstr("sync --full").code == 0)
        #expect(try daemon.linkstr("feed --json").lines.isEmpty)
        let accepting = try RelayProcess(["--in-memory"])
        #expect(try daemon.linkstr("relay disable \(refusing.url)").code == 0)
        #expect(try daemon.linkstr("relay add \(accepting.url)").code == 0)
        #expect(try daemon.linkstr("post Films https://example.com/taken").code == 0)
        #expect(try daemon.linkstr("sync --full").code == 0)
        let feed = try daemon.linkstr("feed --json")
        #expect(feed.lines.count == 1 && feed.text.contains("example.com/taken"))
        #expect(daemon.end() == 0)
        // Both relays have it: the one that decided, and the own one after it.
        let own = try DaemonProcess(["--relay-listen", "127.0.0.1:0"], home: daemon.home)
        #expect(own.logged.contains("relay listening"))
        #expect(try own.linkstr("relay disable \(accepting.url)").code == 0)
        #expect(try own.linkstr("sync --full --json").text.contains(#""messages":0"#))
        #expect(try own.linkstr("feed --json").text == feed.text)
        #expect(own.end() == 0)
        for relay in [refusing, accepting] { relay.end(by: SIGTERM) }
    }

    /// A relay takes the connection and says nothing: without a limit of one's own it is waited for much longer.
    @Test func aTimeoutEndsTheWorkOfTheDaemonAsItEndsThatOfTheCommand() async throws {
        let relay = try RelayProcess(["--in-memory"])
        let silent = try SilentServer()
        let daemon = try DaemonProcess()
        #expect(try daemon.linkstr("relay add \(relay.url)").code == 0)
        #expect(try daemon.linkstr("account new --name Ann").code == 0)
        #expect(try daemon.linkstr("session new Films").code == 0)
        #expect(try daemon.linkstr("--timeout 20 post Films https://example.com/a").code == 0)
        #expect(try daemon.linkstr("relay add ws://127.0.0.1:\(silent.port)").code == 0)
        #expect(try daemon.linkstr("relay disable \(relay.url)").code == 0)
        func measure(_ line: String) throws -> (RunningProcess.Ending, Duration) {
            let start = ContinuousClock.now
            return (try daemon.linkstr(line), ContinuousClock.now - start)
        }
        for line in ["post Films https://example.com/b", "profile set --name Ann", "sync"] {
            await Task.yield()
            let (ending, time) = try measure("--timeout 1 " + line)
            #expect(ending.code == 75, "\(line): \(ending.errorText)")
            #expect(ending.errorText.contains("try again") || ending.errorText.contains("\(silent.port)"))
            #expect(time > .milliseconds(900) && time < .seconds(8), "\(line) took \(time)")
        }
        #expect(daemon.end() == 0)
        for line in ["post Films https://example.com/b", "profile set --name Ann", "sync"] {
            await Task.yield()
            let (ending, time) = try measure("--timeout 1 " + line)
            #expect(ending.code == 75, "\(line): \(ending.errorText)")
            #expect(time > .milliseconds(900) && time < .seconds(8), "\(line) took \(time)")
        }
        relay.end(by: SIGTERM)
    }

    @Test func whatHappensIsToldToSubscribers() async throws {
        let daemon = try DaemonProcess(["--relay-listen", "127.0.0.1:0"])
        #expect(try daemon.linkstr("account new --name Ann").code == 0)
        #expect(try daemon.linkstr("session new Films").code == 0)
        let client = try await ControlClient.connect(to: daemon.socketPath, home: daemon.home.path)
        var post: JSONValue?
        struct Enough: Error {}
        do {
            try await client.stream("subscribe") {
                let code = try daemon.linkstr("post Films https://example.com/a").code
                #expect(code == 0)
            } item: { item in
                let value = try item.value()
                if value["event"]?.string == "post" {
                    post = value
                    throw Enough()
                }
            }
        } catch is Enough {}
        await client.close()
        #expect(post?["post"]?["url"]?.string == "https://example.com/a")
        #expect(post?["notify"]?.bool == false)
        #expect(daemon.end() == 0)
    }

    @Test func anAccountWithoutANameIsCalledByTheOneThatIsPublishedOverTheSocket() async throws {
        let daemon = try DaemonProcess(["--relay-listen", "127.0.0.1:0"])
        #expect(try daemon.linkstr("account new").code == 0)
        let client = try await ControlClient.connect(to: daemon.socketPath, home: daemon.home.path)
        func name() async throws -> String? { try await client.call("accounts").value().array?.first?["name"]?.string }
        #expect(try await name() == nil)
        for published in ["Ann", "Bea"] {
            _ = try await client.call("profile.set", RawJSON(["arguments": ["name": .string(published)]]))
            #expect(try await name() == "Ann")
        }
        await client.close()
        #expect(try daemon.linkstr("account show").text.contains("Ann"))
        #expect(daemon.end() == 0)
    }

    @Test func nothingSecretIsLoggedAtAnyLevel() throws {
        let daemon = try DaemonProcess(["--relay-listen", "127.0.0.1:0", "--verbose"])
        let made = try daemon.linkstr("account new --name Ann --show-secret")
        let nsec = try #require(made.lines.first { $0.hasPrefix("nsec1") })
        #expect(try daemon.linkstr("session new Unspeakable").code == 0)
        #expect(try daemon.linkstr("post Unspeakable https://example.com/hidden --note whispered").code == 0)
        #expect(daemon.end() == 0)
        #expect(daemon.logged.contains("debug"))
        let secret = try LinkstrProcess.run(["decode", nsec]).text
        let hex = try #require(try JSONValue(json: secret)["secret"]?.string ?? secret.firstHex)
        for word in [nsec, hex, "Unspeakable", "hidden", "whispered"] { #expect(!daemon.logged.contains(word)) }
    }

    /// Nor in what the service manager shows, which keeps it in a log of its own.
    @Test func accountsAreLoggedByTheirKeysAndNeverByTheirNames() throws {
        let home = try DaemonProcess.home()
        let options = ["--home", home.path, "account"]
        let names = ["Annabella", "Bartholomew"]
        var keys: [String] = []
        for name in names {
            let made = try LinkstrProcess.run(options + ["new", "--name", name, "--json"])
            keys.append(try #require(try made.text.field("pubkey")))
        }
        let passphrase = home.file("passphrase", "correct horse")
        let lock = ["lock", "--passphrase-file", passphrase]
        #expect(try LinkstrProcess.run(["--account", names[1]] + options + lock).code == 0)
        let daemon = try DaemonProcess(starting: ["--verbose"], home: home)
        let status = try #require(daemon.wait(for: "STATUS=0 of 2 accounts ready"))
        for line in ["--account \(names[0]) session list", "relay add ws://127.0.0.1:1", "account list"] {
            #expect(try daemon.linkstr(line).code == 0)
        }
        #expect(try daemon.linkstr("--account \(names[1]) session list").code == 77)
        #expect(daemon.end() == 0)
        #expect(status.contains("\(keys[1].prefix(8)): locked"))
        for key in keys { #expect(daemon.logged.contains(key)) }
        for name in names { #expect(!status.contains(name) && !daemon.logged.contains(name)) }
    }

    @Test func itIsFoundByAShellThatHasAnotherEnvironment() throws {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o700)
        for name in ["home", "runtime", "home/.config", "home/.config/linkstr"] {
            mkdir(folder.path + "/" + name, 0o700)
        }
        _ = folder.file("home/.config/linkstr/relays.json", #"{"relays":[]}"#)
        let standard = ["HOME": folder.path + "/home"]
        let whole = standard.merging(["XDG_RUNTIME_DIR": folder.path + "/runtime"]) { $1 }
        let other = standard.merging(["XDG_RUNTIME_DIR": folder.path + "/nothing"]) { $1 }
        let elsewhere = standard.merging(["LINKSTRD_CONTROL_SOCKET": folder.path + "/runtime/other.sock"]) { $1 }
        let none = try LinkstrProcess.run("account unlock", environment: standard)
        #expect(none.code == 66)
        // What the daemon was told, and what the shell that asks for it knows.
        let places = [(whole, [whole, standard, other]), (elsewhere, [standard, whole])]
        for (daemon, shells) in places {
            let running = try DaemonProcess(home: folder, givesHome: false, environment: daemon)
            for shell in shells {
                let made = try LinkstrProcess.run("account new --json", environment: shell)
                #expect(made.code == 0, "\(made.errorText)")
                let key = try #require(try made.text.field("pubkey"))
                let status = try LinkstrProcess.run(["--account", key, "status", "--json"], environment: shell)
                #expect(status.code == 0 && status.text.contains(#""live":true"#), "\(status.errorText)")
            }
            #expect(running.end() == 0)
            // Nobody is looked for where somebody was.
            #expect(try LinkstrProcess.run("status --json", environment: shells[0]).text.contains(#""live":false"#))
        }
    }

    @Test func itEndsInTimeWhateverItsClientsDo() async throws {
        let daemon = try DaemonProcess(["--relay-listen", "127.0.0.1:0"])
        #expect(try daemon.linkstr("account new --name Ann").code == 0)
        let stream = try await Connector().connect(toPath: daemon.socketPath, on: EventLoopGroup.shared.next())
        let connection = await Connection(stream)
        // Never taken back, never read.
        try await connection.write(
            Array(#"{"jsonrpc":"2.0","id":1,"method":"home.lend"}"#.utf8 + [10]),
            within: .seconds(5)
        )
        _ = try await connection.read(within: .seconds(20))
        let start = ContinuousClock.now
        #expect(daemon.end() == 0)
        #expect(ContinuousClock.now - start < .seconds(6))
        await connection.abort()
    }
}

extension String {
    /// The first 64 hexadecimal digits in a row.
    fileprivate var firstHex: String? {
        firstMatch(of: /[0-9a-f]{64}/).map { String($0.output) }
    }
}
