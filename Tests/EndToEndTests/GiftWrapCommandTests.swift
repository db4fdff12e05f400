import Foundation
import NostrCrypto
import NostrEvents
import Testing

@testable import linkstr

@Suite struct GiftWrapCommandTests {
    private static let friendSecret = Published.wordsSecret
    private let friend: String

    init() throws {
        friend = try LinkstrProcess.run(["key", "public", Self.friendSecret]).lines[0]
    }

    private func wrap(_ rumors: String, _ options: String...) throws -> RunningProcess.Ending {
        try LinkstrProcess.run(["wrap", "--sec", Published.secret, "--to", friend] + options, input: rumors)
    }

    private func unwrap(_ wraps: String, _ options: String..., secret: String = friendSecret) throws
        -> RunningProcess.Ending
    {
        try LinkstrProcess.run(["unwrap", "--sec", secret] + options, input: wraps)
    }

    private func objects(_ ending: RunningProcess.Ending) throws -> [[String: Any]] {
        try ending.lines.map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }

    @Test func whatIsWrappedComesBackWithItsSenderInOrder() throws {
        let rumors = (0..<60).map { #"{"kind":14,"content":"message \#($0)","created_at":\#(1_700_000_000 + $0)}"# }
        let wraps = try wrap(rumors.joined(separator: "\n"))
        #expect(wraps.code == 0 && wraps.lines.count == 60, "\(wraps.errorText)")
        #expect(try LinkstrProcess.run("event verify", input: wraps.text).code == 0)
        // Each again at the end: nothing is printed twice.
        let opened = try unwrap(wraps.text + wraps.text, "--progress")
        #expect(opened.code == 0, "\(opened.errorText)")
        #expect(opened.errorText.contains("120 wraps, all done"))
        let lines = try objects(opened)
        #expect(lines.compactMap { $0["sender"] as? String } == [String](repeating: Published.pubkey, count: 60))
        let contents = lines.compactMap { ($0["rumor"] as? [String: Any])?["content"] as? String }
        #expect(contents == (0..<60).map { "message \($0)" })
        #expect(lines.allSatisfy { ($0["rumor"] as? [String: Any])?["sig"] == nil })
    }

    @Test func copiesExpirationWorkAndHintsAreMadeAsAskedFor() throws {
        let rumor = #"{"kind":44001,"content":"{}"}"#
        let both = try wrap(
            rumor,
            "--copy",
            "first",
            "--ephemeral",
            "--relay",
            "wss://relay.example",
            "--expiration",
            "1800000000",
            "--pow",
            "8"
        )
        let events = try both.lines.map { try Event(json: $0) }
        #expect(events.map { $0.tags.firstValue(named: "p") } == [Published.pubkey, friend])
        #expect(events.allSatisfy { $0.kind == 21_059 && $0.tags.firstValue(named: "expiration") == "1800000000" })
        #expect(events.allSatisfy { ProofOfWork.difficulty(of: $0.id) >= 8 })
        #expect(events[1].tags.first(named: "p")?[2] == "wss://relay.example")
        let line = try objects(unwrap(both.lines[1]))[0]
        #expect(line["expiration"] as? Int == 1_800_000_000)
        #expect(try objects(unwrap(both.lines[0], secret: Published.secret)).count == 1)
    }

    @Test func aRefusedWrapIsNamedByLineAndLayerAndTheOthersAreOpened() throws {
        let one = try wrap(#"{"kind":14,"content":"one"}"#).text
        let two = try wrap(#"{"kind":14,"content":"two"}"#).text
        let note = try LinkstrProcess.run(["event", "new", "--kind", "1", "--sec", Published.secret]).text
        let foreign = try LinkstrProcess.run(
            ["wrap", "--sec", Published.secret, "--to", Published.npub],
            input: #"{"kind":14,"content":"not for them"}"#
        ).text
        let result = try unwrap(one + "nonsense\n" + note + "\n" + foreign + two)
        #expect(result.code == 65)
        #expect(result.lines.count == 2)
        let errors = result.errorText.split(separator: "\n").map(String.init)
        #expect(errors.count == 3)
        #expect(errors[0].hasPrefix("linkstr: line 2: wrap: "))
        #expect(errors[1].contains("line 3: wrap: An event of kind 1 is no gift wrap"))
        #expect(errors[2].contains(": wrap: The gift wrap cannot be opened with this key"))
        #expect(!result.errorText.contains("not for them"))
    }

    @Test func forgedLayersAreNamed() throws {
        let cases = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("Packages/NostrGiftWrap/Tests/NostrGiftWrapTests/Cases/gift-wraps.json")
        let table = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: cases)) as? [String: Any]
        )
        let owner = try #require(table["owner"] as? String)
        let refused = try #require(table["refused"] as? [[String: String]])
        let result = try unwrap(refused.compactMap { $0["wrap"] }.joined(separator: "\n"), secret: owner)
        #expect(result.code == 65 && result.text.isEmpty)
        let layers = result.errorText.split(separator: "\n").map { $0.split(separator: ": ")[2] }
        let expected = refused.map { one in
            let problem = (one["problem"] ?? "").lowercased()
            if ["invalidwrap", "notawrap", "undecryptablewrap"].contains(problem) { return "wrap" }
            return problem.contains("seal") ? "seal" : "rumor"
        }
        #expect(layers.map(String.init) == expected)
        let controls = try unwrap(refused.compactMap { $0["control"] }.joined(separator: "\n"), secret: owner)
        #expect(controls.code == 0 && controls.lines.count == refused.count)
    }

