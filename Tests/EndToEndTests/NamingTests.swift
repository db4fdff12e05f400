import Foundation
import Testing

/// What a person calls a session, against strangers who choose names and ids for theirs.
@Suite("A session that is named", .timeLimit(.minutes(10)))
struct NamingTests {
    private let relay: RelayProcess

    init() throws {
        relay = try RelayProcess(["--in-memory"])
    }

    /// A session that a stranger makes, with an id of his choice.
    private func offer(id: String, name: String, to person: SharingTests.Person) throws {
        let payload: [String: Any] = [
            "conversation_id": id, "root_id": "o", "kind": "session_create", "session_name": name,
            "member_pubkeys": [Published.pubkey, try person.key], "timestamp": 1,
        ]
        let content = String(decoding: try JSONSerialization.data(withJSONObject: payload), as: UTF8.self)
        let rumor = try JSONSerialization.data(withJSONObject: [
            "kind": 44001, "content": content, "tags": [[String]](),
        ])
        let wrap = try LinkstrProcess.run(
            ["wrap", "--sec", Published.secret, "--to", person.npub],
            input: String(decoding: rumor, as: UTF8.self)
        )
        #expect(try LinkstrProcess.run(["publish", relay.url], input: wrap.text).code == 0)
        _ = try person.output("sync")
    }

    @Test("is never what a stranger offers where the person has one that is called so")
    func offers() throws {
        let ann = try SharingTests.Person("Ann", relay: relay.url, takesStrangersIn: false)
        let own = try ann.output("session", "new", "Films").trimmed
        for (id, name) in [("Films", "Films"), (String(own.prefix(8)), "x"), ("y", own)] {
            try offer(id: id, name: name, to: ann)
        }
        #expect(try ann.output("session", "requests").split(separator: "\n").count == 3)
        for (number, text) in ["Films", String(own.prefix(8)), own].enumerated() {
            let posted = try ann.output("post", text, "example.com/\(number)", "--json")
            #expect(try posted.field("session") == own)
        }
        #expect(try ann.output("feed", "--json").split(separator: "\n").count == 3)
        // Nothing was accepted by it, and a stranger's can still be named where nothing else is called so, or to answer it.
        #expect(try ann.output("session", "requests").split(separator: "\n").count == 3)
        #expect(try ann.output("session", "show", "x", "--json").field("id") == String(own.prefix(8)))
        #expect(try ann.output("session", "accept", "Films", "--json").field("id") == "Films")
    }

    @Test("is asked about where somebody else's has its name for an id, or the beginning of its id for a name")
    func ambiguity() throws {
        let ann = try SharingTests.Person("Ann", relay: relay.url)
        let own = try ann.output("session", "new", "Films").trimmed
        try offer(id: "Films", name: "z", to: ann)
        try offer(id: "y", name: String(own.prefix(8)), to: ann)
        for text in ["Films", String(own.prefix(8))] as [String] {
            let refused = try ann.linkstr("post", text, "example.com/a")
            #expect(refused.code == 64 && refused.errorText.contains(own))
        }
        #expect(try ann.output("feed", "--json").isEmpty)
        #expect(try ann.output("post", own, "example.com/a", "--json").field("session") == own)
    }
}
