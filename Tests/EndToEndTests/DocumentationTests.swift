import Foundation
import Testing

@testable import CommandKit
@testable import linkstr

/// docs/cli.md says what the program does.
@Suite struct DocumentationTests {
    private static let page: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return (try? String(contentsOf: root.appendingPathComponent("docs/cli.md"), encoding: .utf8)) ?? ""
    }()

    private static func keys(documentedFor row: String) -> [String]? {
        page.split(separator: "\n").first { $0.hasPrefix("| " + row + " |") }
            .map { $0.split(separator: "|")[1].split(separator: "`").map(String.init).filter { !", ".contains($0) } }
    }

    private static let sec = ["--sec", Published.secret]

    private static let samples: [(row: String, arguments: [String], input: String)] = [
        ("`key generate`", ["key", "generate"], ""), ("`key public`", ["key", "public", Published.secret], ""),
        ("`key words`", ["key", "words"], ""), ("`key from-words`", ["key", "from-words", Published.words], ""),
        ("`encode ...`", ["encode", "npub", Published.pubkey], ""),
        ("`encode ...`", ["encode", "nsec", Published.secret], ""),
        ("`decode NPUB`", ["decode", Published.npub], ""), ("`decode NSEC`", ["decode", Published.nsec], ""),
        ("`decode NPROFILE`", ["decode", Published.nprofile], ""),
        ("`decode NCRYPTSEC`", ["decode", Published.ncryptsec], ""),
        ("`event new`, `event sign`", ["event", "new", "--kind", "1"] + sec, ""),
        ("`event new`, `event sign`", ["event", "sign"] + sec, #"{"kind":1}"#),
        ("`event verify`", ["event", "verify"], "{}"),
        (
            "`event id`", ["event", "id"],
            #"{"pubkey":"\#(Published.pubkey)","created_at":1,"kind":1,"tags":[],"content":""}"#
        ),
        ("`nip44 encrypt`", ["nip44", "encrypt", "--to", Published.npub, "x"] + sec, ""),
        ("`session replay`", ["session", "replay", "--owner", Published.npub], "{}"),
        ("`url classify`", ["url", "classify", "example.com"], ""),
    ]

    @Test(arguments: samples)
    func theDocumentedKeysArePrintedInTheirOrder(row: String, arguments: [String], input: String) throws {
        let documented = try #require(Self.keys(documentedFor: row), "docs/cli.md has no row for \(row)")
        let line = try #require(try LinkstrProcess.run(arguments + ["--json"], input: input).lines.first)
        #expect(topLevelKeys(of: line) == documented)
    }

    @Test func keysOfEncryptedKeysAndReferencesAreDocumented() throws {
        let folder = try TemporaryFolder()
        let file = ["--passphrase-file", folder.file("passphrase", Published.ncryptsecPassphrase), "--json"]
        let encrypted = try LinkstrProcess.run(["key", "encrypt", "--log-n", "4", Published.secret] + file).lines[0]
        #expect(topLevelKeys(of: encrypted) == Self.keys(documentedFor: "`key encrypt`"))
        let decrypted = try LinkstrProcess.run(["key", "decrypt", Published.ncryptsec] + file).lines[0]
        #expect(topLevelKeys(of: decrypted) == Self.keys(documentedFor: "`key decrypt`"))
        for (row, encoding) in [
            ("`decode NOTE`", ["note", Published.pubkey]), ("`decode NEVENT`", ["nevent", Published.pubkey]),
            ("`decode NADDR`", ["naddr", "--kind", "30023", "--author", Published.npub]),
        ] {
            let text = try LinkstrProcess.run(["encode"] + encoding).lines[0]
            let decoded = try LinkstrProcess.run(["decode", text]).lines[0]
            #expect(topLevelKeys(of: decoded) == Self.keys(documentedFor: row))
        }
        let options = ["--sec", Published.secret, "--json", "--from", Published.npub]
        let payload = try LinkstrProcess.run([
            "nip44", "encrypt", "--sec", Published.secret, "--to", Published.npub, "x",
        ])
        let plaintext = try LinkstrProcess.run(["nip44", "decrypt"] + options, input: payload.text).lines[0]
        #expect(topLevelKeys(of: plaintext) == Self.keys(documentedFor: "`nip44 decrypt`"))
    }

    @Test func keysOfWrapsListsAndRecordsAreDocumented() throws {
        func keys(_ arguments: [String], _ input: String, _ row: String) throws -> String {
            let result = try LinkstrProcess.run(arguments, input: input)
            let line = try #require(result.lines.first, "\(result.errorText)")
            #expect(topLevelKeys(of: line) == Self.keys(documentedFor: row))
            return result.text
        }
        let rumor = #"{"kind":14,"content":"x","tags":[["p","\#(Published.pubkey)"]]}"#
        let wraps = try keys(["wrap", "--to", Published.npub] + Self.sec, rumor, "`wrap`")
        let opened = try keys(["unwrap"] + Self.sec, wraps, "`unwrap`")
        _ = try keys(["chat-decode"], opened, "`chat-decode`")
        let list = try LinkstrProcess.run(["event", "sign"] + Self.sec, input: #"{"kind":3}"#).text
        _ = try keys(["follow-list", "decode"], list, "`follow-list decode`")
        _ = try keys(["follow-list", "diff"], list + list, "`follow-list diff`")
        _ = try keys(["follow-list", "merge"], list, "`follow-list merge`")
        let record = #"{"archive":{"sessionID":"A","archived":true}}"#
        let event = try keys(["prefs", "encode"] + Self.sec, record, "`prefs encode`")
        _ = try keys(["prefs", "decode"] + Self.sec, event, "`prefs decode`")
    }

    @Test func keysOfEventDatabasesAreDocumented() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/events.db"
        let event = try LinkstrProcess.run(["event", "new", "--kind", "1"] + Self.sec).text
        let relay = try RelayProcess(["--in-memory"])
        for (row, arguments) in [
            ("`store import`", ["store", "import", path]), ("`store export`", ["store", "export", path]),
            ("`store stats`", ["store", "stats", path]), ("`store check`", ["store", "check", path]),
            ("`reconcile`", ["reconcile", relay.url, path]),
        ] {
            let line = try #require(try LinkstrProcess.run(arguments, input: event).lines.first)
            #expect(topLevelKeys(of: line) == Self.keys(documentedFor: row))
        }
    }

    @Test func everyExitCodeIsDocumented() {
        let rows = Self.page.split(separator: "\n").filter {
            $0.first == "|" && $0.dropFirst(2).first?.isNumber == true
        }
        #expect(rows.map(String.init) == ExitCode.allCases.map { "| \($0.rawValue) | \($0.meaning) |" })
    }

    @Test func everyCommandWithJSONIsDocumented() {
        for (path, _) in Linkstr.application.leaves where !["completion", "man"].contains(path[1]) {
            let name = path[1] == "encode" || path[1] == "decode" ? path[1] : path.dropFirst().joined(separator: " ")
            #expect(Self.page.contains("`" + name), "\(name)")
        }
    }

    /// The keys of an object in their order, which JSONSerialization forgets.
    private func topLevelKeys(of line: String) -> [String] {
        var keys: [String] = []
        var depth = 0
        var text = ""
        var isInString = false
        var isEscaped = false
        for character in line {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    isInString = false
                    continue
                }
                text.append(character)
                continue
            }
            switch character {
            case "\"":
                isInString = true
                text = ""
            case "{", "[": depth += 1
            case "}", "]": depth -= 1
            case ":" where depth == 1: keys.append(text)
            default: break
            }
        }
        return keys
    }
}
