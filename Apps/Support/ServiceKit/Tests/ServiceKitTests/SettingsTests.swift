import ServiceKit
import Sockets
import Testing

@Suite struct SettingsTests {
    static let declared = [
        Setting("listen", .text, "Where") { value in
            SocketAddress(text: value.description) == nil ? SocketAddress.spelling : nil
        },
        Setting("size", .integer(1...100), fallback: .integer(10), "How much"),
        Setting("open", .flag, fallback: .flag(false), "Whether"),
        Setting("level", .choice(["error", "info"]), fallback: .text("info"), isReloadable: true, "What"),
        Setting("names", .texts, fallback: .texts([]), "Who"),
    ]

    private func read(
        _ file: String? = nil,
        _ environment: [String: String] = [:],
        _ commandLine: [String: SettingValue] = [:]
    ) throws -> Settings {
        try Settings(
            Self.declared,
            file: file.map { Array($0.utf8) },
            prefix: "TEST_",
            environment: environment,
            commandLine: commandLine
        )
    }

    @Test func whatNobodySaysIsAsItWasShipped() throws {
        let settings = try read()
        #expect(settings.text("listen") == nil)
        #expect(settings.integer("size") == 10)
        #expect(settings.origin("size") == .shipped)
        #expect(!settings.flag("open"))
    }

    @Test func theCommandLineWinsOverTheEnvironmentAndThatOverTheFile() throws {
        let file = #"{"size": 2, "open": true, "names": ["a", "b"], "level": null}"#
        #expect(try read(file).integer("size") == 2)
        #expect(try read(file, ["TEST_SIZE": "3"]).integer("size") == 3)
        let settings = try read(file, ["TEST_SIZE": "3", "OTHER": "x"], ["size": .integer(4)])
        #expect(settings.integer("size") == 4)
        #expect(settings.origin("size") == .commandLine)
        #expect(settings.flag("open"))
        #expect(settings.texts("names") == ["a", "b"])
        #expect(settings.text("level") == "info")
    }

    @Test("Every kind of value can be given in the environment", arguments: ["true", "1", "yes"])
    func environment(_ yes: String) throws {
        let settings = try read(
            nil,
            ["TEST_OPEN": yes, "TEST_NAMES": "a, b ,,c", "TEST_LISTEN": "localhost:1", "TEST_LEVEL": "error"]
        )
        #expect(settings.flag("open"))
        #expect(settings.texts("names") == ["a", "b", "c"])
        #expect(settings.text("listen") == "localhost:1")
        #expect(settings.text("level") == "error")
        #expect(!(try read(nil, ["TEST_OPEN": "no"]).flag("open")))
    }

    @Test(
        "What is wrong is said with the key and a suggestion",
        arguments: [
            (#"{"sise": 1}"#, [:], #"there is no key "sise", did you mean size?"#),
            (#"{"size": 0}"#, [:], "size is not between 1 and 100"),
            (#"{"size": "1"}"#, [:], "size has to be a whole number"),
            (#"{"size": 1.5}"#, [:], "size has to be a whole number"),
            (#"{"open": 1}"#, [:], "open has to be true or false"),
            (#"{"names": "a"}"#, [:], "names has to be a list of texts"),
            (#"{"names": [1]}"#, [:], "names has to be a list of texts"),
            (#"{"level": "imfo"}"#, [:], "level is none of error, info, did you mean info?"),
            (#"{"listen": "here"}"#, [:], "listen is not of the form 127.0.0.1:7447, [::1]:7447 or unix:PATH"),
            ("[]", [:], "the configuration is no JSON object"),
            ("{}", ["TEST_SIZ": "1"], "there is no environment variable TEST_SIZ, did you mean TEST_SIZE?"),
            ("{}", ["TEST_COLOUR": "1"], "there is no environment variable TEST_COLOUR"),
            ("{}", ["TEST_SIZE": "many"], "TEST_SIZE has to be a whole number"),
            ("{}", ["TEST_OPEN": "maybe"], "TEST_OPEN has to be true or false"),
        ] as [(String, [String: String], String)]
    )
    func problems(_ file: String, _ environment: [String: String], _ sentence: String) throws {
        #expect(throws: Settings.Problems(all: [sentence])) { try read(file, environment) }
    }

    @Test func everythingThatIsWrongIsSaidAtOnce() {
        let problems = #expect(throws: Settings.Problems.self) { try read(#"{"size": 0, "opn": true, "level": 1}"#) }
        #expect(problems?.all.count == 3)
        #expect(throws: Settings.Problems.self) { try read("{") }
        #expect(throws: Settings.Problems.self) { try read(#"{"size": 1, "size": 2}"#) }
    }

    @Test func changesAreTheKeysThatDiffer() throws {
        let before = try read(#"{"size": 2}"#)
        let after = try read(#"{"size": 3, "level": "error"}"#)
        #expect(after.changes(from: before).map(\.name) == ["size", "level"])
        #expect(try read(#"{"size": 2}"#).changes(from: before).isEmpty)
    }

    @Test(
        "Addresses are read as people write them",
        arguments: [
            ("127.0.0.1:7447", "127.0.0.1:7447"), ("localhost:1", "127.0.0.1:1"), ("[::1]:80", "[::1]:80"),
            ("unix:/run/x", "unix:/run/x"), ("127.0.0.1", nil), ("127.0.0.1:65536", nil), (":80", nil), ("unix:", nil),
            ("host:80", nil), ("", nil),
        ] as [(String, String?)]
    )
    func addresses(_ text: String, _ expected: String?) {
        let address = SocketAddress(text: text)
        #expect((address != nil) == (expected != nil))
        if let expected, !expected.hasPrefix("unix:") { #expect(address?.description == expected) }
    }

    @Test func thePathOfASocketIsAsLongAsTheSystemTakesIt() {
        // 103 bytes are what every system takes.
        let good = "/" + String(repeating: "x", count: 102)
        #expect(SocketAddress.problem(withPath: good) == nil && SocketAddress.problem(withText: "unix:" + good) == nil)
        let long = "/" + String(repeating: "x", count: 108)
        #expect(SocketAddress.problem(withPath: long)?.contains("has 109 bytes") == true)
        #expect(SocketAddress.problem(withText: "unix:" + long) == SocketAddress.problem(withPath: long))
        #expect(SocketAddress.problem(withPath: "") != nil && SocketAddress.problem(withPath: "/a\0b") != nil)
        #expect(SocketAddress.problem(withText: "127.0.0.1:1") == nil)
        #expect(SocketAddress.problem(withText: "127.0.0.1") == SocketAddress.spelling)
    }
}
