import Foundation
import Testing

@testable import linkstr

@Suite struct EventCommandTests {
    private let secret = ["LINKSTR_SECRET": Published.secret]

    private func new(_ arguments: [String], input: String = "") throws -> RunningProcess.Ending {
        try LinkstrProcess.run(["event", "new"] + arguments, input: input, environment: secret)
    }

    @Test func aNewEventIsValidAndHoldsWhatWasGiven() throws {
        let result = try new([
            "--kind", "1", "--content", "hi \"there\"\n", "--created-at", "1700000000", "--tag",
            "e=abc;wss://r.x;reply",
            "--tag", "-", "--tag", #"x=a\;b\=c\\"#, "--tag", #"["json","a=b;c",""]"#, "--tag", "empty=",
        ])
        #expect(result.code == 0)
        let event = try result.object()
        #expect(event["content"] as? String == "hi \"there\"\n")
        #expect(event["created_at"] as? Int == 1_700_000_000)
        #expect(event["pubkey"] as? String == Published.pubkey)
        let tags = [
            ["e", "abc", "wss://r.x", "reply"], ["-"], ["x", "a;b=c\\"], ["json", "a=b;c", ""], ["empty", ""],
        ]
        #expect(event["tags"] as? [[String]] == tags)
        let verified = try LinkstrProcess.run("event verify", input: result.text)
        #expect(verified.code == 0)
        #expect(verified.text == #"{"id":"\#(event["id"] as? String ?? "")","valid":true,"error":null}"# + "\n")
        #expect(try LinkstrProcess.run("event id", input: result.text).lines == [event["id"] as? String])
    }

    @Test func theTimeIsNowAndTheContentCanComeFromStandardInput() throws {
        let event = try new(["--kind", "1", "--content", "-"], input: "two\nlines\n").object()
        #expect(event["content"] as? String == "two\nlines")
        let time = try #require(event["created_at"] as? Int)
        #expect(abs(Double(time) - Date().timeIntervalSince1970) < 60)
    }

    @Test func directionOverridesAreEscapedInTheOutputAndStillValid() throws {
        let result = try new(["--kind", "1", "--content", "evil\u{202E}txt\u{9B}"])
        #expect(result.text.contains(#"evil\u202etxt\u009b"#))
        #expect(try LinkstrProcess.run("event verify", input: result.text).code == 0)
    }

    @Test func workIsFoundAndCommittedTo() throws {
        let event = try new(["--kind", "1", "--pow", "10"]).object()
        let id = try #require(event["id"] as? String)
        #expect(id.hasPrefix("00"))
        #expect(UInt8(id.dropFirst(2).prefix(1), radix: 16).map { $0 < 4 } == true)
        #expect((event["tags"] as? [[String]])?.first?.last == "10")
    }

    @Test func controlCStopsTheSearchWith130() throws {
        var plan = RunningProcess.Plan()
        plan.usesTerminal = true
        plan.interruptsAt = " ids, "
        let result = try LinkstrProcess.run(
            ["event", "new", "--kind", "1", "--pow", "200"],
            environment: secret,
            plan: plan
        )
        #expect(result.code == 130)
        #expect(!result.text.contains("\"sig\""))
        #expect(result.text.hasSuffix("\r\u{1B}[K"))
    }

    @Test func signingFillsInWhatIsMissing() throws {
        let input = #"""
            {"kind":1,"content":"a"}
            {"kind":7, "created_at":5, "tags":[["t","x"]], "pubkey":"\#(Published.pubkey)"}
            {"kind":1,"id":"\#(Published.secret)","sig":"\#(Published.secret + Published.secret)"}
            """#
        let result = try LinkstrProcess.run("event sign", input: input, environment: secret)
        #expect(result.code == 0, "\(result.errorText)")
        #expect(result.lines.count == 3)
        #expect(!result.text.contains(Published.secret))
        #expect(result.lines[1].contains(#""created_at":5,"kind":7,"tags":[["t","x"]],"content":"""#))
        #expect(try LinkstrProcess.run("event verify", input: result.text).code == 0)
    }

    @Test func aBadLineIsReportedByNumberAndTheRestIsSigned() throws {
        let lines = [
            #"{"kind":1}"#, "{}", "", "[]", #"{"kind":65536}"#, #"{"kind":1,"pubkey":"\#(Published.profileKey)"}"#,
            #"{"kind":1,"kind":2}"#, #"{"kind":1,"content":"\ud800"}"#, "{\"kind\":1,\"content\":\"\u{1}\"}",
            #"{"kind":2}"#,
        ]
        let result = try LinkstrProcess.run("event sign", input: lines.joined(separator: "\n"), environment: secret)
        #expect(result.code == 65)
        #expect(result.lines.count == 2)
        let reported = result.errorText.split(separator: "\n").map { $0.split(separator: ":")[1] }
        #expect(reported == [" line 2", " line 4", " line 5", " line 6", " line 7", " line 8", " line 9"])
    }

