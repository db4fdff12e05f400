import Foundation
import Testing

@testable import linkstr

/// Every command prints the same, and ends the same, whether a daemon does the work or the command itself.
///
/// One script is run in two worlds, each with a relay, a home and a friend of its own: in the first no daemon runs. What is compared is
/// all that a command says and its exit code.
@Suite("With and without a daemon", .timeLimit(.minutes(10)))
struct ParityTests {
    /// What differs between the worlds by its nature.
    enum Difference {
        /// A daemon has read before what a command alone reads now.
        case counts
        /// A daemon has asked relays for what a command alone, which uses no network, can only warn about.
        case warnings
        /// A daemon is connected, and says so.
        case connections
        /// Only a daemon can do it: the exit code alone, and with the daemon.
        case codes(Int32, Int32)
    }

    struct Step {
        let words: [String]
        var code: Int32 = 0
        var input = ""
        /// The first line is remembered under this name, and stands in later lines for `{name}`.
        var keeps: String?
        /// The friend does it, alone in both worlds; what he sees is not compared.
        var isByFriend = false
        var differs: Difference?
        /// It goes on until it has seen something.
        var watches = false

        var line: String { words.joined(separator: " ") }
    }

    private static func ann(
        _ line: String,
        _ code: Int32 = 0,
        input: String = "",
        keeps: String? = nil,
        differs: Difference? = nil
    ) -> Step {
        Step(words: words(line), code: code, input: input, keeps: keeps, differs: differs)
    }

    fileprivate static func ben(_ line: String) -> Step {
        Step(words: words(line), isByFriend: true)
    }

    private static func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

    private static let script: [Step] =
        accounts + contacts + sessions + posts + requests + chats + settings + moving + leaving

    private static let accounts = [
        ann("account show", 66), ann("feed", 66), ann("status", 66), ann("watch", 66),
        ann("account import --name Ann", input: Published.nsec),
        ann("account import", 65, input: Published.nsec), ann("account import", 65, input: "nothing"),
        ann("account list"), ann("account list --json"), ann("account show --json"), ann("account use Ann"),
        ann("account use Nobody", 66), ann("qr"), ann("qr --json"),
        // Only a daemon is connected between commands.
        ann("relay list", differs: .connections), ann("relay list --json", differs: .connections),
        ann("relay add {relay}", 65), ann("relay add x", 64),
        ann("relay disable {relay}"), ann("relay enable {relay} --json"), ann("relay remove ws://127.0.0.1:1", 66),
        ann("relay add ws://127.0.0.1:1"), ann("relay disable ws://127.0.0.1:1"),
        ann("relay list", differs: .connections), ann("relay list --json", differs: .connections),
        ann("relay remove ws://127.0.0.1:1"),
        // What relays hold is known from here on.
        ann("sync", differs: .counts),
        ann("profile set --name Ann"), ann("profile show --json"), ann("profile show {ben}"),
        ann("profile set --name " + String(repeating: "x", count: 81), 65),
    ]

    private static let contacts = [
        ann("contact list", differs: .warnings), ann("contact add {ben}", 77),
        ann("contact add {ben} --alias Ben --first-list --yes --json"), ann("contact add {ben} --yes"),
        ann("contact list"), ann("contact list --json --search ben"), ann("contact history"),
        ann("contact alias {ben} Benny"), ann("contact alias {ben} Ben"), ann("contact remove {ben} --yes", 77),
        ann("contact remove {ben} --yes --allow-shrink"), ann("contact history --json"), ann("contact undo", 77),
        ann("contact undo 9 --yes", 66), ann("contact undo --yes"), ann("contact list"),
        ann("contact alias {zoe} Zoe"), ann("contact alias Zoe Zo"), ann("profile show Zo"), ann("qr Zo --json"),
        ann("contact alias {ben} Zo"), ann("profile show Zo", 64), ann("contact alias Zo", 64),
        ann("contact alias {zoe}"), ann("contact alias Zo Ben"), ann("contact add Ben", 77),
        ann("contact add Ben --yes --json"), ann("contact remove Nobody --yes", 66), ann("profile show Nobody", 66),
        ann("profile show {ann}x", 65), ann("qr Nobody", 66), ann("profile show " + Published.nsec, 65),
        ann("contact discover --refresh"), ann("contact discover --json"),
    ]

