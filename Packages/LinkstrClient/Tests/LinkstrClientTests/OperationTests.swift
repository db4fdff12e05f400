import Foundation
import LinkstrClient
import NostrEvents
import Testing

@Suite("An operation")
struct OperationTests {
    private static let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("docs/operations.md")

    @Test("is documented with its schemas as they are")
    func documentation() throws {
        let text = Self.documentation()
        // Written anew on demand: LINKSTR_WRITE_DOCS=1 swift test --filter OperationTests
        if ProcessInfo.processInfo.environment["LINKSTR_WRITE_DOCS"] != nil {
            try text.write(to: Self.page, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: Self.page, encoding: .utf8) == text)
    }

    @Test("has a name of its own, and each of its fields too")
    func names() {
        let all = ClientOperation.all
        #expect(Set(all.map(\.name)).count == all.count)
        for operation in all {
            #expect(ClientOperation.named(operation.name)?.name == operation.name)
            for fields in [operation.takes, operation.gives] {
                #expect(Set(fields.map(\.name)).count == fields.count, "\(operation.name)")
            }
        }
        #expect(ClientOperation.named("session") == nil)
    }

    @Test("repeats what was typed wrong, and nothing of what may be a secret")
    func typedTexts() {
        let digits = String(repeating: "0a", count: 32)
        for text in ["nsec1qqq", " NSEC1QQQ", "ncryptsec1qqq", digits, digits.uppercased() + " ", "key:\(digits)"] {
            #expect(TypedText.mayBeSecret(text) && TypedText.repeated(text) == "\"…\"", "\(text)")
        }
        let halves = digits.prefix(32) + " " + digits.suffix(32)
        for text in ["Ben", "", "npub1qqq", String(digits.dropLast()), String(halves)] {
            #expect(!TypedText.mayBeSecret(text) && TypedText.repeated(text) == text.debugDescription, "\(text)")
        }
        #expect(TypedText.repeated(String(repeating: "x", count: 99)).count == 83)
        // Where a post is meant, its id is none.
        #expect(ClientError.unknownPost(digits).description.contains(#""0a0a0a0a…""#))
        #expect(!ClientError.unknownPost(digits).description.contains(digits.prefix(9)))
        #expect(ClientError.unknownPost("nsec1qqq").description.contains(#""…""#))
        #expect(ClientError.unknownSession(digits).description.contains(#""…""#))
    }

    @Test("counts one thing in another way than several")
    func counting() {
        #expect(1.counted("new post") == "1 new post" && 0.counted("post") == "0 posts")
        #expect(Int64(2).counted("session waits", "sessions wait") == "2 sessions wait")
    }

    @Test("gives objects whose members are declared, in their order and of their kinds")
    func declaredResults() {
        let show = ClientOperation.contactNames
        let key = String(repeating: "a", count: 64)
        let good: JSONValue = ["pubkey": .string(key), "npub": "npub1", "alias": nil, "name": "Ben", "contact": true]
        #expect(show.isAsDeclared(good))
        #expect(show.isAsDeclared(["pubkey": .string(key), "contact": false]))
        #expect(!show.isAsDeclared(["pubkey": .string(key)]))
        #expect(!show.isAsDeclared(["contact": true, "pubkey": .string(key)]))
        #expect(!show.isAsDeclared(["pubkey": "AA", "contact": true]))
        #expect(!show.isAsDeclared(["pubkey": .string(key), "contact": true, "more": 1]))
        #expect(!show.isAsDeclared(["pubkey": .null, "contact": true]))
    }

    @Test("refuses a limit of nothing, and does not repeat what it does not know whole", .timeLimit(.minutes(10)))
    func limits() async throws {
        let person = try Person()
        let runtime = try await person.runtime([])
        let call = OperationCall(runtime)
        for limit: Int64 in [1, 100_001] {
            #expect(try await ClientOperation.feed.perform(["limit": .integer(limit)], call) == [])
        }
        for limit: Int64 in [0, -1, .min] {
            await #expect(throws: OperationFailure(.usage, "limit of feed has to be 1 or more")) {
                try await ClientOperation.feed.perform(["limit": .integer(limit)], call)
            }
        }
        let long = String(repeating: "x", count: 100_000)
        let failure = await #expect(throws: OperationFailure.self) {
            try await ClientOperation.feed.perform(JSONObject([.init(key: long, value: true)]), call)
        }
        #expect(failure?.code == .usage && (failure?.message.count ?? 0) < 1_000)
        await runtime.close()
    }

    private static func documentation() -> String {
        var lines = [
            "# Operations",
            "",
            "What an account can be asked to do. `linkstr` performs them itself, or through a running daemon as JSON-RPC requests",
            "with the same names ([json-rpc](json-rpc.md)); either way these are the objects that `--json` prints. Schemas are JSON",
            "Schema; what debug builds give is checked against them. This page is made from the program, and a test compares it.",
        ]
        for operation in ClientOperation.all {
            lines += ["", "## `\(operation.name)`", "", operation.summary + "."]
            if operation.sends { lines += ["", "Sends something: what relays hold is read first."] }
            lines += ["", "Arguments:", "", "```json", operation.argumentSchema.description, "```"]
            if operation.gives.isEmpty {
                lines += ["", "Gives nothing."]
            } else {
                lines += ["", "Each object:", "", "```json", operation.resultSchema.description, "```"]
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
