import FaultyRelay
import Foundation
import NostrEvents
import Sockets
import Testing

/// Texts of others on a terminal: nothing in them acts, and what is harmless is shown as it is.
@Suite("Texts of others on a terminal", .timeLimit(.minutes(10)))
struct HostileTextTests {
    private typealias Person = SharingTests.Person

    /// Clears the screen, sets the title, rings, goes back and overwrites, turns the direction; and between it what is to be seen.
    private static let attack = "\u{1B}[2J\u{1B}]0;owned\u{07}\u{9B}31m\u{08}\u{202E}\u{2066}\u{7F}\u{E0041}"
    private static func hostile(_ name: String) -> String { name + harmless + attack }
    private static let harmless = " ünï 👩‍👩‍👧 文"

    /// What acts on a terminal, other than the end of a line.
    private static func active(in text: String) -> [String] {
        text.replacing("\r\n", with: "\n").unicodeScalars.filter { scalar in
            switch scalar.value {
            case 0x0A: false
            case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xE0000...0xE0FFF:
                true
            default: false
            }
        }.map { String($0.value, radix: 16) }
    }

    /// What a command shows on a terminal. Progress, which the program itself draws, is left out.
    private func shown(
        _ arguments: [String],
        home: String? = nil,
        answers: [(prompt: String, answer: String)] = [],
        interruptsAt: String? = nil
    ) throws -> String {
        var plan = RunningProcess.Plan()
        plan.usesTerminal = true
        plan.answers = answers
        plan.interruptsAt = interruptsAt
        let home = home.map { ["--home", $0] } ?? []
        return try LinkstrProcess.run(home + ["--quiet"] + arguments, plan: plan).text
    }