    private static let sessions = [
        ann("session list"), ann("session new Films --member {ben}", 77),
        ann("session new Films --member {zoe} --yes", 77),
        ann("session new Films --member {ben} --yes", keeps: "films"), ann("session list"), ann("session list --json"),
        ann("session list --search none"), ann("session show Films"), ann("session show Films --json"),
        ann("session show Nothing", 66), ann("session members Films"), ann("session members Films --json"),
        ann("session members Films --refresh"),
        ann("session rename Films Movies", 77), ann("session rename Films Movies --yes"),
        ann("session rename Movies Films --yes --json"), ann("session add Films {zoe}", 77),
        ann("session add Films {zoe} --yes", 77), ann("session add Films {zoe} --yes --not-a-contact"),
        ann("session remove Films {zoe}", 77), ann("session remove Films {zoe} --yes"),
        ann("session members Films --history --json"), ann("session archive Films"), ann("session list --archived"),
        ann("session unarchive Films"), ann("session archive Nothing", 66), ann("session creator Films {ben}", 77),
        ann("session block Films {ben}"), ann("session block Films Ben --off"), ann("session creator Films Ben", 77),
        ann("session remove Films Ben", 77), ann("session remove Films Ben --yes"), ann("session add Films Ben", 77),
        ann("session add Films Ben --yes"), ann("session new More --member Ben", 77),
        ann("session new More --member Nobody --yes", 66),
        ann("session block Nothing {ben}", 66),
    ]

    private static let posts = [
        ann("post Nothing https://example.com/a", 66), ann("post Films mailto:a@b", 65),
        ann("post Films https://example.com/a --note Look --json", keeps: "json"), ann("feed --json", keeps: "post"),
        ann("feed"), ann("feed Films"), ann("feed Films --unread"), ann("feed Nothing", 66),
        ann("feed --since 4000000000"),
        ann("post show {post}"), ann("post show {post} --json"), ann("post show ffff", 66), ann("post open {post}"),
        ann("post open {post} --json"), ann("react {post} 👍"), ann("react {post} 👍"), ann("react {post} ab", 65),
        ann("react ffff 👍", 66), ann("feed Films"), ann("react {post} 👍 --off"), ann("feed --json"),
        ann("share-url {post} --json"), ann("share-url https://example.com/b --note x"), ann("share-url ffffffff", 66),
        ann("post delete {post}", 77), ann("post delete {post} --yes"), ann("post delete {post} --yes", 66),
        ann("feed"),
        ann("open-url linkstr://open?url=https%3A%2F%2Fexample.com"), ann("open-url linkstr://save?url=x.org", 69),
        ann("open-url linkstr://share?url=example.com", 77), ann("open-url nothing", 65),
        ann("open-url linkstr://share?url=example.com%2Fc --session Films --json"), ann("feed --json", keeps: "post"),
        ben("sync"), ben("session accept Films"), ben("react {post} 🎬"), ben("post Films https://example.com/by-ben"),
        ann("sync", differs: .counts),
        ann("feed Films --unread --json"), ann("read Films"),
        ann("read {post}"), ann("read ffff", 66), ann("feed --unread"),
    ]

    private static let requests = [
        ben("session new Strange --member {ann} --yes --not-a-contact"),
        ann("contact remove {ben} --yes --allow-shrink"),
        ben("session new Stranger --member {ann} --yes --not-a-contact"),
        ann("sync", differs: .counts), ann("session list --search Strang"), ann("session decline Stranger"),
        ann("session requests --declined"), ann("session requests"), ann("session accept Stranger --json"),
        ann("session decline Nothing", 66), ann("session accept Nothing", 66), ann("session requests --json"),
    ]

    private static let chats = [
        ann("chat {ben} hello", 69), ann("chat relays"), ann("chat relays x", 64), ann("chat relays {relay}"),
        ann("chat relays --json"), ben("chat relays {relay}"), ben("chat {ann} hello"),
        ann("sync", differs: .counts), ann("chat list"), ann("chat list --requests"),
        ann("chat list --requests --json"),
        ann("chat accept {ben}"), ann("chat accept {zoe}", 66), ann("chat accept {ben} --decline"),
        ann("contact alias {ben} Benny"), ann("chat accept Benny"), ann("chat Benny --json"),
        ann("chat Nobody hello", 66),
        ann("chat accept {ben}"), ann("chat list"), ann("chat {ben}"), ann("chat {ben} --json"),
        ann("chat {ben} again"),
        ann("chat {ben} -", 65),
    ]

