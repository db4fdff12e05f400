import Foundation
import NostrEvents
import Testing

@testable import linkstr

@Suite struct ContactsCommandTests {
    private let sec = ["--sec", Published.secret]
    private static let alice = Published.profileKey
    private static let bob = String(repeating: "0b", count: 32)

    private func list(_ tags: String, at time: Int, content: String = "") throws -> String {
        let draft = #"{"kind":3,"created_at":\#(time),"content":"\#(content)","tags":\#(tags)}"#
        return try LinkstrProcess.run(["event", "sign"] + sec, input: draft).text
    }

    @Test func aFollowListIsDecodedWithEverythingInIt() throws {
        let event = try list(
            #"[["p","\#(Self.alice)","wss://a.example","Al"],["t","x"],["p","\#(Self.bob)"],["p","nobody"]]"#,
            at: 5,
            content: "c"
        )
        let object = try LinkstrProcess.run("follow-list decode", input: event).object()
        let follows = try #require(object["follows"] as? [[String: Any]])
        #expect(follows.compactMap { $0["pubkey"] as? String } == [Self.alice, Self.bob])
        #expect(follows[0]["relay"] as? String == "wss://a.example" && follows[0]["petname"] as? String == "Al")
        #expect(follows[1]["relay"] is NSNull)
        #expect(object["other_tags"] as? [[String]] == [["t", "x"], ["p", "nobody"]])
        #expect(object["content"] as? String == "c" && object["created_at"] as? Int == 5)
        let forged = event.replacing(#""content":"c""#, with: #""content":"d""#)
        #expect(try LinkstrProcess.run("follow-list decode", input: forged).code == 65)
        let note = try LinkstrProcess.run(["event", "new", "--kind", "1"] + sec).text
        #expect(try LinkstrProcess.run("follow-list decode", input: note).code == 65)
    }

    @Test func listsAreComparedAndMerged() throws {
        let base = try list(#"[["p","\#(Self.alice)","wss://a"],["t","x"]]"#, at: 5)
        let ours = try list(#"[["p","\#(Self.alice)","wss://a"],["t","x"],["p","\#(Self.bob)"]]"#, at: 6)
        let theirs = try list(#"[["t","x"],["t","y"]]"#, at: 7)
        let difference = try LinkstrProcess.run("follow-list diff", input: base + theirs).object()
        #expect((difference["removed"] as? [[String: Any]])?.first?["pubkey"] as? String == Self.alice)
        #expect(difference["added_tags"] as? [[String]] == [["t", "y"]])
        #expect(difference["changes_content"] as? Bool == false)

        let union = try LinkstrProcess.run("follow-list merge", input: ours + theirs)
        #expect(
            try union.object()["tags"] as? [[String]]
                == [["t", "x"], ["t", "y"], ["p", Self.alice, "wss://a"], ["p", Self.bob]]
        )
        let merged = try LinkstrProcess.run("follow-list merge --base", input: base + ours + theirs)
        #expect(try merged.object()["tags"] as? [[String]] == [["t", "x"], ["t", "y"], ["p", Self.bob]])
        let signed = try LinkstrProcess.run(["event", "sign"] + sec, input: merged.text)
        #expect(try Event(json: signed.text).createdAt > 7)
        #expect(try LinkstrProcess.run("follow-list diff", input: base).code == 65)
    }

    @Test func preferencesAreEncryptedAndComeBack() throws {
        let records = [
            #"{"alias":{"pubkey":"\#(Self.alice)","name":"Al"},"later":[1.50]}"#,
            #"{"alias":{"pubkey":"\#(Self.alice)"}}"#,
            #"{"archive":{"sessionID":"A-1","archived":true}}"#,
        ]
        let events = try LinkstrProcess.run(
            ["prefs", "encode", "--created-at", "7"] + sec,
            input: records.joined(separator: "\n") + "\n" + #"{"alias":{"pubkey":"x"}}"#
        )
        #expect(events.code == 65 && events.lines.count == 3)
        // A dash is no letter of Base64, so that the name cannot be there by chance.
        #expect(!events.text.contains(Self.alice) && !events.text.contains("A-1"))
        let decoded = try LinkstrProcess.run(["prefs", "decode"] + sec, input: events.text)
        #expect(decoded.code == 0, "\(decoded.errorText)")
        let lines = decoded.lines.map { line in
            line.range(of: #""record":"#).map { String(line[$0.upperBound...].dropLast()) }
        }
        #expect(lines == records)
        #expect(decoded.lines[2].contains(#""item":"archive:A-1""#))
        let other = try LinkstrProcess.run(["prefs", "decode", "--sec", Published.wordsSecret], input: events.text)
        #expect(other.code == 65 && other.text.isEmpty)
    }
}
