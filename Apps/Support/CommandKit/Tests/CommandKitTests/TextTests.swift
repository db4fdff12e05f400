import Foundation
import Testing

@testable import CommandKit

@Suite struct TextTests {
    @Test(arguments: [
        ("plain é 日本", "plain é 日本"), ("\u{1B}[31mred", "␛[31mred"), ("a\nb\tc\r", "a␊b␉c␍"), ("\u{7F}", "␡"),
        ("\u{9B}31m", "<U+9B>31m"), ("evil\u{202E}txt.exe", "evil<U+202E>txt.exe"), ("\u{2066}x", "<U+2066>x"),
        ("\u{2028}", "<U+2028>"), ("\u{E0041}", "<U+E0041>"), ("👨‍👩‍👧", "👨‍👩‍👧"), ("\u{0}", "␀"),
    ])
    func whatATerminalWouldActUponBecomesVisible(text: String, expected: String) {
        #expect(TerminalText.safe(text) == expected)
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("abcdef", 1, "…"), ("abcdef", 0, ""), ("日本語", 6, "日本語"),
        ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("e\u{301}tude", 4, "e\u{301}tu…"), ("👨‍👩‍👧xy", 3, "👨‍👩‍👧…"),
    ])
    func textIsCutToTheColumnsItTakes(text: String, width: Int, expected: String) {
        let cut = TerminalText.safe(text, width: width)
        #expect(cut == expected)
        #expect(TerminalText.columns(cut) <= width)
    }

    @Test func aPileOfCombiningMarksIsLimited() {
        let pile = "a" + String(repeating: "\u{301}", count: 10_000)
        #expect(TerminalText.safe(pile).unicodeScalars.count == 16)
    }

    @Test func linesStayWhereAsked() {
        #expect(TerminalText.safe("a\nb\r", keepsLines: true) == "a\nb␍")
    }

    @Test func jsonKeepsTheOrderOfItsMembersAndEscapes() throws {
        let json: JSON = [
            "z": 1, "a": [true, nil, "\"\\\n\r\t\u{0}\u{1F}\u{7F}\u{9B}\u{202E}\u{E0041}é😀/"], "m": [:],
            "low": .integer(Int64.min),
        ]
        let expected =
            #"{"z":1,"a":[true,null,"\"\\\n\r\t\u0000\u001f\u007f\u009b\u202e\udb40\udc41é😀/"],"m":{},"#
            + #""low":-9223372036854775808}"#
        #expect(json.text == expected)
        let parsed = try JSONSerialization.jsonObject(with: Data(json.text.utf8)) as? [String: Any]
        let list = parsed?["a"] as? [Any]
        #expect(list?.last as? String == "\"\\\n\r\t\u{0}\u{1F}\u{7F}\u{9B}\u{202E}\u{E0041}é😀/")
    }

    @Test func finishedJSONLosesItsActiveCharactersOnly() {
        let plain = Array(#"{"content":"é😀\n"}"#.utf8)
        #expect(TerminalText.escaped(json: plain) == plain)
        let active = Array("{\"content\":\"\u{202E}\u{85}é\"}".utf8)
        #expect(TerminalText.escaped(json: active) == Array(#"{"content":"\u202e\u0085é"}"#.utf8))
    }

    private static let progress: [(Int, Int?, Int64, String)] = [
        (0, nil, 0, "0 hashes, 0/s"), (5000, nil, 1000, "5000 hashes, 5000/s"),
        (50_000, 100_000, 1000, "50k of 100k hashes, 50k/s, 1 s left"),
        (1, 1_000_000, 1000, "1 of 1000k hashes, 1/s, 277 h left"), (0, 5, 1000, "0 of 5 hashes, 0/s"),
        (3, 2, 1000, "3 of 2 hashes, 3/s"),
        (1, .max, 1_000_000, "1 of 9223P hashes, 0/s, 106751991167300 days left"),
    ]

    @Test(arguments: progress)
    func progressSaysCountRateAndRemainingTime(count: Int, total: Int?, milliseconds: Int64, expected: String) {
        #expect(Progress.line("hashes", count: count, total: total, milliseconds: milliseconds) == expected)
    }
}

@Suite struct InputTests {
    private func lines(_ content: String, limit: Int = 100) throws -> [String] {
        let folder = try TemporaryFolder()
        let file = folder.file("input", Array(content.utf8))
        let reader = LineReader(descriptor: file.fileDescriptor, limit: limit)
        var lines: [String] = []
        while let line = try reader.next() {
            lines.append("\(line.number):" + (line.bytes.map { String(decoding: $0, as: UTF8.self) } ?? "too long"))
        }
        return lines
    }

    @Test(arguments: [
        ("", []), ("\n", ["1:"]), ("a", ["1:a"]), ("a\n", ["1:a"]), ("a\r\nb", ["1:a", "2:b"]),
        ("a\n\nb\n", ["1:a", "2:", "3:b"]),
    ])
    func linesEndWithALineFeedOrTheEnd(content: String, expected: [String]) throws {
        #expect(try lines(content) == expected)
    }