    private static let settings = [
        ann("config list"), ann("config list --json"), ann("config get link_metadata"), ann("config get nothing", 64),
        ann("config set deletes_all 1", 64), ann("config set delete_all_copies perhaps", 65),
        ann("config set delete_all_copies true"), ann("config unset delete_all_copies --json"),
        ann("config get proxy"), ann("config set proxy nothing", 65), ann("config set extra_ca /none", 65),
        ann("config set proxy 127.0.0.1:1"), ann("config get proxy --json"), ann("config unset proxy"),
        ann("backup push"), ann("backup status --json"), ann("backup pull"), ann("backup status"),
        ann("push status"), ann("push status --json"), ann("push register", 65, input: "\n"),
        ann("push register", 78, input: String(repeating: "0a", count: 32)), ann("push unregister", 64),
        ann("push unregister --all"), ann("push unregister ffffffff", 66), ann("push test", 78),
        ann("storage show"), ann("storage show --json"), ann("storage clear metadata"), ann("storage clear posts", 64),
        ann("status --json", differs: .connections), ann("status", differs: .connections), ann("doctor"),
        ann("doctor --offline --json"), ann("watch Nothing", 66),
        Step(words: words("watch Films --notify"), code: 130, watches: true),
    ]

    private static let moving = [
        ann("account export", 77), ann("account export --yes"), ann("account export --yes --json"),
        ann("export {home}/export --export-passphrase-file {home}/passphrase"),
        ann("export /nowhere/export --export-passphrase-file {home}/passphrase", 73),
        ann("import {home}/export --export-passphrase-file {home}/wrong", 65),
        ann("import {home}/export --export-passphrase-file {home}/passphrase"), ann("import {home}/none", 74),
        ann("account unlock --passphrase-file {home}/passphrase", differs: .codes(69, 0)),
        ann("account lock --passphrase-file {home}/passphrase"),
        ann("account unlock --passphrase-file {home}/passphrase", differs: .codes(69, 0)),
        ann("session list --passphrase-file {home}/passphrase", 64),
    ]

    private static let leaving = [
        ann("account logout", 77), ann("account logout --yes --clear"), ann("account show", 66),
        ann("account import", input: Published.nsec), ann("sync", differs: .counts),
        ann("profile set --name Ann"), ann("account list --json"),
        ann("session delete Films", 77), ann("session delete Films --yes"), ann("session delete Films --yes", 66),
        ann("account delete", 77), ann("account delete --confirm {ben}", 77),
        ann("account delete --confirm {ann}"), ann("account list"),
        // Nobody is there any more who would connect to the public relays.
        ann("relay reset"), ann("relay list --json"), ann("account new"),
    ]

    @Test("every command is tried in both")
    func table() {
        CommandTree.expectEach(
            CommandTree.porcelain,
            in: Self.script.filter { !$0.isByFriend }.compactMap { CommandTree.command(of: $0.words) }
        )
    }

    @Test("every command says the same and ends the same")
    func parity() async throws {
        let alone = try await World(hasDaemon: false)
        let kept = try await World(hasDaemon: true)
        for step in Self.script {
            let first = try await alone.run(step)
            let second = try await kept.run(step)
            guard !step.isByFriend else { continue }
            if case .codes(let without, let with)? = step.differs {
                #expect(first.code == without && second.code == with, "\(step.line): \(first)\n\(second)")
                continue
            }
            #expect(first.code == step.code, "\(step.line): \(first)")
            #expect(first == second, "\(step.line)")
        }
        kept.end()
        for secret in [Published.secret, String(Published.nsec.dropFirst(5)), "correct horse"] {
            for world in [alone, kept] {
                for said in world.said where !said.line.hasPrefix("account export") {
                    #expect(!said.text.contains(secret), "\(said.line)")
                }
                #expect(!world.logged.contains(secret))
            }
        }
    }
}

extension ParityTests {
    /// What a command said, without what must differ.
    struct Said: Equatable, CustomStringConvertible {
        let code: Int32
        let output: String
        let errors: String

        var description: String { "\(code)\n\(output)\(errors)" }
    }

    /// A relay, a home of Ann's, and one of Ben's.
    final class World {
        private let relay: RelayProcess
        private let home: TemporaryFolder
        private let friend: TemporaryFolder
        private let daemon: DaemonProcess?
        private var names: [String: String]
        private(set) var said: [(line: String, text: String)] = []