    @Test("of members, contacts and strangers do nothing, and a harmless text passes unchanged")
    func ofPeople() async throws {
        let relay = try RelayProcess(["--in-memory"])
        let ann = try Person("Ann", relay: relay.url)
        let ben = try Person("Ben", relay: relay.url)
        let home = ann.folder.path
        let nsec = try ben.output("account", "export", "--yes").trimmingCharacters(in: .whitespacesAndNewlines)
        func publish(_ events: String) throws {
            let sent = try LinkstrProcess.run(["publish", relay.url], input: events)
            #expect(sent.code == 0, "\(sent.errorText)")
        }
        let profile = String(
            decoding: try JSONSerialization.data(withJSONObject: ["name": "x", "display_name": Self.hostile("Ben")]),
            as: UTF8.self
        )
        let later = String(Int(Date().timeIntervalSince1970) + 5)
        try publish(
            LinkstrProcess.run([
                "event", "new", "--kind", "0", "--content", profile, "--created-at", later, "--sec", nsec,
            ]).text
        )
        _ = try ann.output("chat", "relays", relay.url)
        _ = try ann.output("sync")
        _ = try ann.output("contact", "add", ben.npub, "--alias", Self.hostile("Benny"), "--first-list", "--yes")
        _ = try ben.output("contact", "add", ann.npub, "--first-list", "--yes")
        _ = try ben.output(
            "session",
            "new",
            Self.hostile("Films"),
            "--member",
            ann.npub,
            "--yes",
            "--not-a-contact"
        )
        let posted = try ben.output(
            "post",
            Self.hostile("Films"),
            "example.com/a",
            "--note",
            Self.hostile("note"),
            "--json"
        )
        func member(_ name: String, of text: String) throws -> String {
            let object = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            return try #require(object?[name] as? String)
        }
        let (post, session) = (try member("id", of: posted), try member("session", of: posted))
        let reaction: [String: Any] = [
            "conversation_id": session, "root_id": post, "kind": "reaction", "emoji": Self.hostile("wow"),
            "reaction_active": true, "timestamp": 1,
        ]
        let content = String(decoding: try JSONSerialization.data(withJSONObject: reaction), as: UTF8.self)
        let rumor = try JSONSerialization.data(withJSONObject: [
            "kind": 44001, "content": content, "tags": [[String]](),
        ])
        try publish(
            LinkstrProcess.run(
                ["wrap", "--sec", nsec, "--to", ann.npub],
                input: String(decoding: rumor, as: UTF8.self)
            ).text
        )
        // Who makes a session may choose any text for its id.
        let created: [String: Any] = [
            "conversation_id": Self.attack + "\nx", "root_id": "o", "kind": "session_create", "session_name": "odd",
            "member_pubkeys": [try ben.key, try ann.key], "timestamp": 1,
        ]
        let odd = String(decoding: try JSONSerialization.data(withJSONObject: created), as: UTF8.self)
        let oddRumor = try JSONSerialization.data(withJSONObject: ["kind": 44001, "content": odd, "tags": [[String]]()])
        try publish(
            LinkstrProcess.run(
                ["wrap", "--sec", nsec, "--to", ann.npub],
                input: String(decoding: oddRumor, as: UTF8.self)
            ).text
        )
        _ = try ben.output("chat", ann.npub, Self.hostile("hello"))
        // The watching brings it all, and is ended when it has shown the note.
        let watched = try shown(["watch"], home: home, interruptsAt: "note")
        #expect(Self.active(in: watched.replacing("^C", with: "")) == [], "watch: \(watched.debugDescription)")
        #expect(watched.contains("note") && watched.contains(Self.harmless))
        _ = try ann.output("sync")
        _ = try ann.output("profile", "show", ben.npub)
        // Each shows one of the texts, with what is harmless in it.
        let lines: [(line: [String], text: String)] = [
            (["feed"], "note"), (["feed", session], "wow"), (["post", "show", post], "note"),
            (["post", "show", post], "wow"), (["session", "list"], "Films"), (["session", "show", session], "Films"),
            (["session", "show", "odd"], "odd"), (["session", "members", session], "Benny"),
            (["session", "members", session, "--refresh"], "(Ben"),
            (["contact", "list"], "Benny"), (["contact", "list"], "(Ben"),
            (["profile", "show", ben.npub], "(Ben"), (["contact", "discover"], "Benny"), (["chat", ben.npub], "hello"),
            (["feed", session, "--unread"], ""), (["chat", "list"], ""), (["status"], ""),
            (["session", "requests"], ""),
        ]
        for (line, text) in lines {
            await Task.yield()
            let seen = try shown(line, home: home)
            #expect(Self.active(in: seen) == [], "\(line): \(seen.debugDescription)")
            #expect(text.isEmpty || seen.contains(text), "\(line): \(seen)")
            if !["", "wow", "odd"].contains(text) { #expect(seen.contains("ünï 👩‍👩‍👧 文"), "\(line): \(seen)") }
        }
        // What is asked holds them too.
        _ = try ann.output("contact", "remove", ben.npub, "--yes", "--allow-shrink")
        let asked = try shown(
            ["session", "new", Self.hostile("Mine"), "--member", ben.npub],
            home: home,
            answers: [("[y/N] ", "y"), ("[y/N] ", "n")]
        )
        #expect(Self.active(in: asked) == [] && asked.contains("calls themselves"), "\(asked.debugDescription)")
        // For programs they are whole, as escapes.
        let json = try ann.output("feed", "--json")
        #expect(Self.active(in: json) == [])
        #expect(try member("note", of: json) == Self.hostile("note"))
    }

    @Test("of relays do nothing: names, notices, refusals, and reasons for an end")
    func ofRelays() async throws {
        let relay = ScriptedRelay(on: try EventLoopGroup.shared.next())
        let escaped = String(
            decoding: try JSONSerialization.data(withJSONObject: [Self.hostile("relay")]).dropFirst().dropLast(),
            as: UTF8.self
        )
        await relay.change {
            $0.information = #"{"name":\#(escaped),"description":\#(escaped),"software":\#(escaped)}"#
        }
        await relay.follow { relay, session, message in
            switch message {
            case .event(let event):
                [.text(#"["NOTICE",\#(escaped)]"#), .text(#"["OK","\#(event.id.hex)",false,\#(escaped)]"#)]
            case .request(let id, _):
                [.text(#"["NOTICE",\#(escaped)]"#), .text(#"["CLOSED","\#(id.text)",\#(escaped)]"#)]
            default: relay.honest(session, message)
            }
        }
        let url = try await relay.listen().text
        let ann = try Person("Ann", relay: url)
        let event = try LinkstrProcess.run(["event", "new", "--kind", "1", "--sec", Published.secret]).text
        for line in [
            ["relay", "info", url], ["relay", "test", url], ["req", "--kind", "1", url], ["count", "--kind", "1", url],
            ["sync"], ["session", "new", "Films"], ["profile", "set", "--name", "Ann"], ["doctor"], ["status"],
        ] {
            await Task.yield()
            let seen = try shown(line, home: ann.folder.path)
            #expect(Self.active(in: seen) == [], "\(line): \(seen.debugDescription)")
        }
        let refused = try LinkstrProcess.run(["publish", url], input: event)
        #expect(refused.code == 69 && Self.active(in: refused.text + refused.errorText) == [])
        #expect((refused.text + refused.errorText).contains("relay"))
        #expect(try shown(["relay", "info", url]).contains(Self.harmless))
        #expect(try shown(["relay", "test", url]).contains("notice: relay"))
        await relay.stopListening()
    }

    @Test("of web pages do nothing: titles and descriptions of links")
    func ofPages() async throws {
        let relay = try RelayProcess(["--in-memory"])
        // As they are, and as a page can spell them too.
        let text = Self.hostile("Film") + "&#27;[2J&#x9b;31m&#7;&#x202e;&#xe0041;"
        let page = """
            <html><head><title>\(text)</title><meta property="og:site_name" content="\(text)">
            <meta property="og:description" content="\(text)"></head></html>
            """
        let proxy = try ProxyServer(["film.example": .page(page, type: "text/html; charset=utf-8")])
        let ann = try Person("Ann", relay: relay.url)
        let home = ann.folder.path
        _ = try ann.output("config", "set", "proxy", proxy.address)
        _ = try ann.output("session", "new", "Films")
        let post = String(try ann.output("post", "Films", "http://film.example/a").prefix(64))
        for line in [
            ["url", "metadata", "http://film.example/a"], ["post", "show", post, "--refresh"], ["post", "show", post],
            ["feed"], ["feed", "Films"],
        ] {
            await Task.yield()
            let seen = try shown(line, home: home)
            #expect(Self.active(in: seen) == [], "\(line): \(seen.debugDescription)")
            #expect(seen.contains("Film" + Self.harmless), "\(line): \(seen)")
        }
        // A daemon fetches by itself, and who watches is told.
        let daemon = try DaemonProcess(home: ann.folder)
        _ = try ann.output("config", "set", "link_metadata", "true")
        _ = try ann.output("post", "Films", "http://film.example/b")
        let isKnown = try await eventually {
            try ann.output("feed", "--json").split(separator: "\n").allSatisfy { !$0.contains(#""title":null"#) }
        }
        #expect(isKnown)
        let feed = try shown(["feed"], home: home)
        #expect(Self.active(in: feed) == [], "\(feed.debugDescription)")
        #expect(feed.components(separatedBy: "Film" + Self.harmless).count == 3, "\(feed)")
        #expect(Self.active(in: try ann.output("feed", "--json")) == [])
        #expect(daemon.end() == 0)
    }
}