    @Test func aLineThatIsTooLongIsSkippedAndTheNextOneRead() throws {
        let exact = String(repeating: "x", count: 100)
        let long = String(repeating: "y", count: 1_000_000)
        #expect(
            try lines("\(exact)\n\(exact)x\nb\n\(long)\nc\n\(long)") == [
                "1:" + exact, "2:too long", "3:b", "4:too long", "5:c", "6:too long",
            ]
        )
    }

    @Test func linesAcrossTheEdgeOfTheBufferStayWhole() throws {
        let line = String(repeating: "z", count: 50_000)
        #expect(try lines("\(line)\n\(line)\n\(line)", limit: 50_000) == ["1:" + line, "2:" + line, "3:" + line])
    }

    @Test func allInputIsReadUpToTheLimit() throws {
        let folder = try TemporaryFolder()
        let file = folder.file("input", [UInt8](repeating: 1, count: 200_000))
        #expect(try LineReader(descriptor: file.fileDescriptor).all()?.count == 200_000)
        try file.seek(toOffset: 0)
        #expect(try LineReader(descriptor: file.fileDescriptor, limit: 199_999).all() == nil)
    }

    @Test func theOutputIsFlushedBeforeWaiting() throws {
        let pipe = Pipe()
        let output = Output(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        let reader = LineReader(descriptor: pipe.fileHandleForReading.fileDescriptor) { try output.flush() }
        try output.line("echo")
        #expect(try reader.next()?.bytes == Array("echo".utf8))
    }

    @Test func aClosedPipeIsToldApartFromAFullDisk() throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        try pipe.fileHandleForReading.close()
        let output = Output(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        try output.line("lost")
        #expect(throws: OutputError.closed) { try output.flush() }
        if let full = FileHandle(forWritingAtPath: "/dev/full") {
            let output = Output(descriptor: full.fileDescriptor)
            try output.line("lost")
            #expect(throws: OutputError.failed(reason: "No space left on device")) { try output.flush() }
        }
    }

    @Test func secretsComeFromTheTextOrAFile() throws {
        let folder = try TemporaryFolder()
        _ = folder.file("key", Array(" nsec1abc \n".utf8))
        _ = folder.file("empty", Array(" \n".utf8))
        _ = folder.file("large", [UInt8](repeating: 0x61, count: 100_000))
        let convert = SecretSource.conversion(acceptsStandardInput: true).convert
        #expect(try convert("ab").text() == "ab")
        #expect(try convert("@\(folder.path)/key").text() == "nsec1abc")
        #expect(throws: CommandFailure.self) { try convert("@\(folder.path)/empty").text() }
        #expect(throws: CommandFailure.self) { try convert("@\(folder.path)/large").text() }
        #expect(throws: CommandFailure.self) { try convert("@\(folder.path)/absent").text() }
    }

    @Test(arguments: [0o644, 0o640, 0o604, 0o620, 0o601])
    func aSecretThatIsOpenToOthersIsRefused(mode: Int) throws {
        let folder = try TemporaryFolder()
        _ = folder.file("key", Array("nsec1abc".utf8), mode: mode)
        _ = folder.file("own", Array("nsec1abc".utf8), mode: mode & 0o700)
        let failure = #expect(throws: CommandFailure.self) { try SecretSource.file(folder.path + "/key").text() }
        #expect(failure?.exitCode == .notPermitted)
        #expect(failure?.message.contains("chmod 600") == true)
        #expect(try SecretSource.file(folder.path + "/own").text() == "nsec1abc")
    }

    @Test func aFileIsReplacedAndNothingBesideItIsTouched() throws {
        let folder = try TemporaryFolder()
        let place = folder.path + "/page"
        _ = folder.file("page.new", Array("mine".utf8), mode: 0o666)
        try Files.write(place, "first", mode: 0o600)
        try Files.write(place, "second", mode: 0o600)
        #expect(folder.text("page") == "second")
        #expect(folder.text("page.new") == "mine")
        let mode = try FileManager.default.attributesOfItem(atPath: place)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["page", "page.new"])
    }

    @Test func aLinkStaysALinkAndAPipeAPipe() throws {
        let folder = try TemporaryFolder()
        _ = folder.file("real", Array("old".utf8))
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "real")
        try Files.write(folder.path + "/link", "new")
        #expect(folder.text("real") == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/link") == "real")

        let pipe = Pipe()
        let path = "/dev/fd/\(pipe.fileHandleForWriting.fileDescriptor)"
        try Files.write(path, "through")
        try pipe.fileHandleForWriting.close()
        #expect(try pipe.fileHandleForReading.readToEnd() == Data("through".utf8))
    }

    @Test func aWordIsRepeatedButNothingOfALongOne() {
        #expect(quoted("generat") == "'generat'")
        #expect(quoted(String(repeating: "7", count: 64)) == "'…' (64 bytes)")
    }
}