    @Test func onlyOwnWordsAreWrappedAndSomebodyMustReadThem() throws {
        let foreign = #"{"kind":14,"pubkey":"\#(Published.profileKey)"}"#
        let result = try wrap(foreign + "\n" + #"{"kind":14}"#)
        #expect(result.code == 65 && result.lines.count == 1)
        #expect(result.errorText.contains("line 1: Only what its own author wrote can be sealed"))
        #expect(try LinkstrProcess.run(["wrap", "--sec", Published.secret], input: foreign).code == 64)
    }

    @Test func chatMessagesAreDecoded() throws {
        let parent = String(repeating: "ab", count: 32)
        let rumors = [
            #"{"kind":14,"content":"hi","tags":[["p","\#(friend)"],["e","\#(parent)"],["subject","Trip"]]}"#,
            #"{"kind":7,"content":"+","tags":[["p","\#(friend)"],["e","\#(parent)"]]}"#,
            #"{"kind":15,"content":"https://files.example/1","tags":[["p","\#(friend)"],["file-type","a/b"],"#
                + #"["encryption-algorithm","aes-gcm"],["decryption-key","\#(parent)"],"#
                + #"["decryption-nonce","000102030405060708090a0b"],["x","\#(parent)"],["size","9"]]}"#,
            #"{"kind":44001,"content":"{}"}"#,
        ]
        let opened = try unwrap(wrap(rumors.joined(separator: "\n")).text)
        let result = try LinkstrProcess.run("chat-decode", input: opened.text)
        #expect(result.code == 65, "a session message is no chat message")
        let messages = try objects(result)
        #expect(messages.compactMap { $0["type"] as? String } == ["text", "reaction", "file"])
        #expect(messages[0]["parent"] as? String == parent && messages[0]["subject"] as? String == "Trip")
        #expect(messages[0]["room"] as? [String] == [Published.pubkey, friend].sorted())
        #expect(messages[1]["targets"] as? [String] == [parent])
        #expect((messages[2]["file"] as? [String: Any])?["size"] as? Int == 9)
        let forged = opened.lines[0].replacing(#""sender":"\#(Published.pubkey)""#, with: #""sender":"\#(friend)""#)
        #expect(try LinkstrProcess.run("chat-decode", input: forged).code == 65)
        let rumor = try #require(opened.lines[0].range(of: #""rumor":"#))
        let plain = String(opened.lines[0][rumor.upperBound...].dropLast())
        #expect(try objects(LinkstrProcess.run("chat-decode", input: plain))[0]["content"] as? String == "hi")
    }
}
