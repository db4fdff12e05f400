import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrTransport

extension ClientOperation {
    static let statusOperations: [ClientOperation] = [accountStatus, accountCheck]

    /// How an account stands.
    public static let accountStatus = ClientOperation(
        "account.status",
        "Say how an account stands: its relays, what waits, and what is not shown",
        gives: [
            OperationField("pubkey", .hex, "The account"),
            OperationField("live", .bool, "Whether its connections are kept open; only a daemon does"),
            OperationField("stage", .text, "Where start-up stands"),
            OperationField(
                "relays",
                .list(.object),
                "Objects with `relay`, `state`, `history`, `last_complete` (seconds since 1970 or null), and `problem`, `failing_since`, "
                    + "`round_trip_ms` and `role` as `relay list` has them"
            ),
            OperationField("waiting", .integer, "Facts that count for nothing until others arrive"),
            OperationField("pending_preferences", .integer, "Private preferences that wait to be sent"),
            OperationField("requests", .integer, "Sessions by strangers that wait for a word"),
            OperationField("hidden", .list(.object), "Objects with `session`, `name`, `posts` and `reason`"),
            OperationField("failure", .text, optional: true, "Why something could not be stored last"),
            OperationField(
                "unfinished",
                .list(.object),
                "What was sent in the last 7 days and not confirmed for everybody: `session`, `name`, `created_at`, `missed`"
            ),
            OperationField("sessions", .integer, "How many sessions are stored, archived ones too"),
            OperationField("posts", .integer, "How many posts are stored, those too that are not shown"),
            OperationField("unread", .integer, "How many of them were not opened, up to 1,000 of a session"),
        ]
    ) { call in
        let status = await call.runtime.status()
        let hidden = try await call.runtime.hiddenPosts()
        let requests = try await call.runtime.requests()
        let preferences = await call.runtime.preferenceCounts
        let sessions = try await call.runtime.store.sessions().filter { $0.request == .none || $0.request == .accepted }
        let posts = try await call.runtime.store.postCount
        return [
            [
                "pubkey": .string(call.runtime.account.hex), "live": .bool(status.isLive),
                "stage": .string(status.stage.description), "relays": .array(status.relays.map(\.value)),
                "waiting": .integer(Int64(status.waiting)),
                "pending_preferences": .integer(Int64(preferences.pending)),
                "requests": .integer(Int64(requests.count)), "hidden": .array(hidden.map(\.value)),
                "failure": status.storeFailure.map { .string($0) } ?? .null,
                "unfinished": .array(try await call.unfinishedSendings),
                "sessions": .integer(Int64(sessions.count)), "posts": .integer(Int64(posts)),
                "unread": .integer(Int64(sessions.reduce(0) { $0 + $1.unreadCount })),
            ]
        ]
    }

    /// Looks for damage.
    public static let accountCheck = ClientOperation(
        "account.check",
        "Look for damage in an account's database",
        gives: [
            OperationField("problems", .list(.text), "What is wrong, a sentence each; empty if nothing is"),
            OperationField("hidden", .list(.text), "What is here and not shown, and why, a sentence each"),
        ]
    ) { call in
        let problems = try await call.runtime.integrityCheck()
        let hidden = problems.isEmpty ? try await call.runtime.hiddenPosts() : []
        return [
            [
                "problems": .array(problems.map { .string($0) }),
                "hidden": .array(hidden.map { .string($0.namedSentence) }),
            ]
        ]
    }
}

extension OperationCall {
    fileprivate var unfinishedSendings: [JSONValue] {
        get async throws {
            var values: [JSONValue] = []
            for one in await runtime.currentUnfinishedSendings {
                var name: String?
                if let id = SessionID(one.session) { name = try await runtime.store.session(id)?.name }
                values.append([
                    "session": .string(one.session), "name": .text(name), "created_at": .integer(one.time),
                    "missed": .array(one.missed.map { .string($0.hex) }),
                ])
            }
            return values
        }
    }
}

extension RelayReport {
    fileprivate var value: JSONValue {
        let text =
            switch history {
            case .waiting: "not read yet"
            case .reading(let count): "being read, \(count.counted("message")) so far"
            case .complete(let count): "read to its end, \(count.counted("message"))"
            case .incomplete(let reason): "not read to its end: \(reason)"
            }
        var object: JSONObject = [
            "relay": .string(url.text), "state": .string(state.description), "history": .string(text),
            "last_complete": lastCompletePass.map { .integer($0) } ?? .null,
        ]
        for member in condition.members.members { object[member.key] = member.value }
        return .object(object)
    }
}

extension AccountRuntime.HiddenStatement {
    /// The sentence with the session in front.
    var namedSentence: String { "\(name ?? session.text): \(sentence)" }

    fileprivate var value: JSONValue {
        [
            "session": .string(session.text), "name": name.map { .string($0) } ?? .null,
            "posts": .integer(Int64(hidden.count)), "reason": .string(sentence),
        ]
    }
}
