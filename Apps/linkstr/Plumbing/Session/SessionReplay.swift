import CommandKit
import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents

enum SessionReplay {
    private static let owner = RequiredOption("owner", .publicKey, "Whose device it is")

    static let command = Command(
        "replay",
        "Show what sessions follow from authenticated rumors",
        details: [
            "Reads JSON lines: rumor (id, pubkey, created_at, kind, tags, content), sender (who sealed it) and source "
                + "(historical, the default, or live, for which posts and reactions pass the check for live deliveries). "
                + "Prints one object when the input ends: sessions, deleted and pending. The order of the lines matters "
                + "for pending alone.",
            "A line whose payload is not valid has no effect. A line that is no JSON or lacks rumor or sender makes the "
                + "exit code 65.",
        ],
        takes: [owner],
        examples: [
            Example("linkstr session replay --owner npub1... < rumors.jsonl", "Prints the sessions of this key")
        ]
    ) { call in
        var sessions = Sessions(owner: call[owner].bytes, checksLiveAdmission: true)
        let keys = PublicKeyCache()
        var failure: CommandFailure?
        do {
            try LineStream(call, of: "rumors as JSON lines").forEach { bytes in
                let line = try ReplayLine(bytes, keys: keys)
                if let fact = line.fact { _ = sessions.apply(fact, source: line.source) }
            }
        } catch let reported as CommandFailure where reported.exitCode == .badInput {
            failure = reported
        }
        sessions.completeRestore()
        try call.console.output.line(json(sessions))
        if let failure { throw failure }
    }

    private static func json(_ sessions: Sessions) -> JSON {
        [
            "sessions": .array(sessions.ids.compactMap { sessions.session($0) }.map { json($0, sessions.owner) }),
            "deleted": .array(
                sessions.deleted.map { ["id": .string($0.id.text), "creator": .string($0.creator.hex)] }
            ),
            "pending": .integer(Int64(sessions.pendingCount)),
        ]
    }

    private static func json(_ session: SessionView, _ owner: Bytes32) -> JSON {
        let history = session.membership.intervals.sorted { $0.key < $1.key }.flatMap { member, intervals in
            intervals.map { interval -> JSON in
                [
                    "member": .string(member.hex), "from": .integer(interval.start), "to": .integer(interval.end),
                ]
            }
        }
        return [
            "id": .string(session.id.text), "name": .string(session.membership.name ?? ""),
            "creator": .string(session.creator.hex), "contested": .bool(session.isContested),
            "active": .bool(session.membership.isMember(owner)),
            "members": .array(session.membership.members.map { .string($0.hex) }), "history": .array(history),
            "posts": .array(session.posts.map(json)),
        ]
    }

    private static func json(_ post: SessionView.PostView) -> JSON {
        [
            "id": .string(post.post.id.hex), "author": .string(post.post.sender.hex),
            "created_at": .integer(post.post.moment.time), "url": .string(post.post.url.text),
            "note": .string(post.post.note),
            "reactions": .array(
                post.reactions.map { reaction in
                    [
                        "emoji": .string(reaction.emoji.text),
                        "senders": .array(reaction.senders.map { .string($0.hex) }),
                    ]
                }
            ),
        ]
    }
}
