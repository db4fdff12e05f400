import Foundation
import Testing

@testable import linkstr

@Suite struct KeyCommandTests {
    @Test func generatedKeysAreNewAndConsistent() throws {
        let first = try LinkstrProcess.run("key generate")
        let second = try LinkstrProcess.run("key generate")
        #expect(first.code == 0)
        #expect(first.text.wholeMatch(of: /[0-9a-f]{64}\n/) != nil)
        #expect(first.text != second.text)
        let json = try LinkstrProcess.run("key generate --json").object()
        let publicKey = try LinkstrProcess.run(["key", "public", json["secret"] as? String ?? ""])
        #expect(publicKey.lines == [json["pubkey"] as? String])
        #expect(try LinkstrProcess.run(["encode", "npub", publicKey.lines[0]]).lines == [json["npub"] as? String])
    }

    @Test(arguments: [Published.secret, Published.nsec, Published.secret.uppercased()])
    func theSecretIsUnderstoodInEveryForm(secret: String) throws {
        let folder = try TemporaryFolder()
        let file = folder.file("key", secret + "\n")
        let expected = Published.pubkey + "\n"
        #expect(try LinkstrProcess.run(["key", "public", secret]).text == expected)
        #expect(try LinkstrProcess.run(["key", "public", "@" + file]).text == expected)
        #expect(try LinkstrProcess.run("key public -", input: secret + "\n").text == expected)
        #expect(try LinkstrProcess.run("key public", environment: ["LINKSTR_SECRET": secret]).text == expected)
        #expect(try LinkstrProcess.run("key public", environment: ["LINKSTR_SECRET": "@" + file]).text == expected)
        let json = try LinkstrProcess.run(["key", "public", "--json", secret])
        #expect(json.text == #"{"pubkey":"\#(Published.pubkey)","npub":"\#(Published.npub)"}"# + "\n")
    }

    @Test(arguments: [
        "67dea2ed018072d675f5415ecfaed7d2597555e202d85b3d65ea4e58d2d92ff", String(repeating: "0", count: 64),
        String(repeating: "f", count: 64), "nsec1vl029mgpspedva04g90vltkh6fvh240zqtv9k0t9af8935ke9laqsnlfe6",
        Published.npub, "", "@/nonexistent",
    ])
    func aSecretThatIsNoneIsRefusedAndNotRepeated(secret: String) throws {
        let result = try LinkstrProcess.run(["key", "public", secret])
        #expect(result.code == (secret.hasPrefix("@") ? 74 : 65))
        #expect(result.text == "")
        #expect(result.errorText != "")
        #expect(secret.count < 20 || !result.errorText.contains(secret.prefix(20)))
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o622])
    func aKeyFileThatIsOpenToOthersIsRefused(mode: Int) throws {
        let folder = try TemporaryFolder()
        let own = try LinkstrProcess.run(["key", "public", "@" + folder.file("own", Published.secret)])
        #expect(own.code == 0)
        #expect(own.lines == [Published.pubkey])
        let open = try LinkstrProcess.run(["key", "public", "@" + folder.file("open", Published.secret, mode: mode)])
        #expect(open.code == 77)
        #expect(open.text == "")
        #expect(open.errorText.contains("chmod 600"))
    }

    @Test(arguments: [
        #""$0" key public @/dev/stdin < "$1""#, #"cat "$1" | "$0" key public @/dev/stdin"#,
        #""$0" key public @<(cat "$1")"#, #""$0" key public - < "$1""#, #""$0" key public @/dev/fd/3 3< "$1""#,
        #"mkfifo "$1.pipe"; cat "$1" > "$1.pipe" & "$0" key public "@$1.pipe""#,
    ])
    func whatTheShellOpensIsReadWhateverItsModeIs(script: String) throws {
        let folder = try TemporaryFolder()
        let key = folder.file("key", Published.secret + "\n", mode: 0o644)
        let result = try LinkstrProcess.shell(script, key)
        #expect(result.lines == [Published.pubkey], "\(result.errorText)")
        #expect(result.errorText == "")
    }

    #if os(Linux)
        @Test func aCrashWouldLeaveNoCore() throws {
            let folder = try TemporaryFolder()
            // It reads the limits while linkstr waits for the other end of the pipe.
            let result = try LinkstrProcess.shell(
                #"""
                mkfifo "$1"; ulimit -S -c 1 2>/dev/null; "$0" key public "@$1" & process=$!
                exec 3> "$1"; grep "core file size" "/proc/$process/limits"; echo \#(Published.secret) >&3; exec 3>&-; wait
                """#,
                folder.path + "/pipe"
            )
            #expect(result.lines.last == Published.pubkey)
            #expect(result.lines.first?.contains(/size\s+0\s+0\s/) == true, "\(result.text)")
        }
    #endif

    @Test func wordsGiveThePublishedKey() throws {
        for arguments in [[Published.words], Published.words.split(separator: " ").map(String.init)] {
            #expect(try LinkstrProcess.run(["key", "from-words"] + arguments).text == Published.wordsSecret + "\n")
        }
        #expect(
            try LinkstrProcess.run("key from-words", input: Published.words + "\n").text == Published.wordsSecret + "\n"
        )
        let second = try LinkstrProcess.run(["key", "from-words", "--index", "1", Published.words])
        #expect(second.text != Published.wordsSecret + "\n")
    }

    @Test func newWordsHaveAChecksum() throws {
        let words = try LinkstrProcess.run("key words --count 24 --json").object()
        let phrase = try #require(words["words"] as? String)
        #expect(phrase.split(separator: " ").count == 24)
        #expect(try LinkstrProcess.run(["key", "from-words", phrase]).lines == [words["secret"] as? String])
        let short = try LinkstrProcess.run("key words").text
        #expect(short.split(separator: " ").count == 12)
    }

    @Test(arguments: [
        "leader monkey parrot ring guide accident before fence cannon height naive leader", "leader monkey",
        "leader monkey parrot ring guide accident before fence cannon height naive xyzzy",
    ])
    func wordsThatDoNotBelongTogetherAreRefused(words: String) throws {
        let result = try LinkstrProcess.run(["key", "from-words", words])
        #expect(result.code == 65)
        #expect(result.text == "")
        #expect(!result.errorText.contains("leader") && !result.errorText.contains("xyzzy"))
    }
}

extension RunningProcess.Ending {
    /// The first line of output as a JSON object.
    func object() throws -> [String: Any] {
        let line = lines.first ?? ""
        let value = try? JSONSerialization.jsonObject(with: Data(line.utf8))
        return try #require(value as? [String: Any], "no JSON object: \(line) \(errorText)")
    }
}