    @Test func verifyingTellsWhatIsWrongWithEachEvent() throws {
        let event = try new(["--kind", "1", "--content", "x"]).lines[0]
        let id = try #require(event.split(separator: "\"").map(String.init).dropFirst(3).first)
        let other = try new(["--kind", "1", "--content", "y"]).lines[0]
        let otherSignature = String(other.suffix(131).prefix(128))
        let forged = event.replacing(event.suffix(131).prefix(128), with: otherSignature)
        let lines = [
            event, event.replacing(#""content":"x""#, with: #""content":"z""#), forged, "nonsense", "{}",
            event.replacing(Published.pubkey, with: String(repeating: "f", count: 64)),
        ]
        let result = try LinkstrProcess.run("event verify", input: lines.joined(separator: "\n"))
        #expect(result.code == 65)
        #expect(result.lines.count == lines.count)
        #expect(result.lines[0] == #"{"id":"\#(id)","valid":true,"error":null}"#)
        #expect(result.lines[1].contains(#""id":"\#(id)","valid":false,"error":"The event's id"#))
        #expect(result.lines[2].contains("signature is not valid"))
        #expect(result.lines[3].hasPrefix(#"{"id":null,"valid":false,"error":"#))
        #expect(result.lines[4].hasPrefix(#"{"id":null,"valid":false,"error":"#))
        #expect(result.lines[5].contains(#""valid":false"#))
    }

    @Test func idsAreComputedWhateverTheLineClaims() throws {
        let unsigned = #"{"pubkey":"\#(Published.pubkey)","created_at":1,"kind":1,"tags":[],"content":"a"}"#
        let claimed =
            unsigned.dropLast() + #","id":"\#(Published.secret)","sig":"\#(Published.secret + Published.secret)"}"#
        let result = try LinkstrProcess.run("event id --json", input: unsigned + "\n" + claimed + "\n" + #"{"kind":1}"#)
        #expect(result.code == 65)
        #expect(result.lines.count == 2)
        #expect(result.lines[0] == result.lines[1])
        #expect(result.lines[0].wholeMatch(of: /\{"id":"[0-9a-f]{64}"\}/) != nil)
    }

    @Test func answersComeBeforeMoreInputIsWaitedFor() throws {
        var plan = RunningProcess.Plan()
        plan.input = Array(
            (#"{"pubkey":"\#(Published.pubkey)","created_at":1,"kind":1,"tags":[],"content":"a"}"# + "\n").utf8
        )
        plan.keepsInputOpen = true
        plan.closesOutputAfter = 65
        plan.interruptsAt = "\n"
        let result = try LinkstrProcess.run("event id", plan: plan)
        #expect(result.lines.count == 1)
        #expect(result.code == 130)
    }

    @Test func aClosedPipeEndsQuietlyWithZero() throws {
        let line = #"{"pubkey":"\#(Published.pubkey)","created_at":1,"kind":1,"tags":[],"content":"a"}"# + "\n"
        var plan = RunningProcess.Plan()
        plan.input = Array(String(repeating: line, count: 20_000).utf8)
        plan.closesOutputAfter = 1
        let result = try LinkstrProcess.run("event id", plan: plan)
        #expect(result.code == 0)
        #expect(result.errorText == "")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full"), "there is no /dev/full"))
    func aFullDiskIsAFailure() throws {
        var plan = RunningProcess.Plan()
        plan.outputFile = "/dev/full"
        let result = try LinkstrProcess.run("key generate", plan: plan)
        #expect(result.code == 74)
        #expect(result.errorText.contains("No space left"))
    }

    @Test func aLineWithoutEndIsRefusedAndTheNextOneRead() throws {
        let good = #"{"pubkey":"\#(Published.pubkey)","created_at":1,"kind":1,"tags":[],"content":"a"}"#
        let long = String(repeating: "x", count: 17 * 1024 * 1024)
        let result = try LinkstrProcess.run("event id", input: good + "\n" + long + "\n" + good)
        #expect(result.code == 65)
        #expect(result.lines.count == 2)
        #expect(result.errorText == "linkstr: line 2: the line is longer than 16777216 bytes\n")
        let verified = try LinkstrProcess.run("event verify", input: long)
        #expect(verified.code == 65)
        #expect(verified.lines.count == 1)
    }

    @Test(arguments: [
        ("t=\u{301}x", ["t", "\u{301}x"]), ("t=a;\u{FE0F}b", ["t", "a", "\u{FE0F}b"]),
        ("t=a\\;\u{301}", ["t", "a;\u{301}"]), ("t\\=a=b", ["t=a", "b"]), (#"["t","[","]"]"#, ["t", "[", "]"]),
    ])
    func tagsAreTakenApartAtTheirSigns(text: String, elements: [String]) throws {
        let tags = try new(["--kind", "1", "--tag", text]).object()["tags"] as? [[String]]
        #expect(tags?.map { $0.map { Array($0.unicodeScalars) } } == [elements.map { Array($0.unicodeScalars) }])
    }

    private static let badInput: [([String], Int32)] = [
        (["--kind", "1", "--tag", "[1]"], 65), (["--kind", "1", "--tag", #"["a"],["b"]"#], 65),
        (["--kind", "1", "--tag", "[]"], 65), (["--kind", "1", "--tag", #"["a"]],"x":[1"#], 65),
        (["--kind", "1", "--created-at", "-1"], 64),
        (["--kind", "1", "--pow", "257"], 64), (["--kind", "1", "--sec", "nonsense"], 65),
    ]

    @Test(arguments: badInput)
    func badInputMakesNoEvent(arguments: [String], code: Int32) throws {
        let result = try new(arguments)
        #expect(result.code == code)
        #expect(result.text == "")
        #expect(result.errorText != "")
    }
}
