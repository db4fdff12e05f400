import Foundation
import ServiceKit
import Testing

@Suite struct LogTests {
    /// What a log of a form and a level writes.
    private func lines(_ form: Log.Form, _ level: Log.Level = .info, _ body: (Log) -> Void) throws -> [String] {
        let pipe = Pipe()
        let log = Log(
            level: level,
            form: form,
            descriptor: pipe.fileHandleForWriting.fileDescriptor,
            now: { 1_700_000_000 }
        )
        body(log)
        try pipe.fileHandleForWriting.close()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func aLineHasTimeLevelMessageAndDetails() throws {
        #expect(
            try lines(.lines) { $0.warning("relay slow", ["url": "wss://a", "reason": "a b=\"c\""]) }
                == [#"2023-11-14T22:13:20Z warning relay slow url=wss://a reason="a b=\"c\"""#]
        )
        #expect(
            try lines(.json) { $0.error("no", ["n": "1"]) }
                == [#"{"time":"2023-11-14T22:13:20Z","level":"error","message":"no","n":"1"}"#]
        )
        #expect(try lines(.journal) { $0.info("yes", ["n": "1"]) } == ["<6>yes n=1"])
    }

    @Test func whatMattersLessThanTheLevelIsLeftOut() throws {
        func all(_ log: Log) {
            log.error("e")
            log.warning("w")
            log.info("i")
            log.debug("d")
        }
        #expect(try lines(.journal, .error, all) == ["<3>e"])
        #expect(try lines(.journal, .info, all) == ["<3>e", "<4>w", "<6>i"])
        #expect(try lines(.journal, .debug, all) == ["<3>e", "<4>w", "<6>i", "<7>d"])
        let changed = try lines(.journal, .error) { log in
            log.set(level: .info, form: .lines)
            log.info("i")
        }
        #expect(changed.count == 1)
    }

    @Test func aValueCannotBeginALineOrChangeATerminal() throws {
        for form in Log.Form.allCases {
            let lines = try lines(form) { $0.info("a\u{1B}[2Jb\nc", ["x": "y\nlevel=error\u{1B}]0;t\u{7}\u{202E}"]) }
            #expect(lines.count == 1)
            let isQuiet = lines.joined().unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 0x202E }
            #expect(isQuiet)
        }
    }

    @Test func aLongValueIsCut() throws {
        let lines = try lines(.lines) { $0.info("m", ["x": String(repeating: "y", count: 100_000)]) }
        #expect(try #require(lines.first).utf8.count < 1200)
    }

    @Test("A level is known by its word", arguments: Log.Level.allCases)
    func levels(_ level: Log.Level) {
        #expect(Log.Level(level.name) == level)
        #expect(Log.Level(level.name.uppercased()) == nil)
    }
}
