import Foundation
import Testing

/// Accounts whose files are damaged, lost or locked, and secrets that are typed in the wrong place.
@Suite("The files of accounts", .timeLimit(.minutes(10)))
struct AccountFileTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        chmod(folder.path, 0o700)
        _ = folder.file("relays.json", #"{"relays":[]}"#)
    }

    private func run(_ arguments: [String], input: String = "") throws -> RunningProcess.Ending {
        try LinkstrProcess.run(["--home", folder.path] + arguments, input: input)
    }

    private func add(_ name: String) throws -> String {
        try run(["account", "new", "--name", name]).lines[0].split(separator: " ").first.map(String.init) ?? ""
    }

    private func details(of name: String) throws -> String {
        let key = try run(["--account", name, "account", "show", "--json"]).text.field("pubkey") ?? ""
        return "\(folder.path)/accounts/\(key)/account.json"
    }

    @Test("do not let a choice that cannot be read mean another account", arguments: ["", "nobody", Published.pubkey])
    func choice(text: String) throws {
        let (ann, ben) = (try add("Ann"), try add("Ben"))
        for (name, npub) in [("Ann", ann), ("Ben", ben)] {
            #expect(try run(["account", "use", name]).code == 0)
            #expect(try run(["account", "show"]).text.contains(npub))
            try text.write(toFile: folder.path + "/current", atomically: false, encoding: .utf8)
            let refused = try run(["account", "show"])
            #expect(refused.code == 74 && refused.text.isEmpty && refused.errorText.contains("/current"))
            #expect(try run(["account", "logout", "--yes"]).code == 74)
            let doctor = try run(["doctor", "--offline"])
            #expect(doctor.code == 1 && (doctor.text + doctor.errorText).contains("/current"))
            #expect(try run(["--account", name, "account", "show"]).text.contains(npub))
        }
        #expect(try run(["account", "use", "Ann"]).code == 0)
        #expect(try run(["account", "show"]).text.contains(ann))
    }

    @Test("of one that is damaged stop that one alone, also in the daemon")
    func damage() throws {
        let (ann, _) = (try add("Ann"), try add("Ben"))
        let file = try details(of: "Ben")
        try "nothing".write(toFile: file, atomically: false, encoding: .utf8)
        #expect(try run(["--account", "Ann", "account", "show"]).text.contains(ann))
        #expect(try run(["--account", "Ann", "feed"]).code == 0)
        let refused = try run(["--account", "Ben", "account", "show"])
        #expect(refused.code == 74 && refused.errorText.contains("account.json"))
        #expect(try run(["doctor", "--offline"]).code == 1)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "nothing")
    }

    @Test("that were locked when their owner logged out open again with the passphrase")
    func lockedReturn() throws {
        _ = try add("Ann")
        let nsec = try run(["account", "export", "--yes"]).text
        let word = folder.path + "/word"
        _ = folder.file("word", " a word \n", mode: 0o600)
        _ = folder.file("other", "another\n", mode: 0o600)
        #expect(try run(["feed"]).code == 0)
        #expect(try run(["account", "lock", "--passphrase-file", word]).code == 0)
        let locked = try run(["feed"])
        #expect(locked.code == 77 && locked.errorText.contains("account unlock"))
        // Each of the two ways to name a file takes its first line whole.
        #expect(
            try run(["account", "lock", "--current-passphrase-file", word, "--passphrase-file", word]).code == 0
        )
        #expect(try run(["account", "logout", "--yes"]).code == 0)
        let wrong = try run(["account", "import", "--passphrase-file", folder.path + "/other"], input: nsec)
        #expect(wrong.code == 77)
        #expect(try run(["account", "import", "--passphrase-file", word], input: nsec).code == 0)
        #expect(try run(["account", "export", "--yes", "--passphrase-file", word]).text == nsec)
    }

    @Test("are sealed under no empty passphrase, whichever option names its file")
    func emptyPassphrase() throws {
        _ = try add("Ann")
        _ = folder.file("empty", "\nword\n")
        _ = folder.file("word", "word\n")
        for command in [["account", "export", "--encrypted"], ["export", folder.path + "/sealed"]] {
            for option in ["--export-passphrase-file", "--passphrase-file"] {
                let refused = try run(command + [option, folder.path + "/empty"])
                #expect(refused.code == 65 && refused.text.isEmpty && refused.errorText.contains("empty"))
                #expect(try run(command + [option, folder.path + "/word"]).code == 0)
            }
        }
    }

    @Test("say that a secret is known elsewhere only once it was written somewhere")
    func known() throws {
        _ = try add("Ann")
        let file = try details(of: "Ann")
        func isKnown() throws -> Bool {
            try String(contentsOfFile: file, encoding: .utf8).contains(#""secret_known_elsewhere":true"#)
        }
        let failed = try LinkstrProcess.shell(#""$0" --home "$1" account export --yes > /dev/full"#, folder.path)
        #expect(failed.code == 74)
        #expect(try !isKnown())
        #expect(try run(["account", "export", "--yes"]).code == 0)
        #expect(try isKnown())
    }

    @Test("are asked for with no secret in what is said, wherever it was typed")
    func typed() throws {
        _ = try add("Ann")
        for arguments in [
            ["feed", Published.nsec], ["--account", Published.nsec, "feed"], ["post", Published.nsec, "example.com"],
            ["react", Published.nsec, "+"], ["relay", "add", Published.nsec], ["import", Published.nsec],
            ["config", "set", Published.nsec, "1"], ["session", "show", Published.secret],
        ] {
            let ending = try run(arguments)
            #expect(ending.code != 0, "\(arguments[0])")
            let said = ending.text + ending.errorText
            #expect(!said.contains(Published.nsec) && !said.contains(Published.secret), "\(arguments[0]): \(said)")
        }
        // What is no secret is repeated.
        #expect(try run(["feed", "nonsense"]).errorText.contains("nonsense"))
    }
}