        init(hasDaemon: Bool) async throws {
            relay = try RelayProcess(["--in-memory"])
            home = try TemporaryFolder()
            friend = try TemporaryFolder()
            for folder in [home, friend] {
                chmod(folder.path, 0o700)
                _ = folder.file("relays.json", #"{"relays":[{"url":"\#(relay.url)","enabled":true}]}"#)
            }
            _ = home.file("passphrase", "correct horse")
            _ = home.file("wrong", "battery staple")
            daemon = hasDaemon ? try DaemonProcess(["--verbose"], home: home) : nil
            names = [
                "relay": relay.url, "home": home.path, "ann": Published.npub, "zoe": Published.profileKey,
                "ben": try LinkstrProcess.run(["key", "public", Published.wordsSecret, "--json"]).object()["npub"]
                    as? String ?? "",
            ]
            for line in ["account import --name Ben", "chat relays", "contact add {ann} --first-list --yes"] {
                _ = try await run(Step(words: words(line), input: Published.wordsSecret, isByFriend: true))
            }
        }

        var logged: String { daemon?.logged ?? "" }
        func end() { #expect((daemon?.end() ?? 0) == 0) }

        private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

        func run(_ step: Step) async throws -> Said {
            // The threads are few, and a process that runs holds one.
            await Task.yield()
            let words = step.words.map { word in
                names.reduce(word) { $0.replacing("{\($1.key)}", with: $1.value) }
            }
            if step.watches { return try await watch(words) }
            let folder = step.isByFriend ? friend : home
            let ending = try LinkstrProcess.run(["--home", folder.path] + words, input: step.input)
            if step.isByFriend { #expect(ending.code == 0, "\(step.line): \(ending.errorText)") }
            said.append((step.line, ending.text + ending.errorText))
            if let name = step.keeps, let line = ending.lines.last {
                names[name] =
                    (try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])?["id"] as? String
                    ?? line
            }
            return Said(
                code: ending.code,
                output: shown(ending.text, step.differs),
                errors: shown(ending.errorText, step.differs)
            )
        }

        /// The text without ids and times, which are drawn anew in each world, and without its addresses.
        private func shown(_ text: String, _ difference: Difference?) -> String {
            var text = text.replacing(home.path, with: "HOME").replacing(relay.url, with: "RELAY")
            for (name, key) in [("ANN", Published.pubkey), ("ZOE", Published.profileKey)] {
                text.replace(key, with: name)
            }
            for name in ["ann", "ben", "zoe"] { text.replace(names[name] ?? "", with: name) }
            text.replace(/npub1[0-9a-z]{58}/, with: "NPUB")
            text.replace(/[0-9a-f]{64}/, with: "ID")
            text.replace(/[0-9A-F]{32}/, with: "SESSION")
            text.replace(/\b[0-9A-F]{8}\b/, with: "SESSIO")
            text.replace(/\b[0-9a-f]{8}\b/, with: "POST")
            text.replace(/\b1[5-9][0-9]{8}\b/, with: "TIME")
            text.replace(/[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}/, with: "DATE")
            switch difference {
            case .counts:
                // One of it is called otherwise than several.
                text.replace(/[0-9]+ ((?:new )?[a-z]+?)s?\b/) { "N \($0.output.1)" }
                text.replace(/[0-9]+/, with: "N")
            case .connections:
                // Which relays there are, and what is chosen for each, is the same.
                let state = /"(live|stage|state|history|last_complete)":("(?:[^"\\]|\\.)*"|[^,}\]]*)/
                text.replace(state) { "\"\($0.output.1)\":STANDS" }
                let trouble = /"(problem|failing_since|round_trip_ms|role)":("(?:[^"\\]|\\.)*"|[^,}\]]*)/
                text.replace(trouble) { "\"\($0.output.1)\":STANDS" }
                text.replace(/(RELAY(?:  \([a-z, ]+\)|:)?) +[a-z].*/) { $0.output.1 }
                text.replace(/.*daemon.*/, with: "DAEMON")
            case .warnings:
                text = text.split(separator: "\n").filter { !$0.contains("warning") }.joined(separator: "\n")
            case .codes, nil: break
            }
            return text
        }

        /// The first thing that a command which goes on has seen. When it has begun to watch cannot be seen from outside, so the
        /// friend posts until something is seen.
        private func watch(_ words: [String]) async throws -> Said {
            let seen = home.path + "/seen"
            let watch = try BackgroundProcess(["--home", home.path] + words + ["--exec", "cat >> '\(seen)'"])
            var posted = 0
            let deadline = Date(timeIntervalSinceNow: 30)
            func lines() -> [Substring] {
                ((try? String(contentsOfFile: seen, encoding: .utf8)) ?? "").split(separator: "\n")
            }
            while lines().isEmpty, Date() < deadline {
                posted += 1
                _ = try await run(ParityTests.ben("post Films https://example.com/\(posted)"))
            }
            let text =
                lines().first.map { String($0).replacing(/example.com\/[0-9]+/, with: "example.com/N") } ?? "nothing"
            return Said(code: watch.end(by: SIGINT), output: shown(text, nil), errors: "")
        }
    }
}
