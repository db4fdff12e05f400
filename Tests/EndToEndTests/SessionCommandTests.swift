import Foundation
import Sockets
import Testing

@testable import linkstr

@Suite struct SessionCommandTests {
    /// x coordinates of the points 1 G to 3 G.
    private static let creator = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    private static let owner = "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5"
    private static let peer = "f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9"

    private static func id(_ number: Int) -> String { String(format: "%064x", number) }

    private static func line(
        _ number: Int,
        by sender: String,
        at time: Int,
        _ payload: [String: Any],
        source: String? = nil,
        sealedBy sealer: String? = nil
    ) -> String {
        var payload = payload
        payload["conversation_id"] = payload["conversation_id"] ?? "S"
        payload["root_id"] = payload["root_id"] ?? ""
        let content = String(decoding: (try? JSONSerialization.data(withJSONObject: payload)) ?? Data(), as: UTF8.self)
        var object: [String: Any] = [
            "rumor": [
                "id": id(number), "pubkey": sender, "created_at": time, "kind": 44_001, "tags": [[String]](),
                "content": content,
            ] as [String: Any],
            "sender": sealer ?? sender,
        ]
        object["source"] = source
        return String(decoding: (try? JSONSerialization.data(withJSONObject: object)) ?? Data(), as: UTF8.self)
    }

    private static let create = line(
        1,
        by: creator,
        at: 100,
        ["kind": "session_create", "session_name": " Films ", "member_pubkeys": [creator, owner, peer]]
    )
    private static let root = line(
        2,
        by: peer,
        at: 110,
        ["kind": "root", "url": "example.com/a", "note": "  good "]
    )

    private static func replay(_ lines: [String]) throws -> RunningProcess.Ending {
        try LinkstrProcess.run(["session", "replay", "--owner", owner], input: lines.joined(separator: "\n") + "\n")
    }

    private static let history = [
        create, root,
        line(3, by: owner, at: 120, ["kind": "reaction", "root_id": id(2), "emoji": "👍", "reaction_active": true]),
        line(4, by: creator, at: 130, ["kind": "session_members", "member_pubkeys": [creator, owner]]),
        line(5, by: peer, at: 140, ["kind": "root", "url": "https://example.com/late"]),
        line(6, by: peer, at: 150, ["kind": "root", "url": "ftp://example.com"]),
        line(7, by: peer, at: 112, ["kind": "root", "url": "https://example.com/forged"], sealedBy: creator),
        line(
            8,
            by: creator,
            at: 10,
            [
                "conversation_id": "T", "kind": "session_create", "session_name": "Gone",
                "member_pubkeys": [owner, creator],
            ]
        ),
        line(9, by: creator, at: 11, ["conversation_id": "T", "kind": "session_delete"]),
    ]

    private static let shown = """
        {"sessions":[{"id":"S","name":"Films","creator":"\(creator)","contested":false,"active":true,\
        "members":["\(creator)","\(owner)"],"history":[{"member":"\(creator)","from":100,"to":null},\
        {"member":"\(owner)","from":100,"to":null},{"member":"\(peer)","from":100,"to":130}],\
        "posts":[{"id":"\(id(2))","author":"\(peer)","created_at":110,"url":"https://example.com/a","note":"good",\
        "reactions":[{"emoji":"👍","senders":["\(owner)"]}]}]}],"deleted":[{"id":"T","creator":"\(creator)"}],\
        "pending":1}
        """

    @Test func replayPrintsTheSessionsThatFollowInAnyOrderOfLines() throws {
        for lines in [Self.history, Self.history.reversed(), Self.history + Self.history] {
            let result = try Self.replay(lines)
            #expect(result.code == 0)
            #expect(result.lines == [Self.shown])
        }
    }

    @Test(arguments: ["{", "[]", #"{"sender":"00"}"#, #"{"rumor":{}}"#, #"{"rumor":1,"sender":""}"#])
    func replayOfALineWithoutRumorOrSenderEndsWith65AndTheRestCounts(bad: String) throws {
        let result = try Self.replay([bad] + Self.history)
        #expect(result.code == 65)
        #expect(result.lines == [Self.shown])
    }

    @Test func replayOfARumorThatSaysNothingValidChangesNothing() throws {
        let result = try Self.replay(Self.history + [#"{"rumor":{},"sender":"00"}"#])
        #expect(result.code == 0)
        #expect(result.lines == [Self.shown])
    }

    @Test func replayChecksLivePostsAtTheDoor() throws {
        let out = Self.line(
            4,
            by: Self.creator,
            at: 130,
            [
                "kind": "session_members", "member_pubkeys": [Self.creator, Self.owner],
            ]
        )
        func posts(_ source: String) throws -> Int? {
            let late = Self.line(5, by: Self.peer, at: 115, ["kind": "root", "url": "https://e.com"], source: source)
            let sessions = try Self.replay([Self.create, out, late]).object()["sessions"] as? [[String: Any]]
            return (sessions?.first?["posts"] as? [Any])?.count
        }
        #expect(try posts("live") == 0)
        #expect(try posts("historical") == 1)
    }

    @Test func classifyShowsWhatALinkIs() throws {
        let result = try LinkstrProcess.run(["url", "classify", "youtu.be/dQw4w9WgXcQ?t=43"])
        #expect(result.code == 0)
        let object = try result.object()
        #expect(object["url"] as? String == "https://youtu.be/dQw4w9WgXcQ?t=43")
        #expect(object["provider"] as? String == "youtube")
        #expect(object["strategy"] as? String == "embed")
        #expect(
            object["embed"] as? String == "https://www.youtube.com/embed/dQw4w9WgXcQ?playsinline=1&rel=0&start=43"
        )
        #expect(try LinkstrProcess.run(["url", "classify", "mailto:a@example.com"]).code == 65)
    }

    @Test func metadataIsReadFromAServerOnlyIfItMayBe() async throws {
        let page =
            #"<title>Plain</title><meta property="og:description" content="D"><meta property="og:image" content="/a.png">"#
        let server = try HTTPServer(on: .ip(.loopback4, port: 0)) { request in
            request.head.path == "/page"
                ? HTTPResponse(status: 200, text: page, type: "text/html; charset=utf-8") : HTTPResponse(status: 404)
        }
        defer { server.close() }
        let base = "http://127.0.0.1:\(server.address.port ?? 0)"
        func run(_ arguments: String...) async throws -> RunningProcess.Ending {
            // On a thread of its own: the server answers on the shared ones.
            try await Task.detached { try LinkstrProcess.run(["url", "metadata"] + arguments) }.value
        }
        let found = try await run("--allow-private", base + "/page")
        #expect(found.code == 0)
        #expect(
            found.lines == [
                #"{"url":"\#(base)/page","title":"Plain","description":"D","thumbnail":"\#(base)/a.png","#
                    + #""site_name":null,"canonical":null}"#
            ]
        )
        let refused = try await run(base + "/page")
        #expect(refused.code == 77)
        #expect(refused.lines.isEmpty)
        #expect(try await run("--allow-private", base + "/none").code == 69)
        #expect(try await run("mailto:a@example.com").code == 65)
        #expect(try await run("--proxy", "nowhere", "example.com").code == 64)
    }
}
