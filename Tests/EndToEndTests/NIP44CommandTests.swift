import Foundation
import Testing

@testable import linkstr

@Suite struct NIP44CommandTests {
    private static let otherSecret = Published.wordsSecret
    private let other: String

    init() throws {
        other = try LinkstrProcess.run(["key", "public", Self.otherSecret]).lines[0]
    }

    private func encrypt(_ arguments: [String], input: String = "") throws -> RunningProcess.Ending {
        try LinkstrProcess.run(["nip44", "encrypt", "--sec", Published.nsec, "--to", other] + arguments, input: input)
    }

    private func decrypt(_ arguments: [String], input: String = "") throws -> RunningProcess.Ending {
        try LinkstrProcess.run(
            ["nip44", "decrypt", "--sec", Self.otherSecret, "--from", Published.npub] + arguments,
            input: input
        )
    }

    @Test(arguments: ["a secret", "-x", "é日本👨‍👩‍👧", "two\nlines", String(repeating: "long ", count: 20_000)])
    func aTextComesBack(text: String) throws {
        let payload = try encrypt([], input: text + "\n")
        #expect(payload.code == 0)
        #expect(payload.lines.count == 1)
        #expect(try decrypt([], input: payload.text).text == text + "\n")
        #expect(try decrypt(["--raw"], input: payload.text).text == text)
        let json = try decrypt(["--json"], input: payload.text).object()
        #expect(json["plaintext"] as? String == text)
    }

    @Test func argumentsAndRawTextsAreExact() throws {
        let payload = try encrypt(["a secret", "--json"]).object()["payload"] as? String ?? ""
        #expect(try decrypt([payload]).text == "a secret\n")
        let raw = try encrypt(["--raw"], input: "line\n").text
        #expect(try decrypt(["--raw"], input: raw).text == "line\n")
    }

    @Test func aLineOfSpacesIsATextAndAnEmptyOneIsReported() throws {
        let result = try encrypt(["--lines"], input: "one\n  \n\ntwo\n")
        #expect(result.code == 65 && result.errorText.hasPrefix("linkstr: line 3: "))
        #expect(try decrypt([], input: result.lines.joined(separator: "\n")).lines == ["one", "  ", "two"])
    }

    @Test func linesAreTextsOfTheirOwnAndABadOneIsReported() throws {
        let payloads = try encrypt(["--lines"], input: "one\ntwo\nthree\n").lines
        #expect(payloads.count == 3)
        let broken = payloads[1].prefix(40) + "AAAA" + payloads[1].dropFirst(44)
        let result = try decrypt([], input: payloads[0] + "\n" + broken + "\n" + payloads[2])
        #expect(result.code == 65)
        #expect(result.lines == ["one", "three"])
        #expect(result.errorText.hasPrefix("linkstr: line 2: "))
    }

    @Test func badInputExits65WithNothingOnStandardOutput() throws {
        #expect(try encrypt(["x"]).code == 0)
        for result in [
            try encrypt([""]), try encrypt([], input: "\n"), try decrypt(["nonsense"]), try decrypt(["#future"]),
            try LinkstrProcess.run(["nip44", "encrypt", "--sec", Published.nsec, "--to", "nobody", "x"]),
        ] {
            #expect(result.code == 65)
            #expect(result.text == "")
            #expect(result.errorText.hasPrefix("linkstr: "))
            #expect(!result.errorText.contains(Published.nsec))
        }
    }

    @Test func aTextByOthersDoesNotActUponATerminal() throws {
        let text = "red \u{1B}[31m\u{202E}\nnext"
        let payload = try encrypt(["--", text]).lines[0]
        var plan = RunningProcess.Plan()
        let arguments = ["nip44", "decrypt", "--sec", Self.otherSecret, "--from", Published.npub, payload]
        #expect(try LinkstrProcess.run(arguments, plan: plan).text == text + "\n")
        plan.usesTerminal = true
        #expect(try LinkstrProcess.run(arguments, plan: plan).text == "red ␛[31m<U+202E>\r\nnext\r\n")
        #expect(try LinkstrProcess.run(arguments + ["--raw"], plan: plan).text.contains("\u{1B}[31m"))
    }
}
