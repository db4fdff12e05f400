import Foundation
import Testing

/// Whom an account knows, and what it makes of those whom it does not.
@Suite("People", .timeLimit(.minutes(10)))
struct PeopleTests {
    private typealias Person = SharingTests.Person
    private let relay: RelayProcess

    init() throws {
        relay = try RelayProcess(["--in-memory"])
    }

    @Test("are followed and left, called by a name of one's own, and the way back is kept")
    func contacts() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url)
        #expect(try ann.linkstr("contact", "add", ben.npub).code == 77)
        #expect(try ann.output("contact", "list").isEmpty)
        _ = try ann.output("contact", "add", ben.npub, "--alias", "Ben", "--first-list", "--yes")
        #expect(try ann.output("contact", "list").contains("\(ben.npub)  Ben"))
        #expect(try ann.output("contact", "list", "--search", "ben").contains(ben.npub))
        #expect(try ann.output("contact", "list", "--search", "nobody").isEmpty)
        _ = try ben.output("profile", "set", "--name", "Benjamin")
        #expect(try ann.output("profile", "show", ben.npub).contains("(Benjamin)"))
        #expect(try ben.linkstr("profile", "set", "--name", String(repeating: "x", count: 81)).code == 65)
        #expect(try ben.output("contact", "discover", "--refresh").contains(ann.npub))
        _ = try ann.output("contact", "remove", ben.npub, "--yes", "--allow-shrink")
        #expect(try ann.output("contact", "list").isEmpty)
        #expect(try ann.output("contact", "history").hasPrefix("1  "))
        _ = try ann.output("contact", "undo", "--yes")
        #expect(try ann.output("contact", "list").contains(ben.npub))
        _ = try ann.output("contact", "alias", ben.npub, "Benny")
        #expect(try ann.output("contact", "list").contains("Benny"))
    }

    @Test("who are in a session are called by their own names once relays were asked, beside aliases")
    func namesOfMembers() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url)
        _ = try ann.output("session", "new", "Films", "--member", ben.npub, "--yes", "--not-a-contact")
        // Adding somebody asks for the name, and a process that ends forgets it.
        #expect(try !ann.output("session", "members", "Films").contains("Ben"))
        #expect(try ann.output("session", "members", "Films", "--refresh").contains("\(ben.npub)  (Ben)\n"))
        let json = try ann.output("session", "members", "Films", "--refresh", "--json")
        #expect(json.contains(#""name":"Ben","alias":null,"own_name":"Ben"}"#))
        _ = try ann.output("contact", "alias", ben.npub, "Benny")
        let both = try ann.output("session", "members", "Films", "--refresh", "--history")
        #expect(both.contains("\(ben.npub)  Benny  (Ben)  from "))
        ann.use([])
        #expect(try ann.linkstr("session", "members", "Films", "--refresh").code == 69)
        #expect(try ann.output("session", "members", "Films").contains("\(ben.npub)  Benny\n"))
    }

    @Test("are left and let in without a word about a list that was not read yet and does not matter")
    func unreadList() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url)
        _ = try ann.output("contact", "add", ben.npub, "--first-list", "--yes")
        _ = try ann.output("contact", "add", Published.npub, "--yes")
        let device = try ann.freshDevice(relays: [relay.url])
        let warning = "has not been read from the relays yet"
        #expect(try device.linkstr("contact", "list").errorText.contains(warning))
        let strange = try device.linkstr("session", "new", "Films", "--member", ben.npub)
        #expect(strange.code == 77 && !strange.errorText.contains(warning), "\(strange.errorText)")
        let removed = try device.linkstr("contact", "remove", ben.npub, "--yes")
        #expect(removed.code == 0 && !removed.errorText.contains(warning), "\(removed.errorText)")
        #expect(try device.output("contact", "list").contains(Published.npub))
    }

    @Test("who are no contacts are let in only by a word of its own")
    func strangers() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url)
        let refused = try ann.linkstr("session", "new", "Films", "--member", ben.npub, "--yes")
        #expect(refused.code == 77 && refused.errorText.contains("--not-a-contact"))
        #expect(try ann.output("session", "list").isEmpty)
        _ = try ann.output("contact", "add", ben.npub, "--first-list", "--yes")
        _ = try ann.output("session", "new", "Films", "--member", ben.npub, "--yes")
        #expect(try ann.output("session", "list").contains("Films"))
    }

    @Test("are told of every confirmation that is missing at once, and of a list that was never replaced")
    func confirmations() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url)
        for undo in [["contact", "undo"], ["contact", "undo", "3", "--yes"]] {
            let early = try ann.run(undo)
            #expect(early.code == 66 && early.errorText.contains("nothing to undo"), "\(early.errorText)")
        }
        let strange = try ann.linkstr("session", "new", "Films", "--member", ben.npub)
        #expect(strange.code == 77 && strange.errorText.contains("--yes and --not-a-contact"), "\(strange.errorText)")
        _ = try ann.output("contact", "add", ben.npub, "--first-list", "--yes")
        let known = try ann.linkstr("session", "new", "Films", "--member", ben.npub)
        #expect(known.code == 77 && known.errorText.contains("--yes"))
        #expect(!known.errorText.contains("--not-a-contact"))
        let last = try ann.linkstr("contact", "remove", ben.npub)
        #expect(last.code == 77 && last.errorText.contains("--yes and --allow-shrink"), "\(last.errorText)")
        #expect(last.errorText.contains("from 1 to 0"))
        let confirmed = try ann.linkstr("contact", "remove", ben.npub, "--yes")
        #expect(confirmed.code == 77 && confirmed.errorText.contains("it needs --allow-shrink"))
        #expect(try ann.output("contact", "list").contains(ben.npub))
        _ = try ann.output("contact", "remove", ben.npub, "--yes", "--allow-shrink")
        #expect(try ann.output("contact", "list").isEmpty)
        let far = try ann.linkstr("contact", "undo", "9", "--yes")
        #expect(far.code == 66 && far.errorText.contains("contact history"))
        _ = try ann.output("contact", "undo", "--yes")
        #expect(try ann.output("contact", "list").contains(ben.npub))
    }

    @Test("without a name on this device get the one they publish, and never another account's")
    func names() throws {
        let home = try TemporaryFolder()
        chmod(home.path, 0o700)
        _ = home.file("relays.json", #"{"relays":[{"url":"\#(relay.url)","enabled":true}]}"#)
        func run(_ line: String...) throws -> RunningProcess.Ending {
            let ending = try LinkstrProcess.run(["--home", home.path] + line)
            #expect(ending.code == 0, "\(line): \(ending.errorText)")
            return ending
        }
        let first = try run("account", "new").text.prefix { !$0.isWhitespace }
        let second = try run("account", "new").text.prefix { !$0.isWhitespace }
        _ = try run("profile", "set", "--name", "Ann", "--account", String(first))
        #expect(try run("account", "list").text.contains("\(first)  Ann"))
        _ = try run("profile", "set", "--name", "Ann", "--account", String(second))
        #expect(try !run("account", "list").text.contains("\(second)  Ann"))
        _ = try run("profile", "set", "--name", "Anna", "--account", String(first))
        #expect(try run("account", "list").text.contains("\(first)  Ann\n"))
        #expect(try run("profile", "show", "--account", "Ann").text.contains("(Anna)"))
    }

    @Test("who are no contacts make requests, which wait, are declined, and are accepted by an answer")
    func requests() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url, takesStrangersIn: false)
        for name in ["Films", "Music"] {
            _ = try ann.output("session", "new", name, "--member", ben.npub, "--yes", "--not-a-contact")
        }
        let post = try ann.output("post", "Films", "example.com/a").prefix(64)
        _ = try ben.output("sync")
        #expect(try ben.output("session", "list").isEmpty && ben.output("feed").isEmpty)
        #expect(try ben.output("session", "requests").split(separator: "\n").count == 2)
        _ = try ben.output("session", "decline", "Music")
        #expect(try !ben.output("session", "requests").contains("Music"))
        #expect(try ben.output("session", "requests", "--declined").contains("Music"))
        _ = try ben.output("session", "accept", "Music")
        #expect(try ben.output("session", "list").contains("Music"))
        #expect(try ben.output("feed", "Films").contains("example.com/a"))
        _ = try ben.output("react", String(post), "👍")
        #expect(try ben.output("session", "list").contains("Films"))
        #expect(try ben.output("feed").contains("example.com/a"))
    }

    @Test("on two devices share aliases and archived sessions through private preferences")
    func preferences() throws {
        let first = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url)
        _ = try first.output("contact", "add", ben.npub, "--alias", "Ben", "--first-list", "--yes")
        _ = try first.output("session", "new", "Films", "--member", ben.npub, "--yes")
        _ = try first.output("session", "archive", "Films")
        #expect(try first.output("backup", "push").contains(" 0 wait"))
        let nsec = try first.output("account", "export", "--yes")
        let second = try TemporaryFolder()
        let added = try LinkstrProcess.run(["--home", second.path, "account", "import"], input: nsec)
        #expect(added.code == 0)
        try FileManager.default.copyItem(
            atPath: first.folder.path + "/relays.json",
            toPath: second.path + "/relays.json"
        )
        for arguments in [["sync"], ["backup", "pull"]] {
            #expect(try LinkstrProcess.run(["--home", second.path] + arguments).code == 0)
        }
        #expect(
            try LinkstrProcess.run(["--home", second.path, "session", "list", "--archived"]).text.contains("Films")
        )
        #expect(try LinkstrProcess.run(["--home", second.path, "contact", "list"]).text.contains("\(ben.npub)  Ben"))
    }

    @Test("write to each other once they have named relays for it, and strangers wait")
    func chat() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url, takesStrangersIn: false)
        let early = try ann.linkstr("chat", ben.npub, "hello")
        #expect(early.code != 0 && early.output.isEmpty)
        #expect(try ben.output("chat", "relays", relay.url) == relay.url + "\n")
        _ = try ann.output("chat", "relays", relay.url)
        // What a first restore brings counts as read.
        _ = try ben.output("sync")
        _ = try ann.output("chat", ben.npub, "hello \u{1B}[31mBen")
        _ = try ben.output("sync")
        #expect(try ben.output("chat", "list", "--requests").contains(ann.npub))
        _ = try ben.output("chat", "accept", ann.npub)
        #expect(try ben.output("chat", "list").contains("1 unread"))
        let shown = try ben.output("chat", ann.npub)
        #expect(shown.contains("hello") && !shown.contains("\u{1B}"))
        #expect(try !ben.output("chat", "list").contains("unread"))
        _ = try ben.output("chat", ann.npub, "hello Ann")
        _ = try ann.output("sync")
        #expect(try ann.output("chat", ben.npub, "--json").contains(#""text":"hello Ann""#))
    }

    @Test("choose settings by name, and are told what is none")
    func settings() throws {
        let ann = try Person("Ann", relay: relay.url)
        #expect(try ann.output("config", "get", "link_metadata") == "false\n")
        _ = try ann.output("config", "set", "link_metadata", "true")
        #expect(try ann.output("config", "get", "link_metadata") == "true\n")
        #expect(try ann.output("config", "unset", "link_metadata").contains("(default)"))
        #expect(try ann.linkstr("config", "set", "link_metadata", "maybe").code == 65)
        #expect(try ann.linkstr("config", "set", "push_service", "ftp://x").code == 65)
        let unknown = try ann.linkstr("config", "get", "metadata")
        #expect(unknown.code == 64 && unknown.errorText.contains("link_metadata"))
    }

    @Test("are told how things stand, and what is wrong and how to mend it")
    func doctor() throws {
        let ann = try Person("Ann", relay: relay.url)
        #expect(try ann.output("status").contains(ann.npub))
        #expect(try ann.output("status").contains("0 sessions with 0 posts on this device, 0 unread"))
        // What is stored, not what the last reading brought.
        _ = try ann.output("session", "new", "Films")
        for name in ["a", "b"] { _ = try ann.output("post", "Films", "example.com/" + name) }
        _ = try ann.output("sync")
        #expect(try ann.output("status").contains("1 session with 2 posts on this device, 0 unread"))
        #expect(try ann.output("doctor").split(separator: "\n").allSatisfy { $0.hasPrefix("ok ") })
        _ = try ann.output("relay", "disable", relay.url)
        let lonely = try ann.linkstr("doctor")
        #expect(lonely.code == 1 && lonely.text.contains("relay add"))
        let empty = try TemporaryFolder()
        let nobody = try LinkstrProcess.run(["--home", empty.path, "doctor"])
        #expect(nobody.code == 1 && nobody.text.contains("account new"))
    }

    @Test("are not told to bring a copy back where another process is at work, and are told so once")
    func doctorWhileOthersWork() async throws {
        let ann = try Person("Ann", relay: relay.url)
        func look() throws -> RunningProcess.Ending { try ann.linkstr("doctor", "--offline") }
        let watch = try BackgroundProcess(["--home", ann.folder.path, "watch"])
        #expect(await eventually { ann.folder.text("lock").contains("\(watch.pid)") })
        let busy = try look()
        #expect(busy.code == 1 && busy.text.contains("Another process (\(watch.pid)) works on this home"))
        #expect(busy.text.contains("try again when that process has ended") && !busy.text.contains("copy"))
        #expect(watch.end(by: SIGTERM) == -SIGTERM)
        #expect(try look().code == 0)
        // What is damaged is another matter.
        let accounts = ann.folder.path + "/accounts"
        let account = try #require(try FileManager.default.contentsOfDirectory(atPath: accounts).first)
        var told = [busy.text]
        for (file, mode, advice) in [("account.json", 0o600, "bring back a copy"), ("secret", 0o644, "chmod 600 ")] {
            let path = "\(accounts)/\(account)/\(file)"
            let good = try Data(contentsOf: URL(fileURLWithPath: path))
            try Data("nothing".utf8).write(to: URL(fileURLWithPath: path))
            chmod(path, mode_t(mode))
            told.append(try look().text)
            #expect(told[told.count - 1].components(separatedBy: advice).count == 2, "\(told[told.count - 1])")
            try good.write(to: URL(fileURLWithPath: path))
            chmod(path, 0o600)
        }
        #expect(try look().code == 0)
        let empty = try TemporaryFolder()
        told.append(try LinkstrProcess.run(["--home", empty.path, "doctor"]).text)
        told.append(try LinkstrProcess.run(["doctor"]).text)
        _ = ann.folder.file("relays.json", "nothing")
        told.append(try look().text)
        for text in told {
            #expect(text.contains("WRONG"))
            for wrong in ["..", ". .", ".;", ";;", ". ;"] { #expect(!text.contains(wrong), "\(text)") }
            #expect(text.components(separatedBy: "linkstr account new").count <= 2, "\(text)")
        }
    }

    @Test("see what arrives while they watch, and may run a command for it")
    func watching() throws {
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url)
        _ = try ann.output("session", "new", "Films", "--member", ben.npub, "--yes", "--not-a-contact")
        _ = try ben.output("sync")
        let seen = ben.folder.path + "/seen"
        let watch = try BackgroundProcess(
            ["--home", ben.folder.path, "watch", "Films", "--notify", "--exec", "cat >> '\(seen)'"]
        )
        var posted = 0
        let deadline = Date(timeIntervalSinceNow: 30)
        // Whether the watching has begun cannot be seen from outside: a link is posted until one is seen.
        while (try? String(contentsOfFile: seen, encoding: .utf8))?.contains("example.com/") != true, Date() < deadline
        {
            posted += 1
            _ = try ann.output("post", "Films", "example.com/\(posted)", "--note", "$(touch \(seen).evil)")
        }
        let text = try String(contentsOfFile: seen, encoding: .utf8)
        #expect(text.contains(#""event":"post""#) && text.contains("$(touch"))
        #expect(!FileManager.default.fileExists(atPath: seen + ".evil"))
        #expect(watch.end(by: SIGINT) == 130)
    }
}
