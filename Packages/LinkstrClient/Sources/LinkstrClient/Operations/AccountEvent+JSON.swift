import LinkstrSessions
import NostrCrypto
public import NostrEvents
import NostrGiftWrap
import NostrTransport

extension AccountEvent {
    /// The event as an object, the same for `watch` and for subscribers of a daemon: `event` says what happened, `time` when in
    /// seconds since 1970, `notify` whether a person should be told; the other members depend on the event.
    public var value: JSONValue {
        var object = JSONObject()
        object["event"] = .string(name)
        object["time"] = .integer(time)
        object["notify"] = .bool(isWorthNotifying)
        for member in members.members { object[member.key] = member.value }
        return .object(object)
    }

    private var name: String {
        switch kind {
        case .posted: "post"
        case .reacted: "reaction"
        case .sessionAppeared: "session"
        case .sessionChanged: "session-changed"
        case .sessionDeleted: "session-deleted"
        case .recounted: "recounted"
        case .membersDiverged: "members-diverged"
        case .contactsChanged: "contacts-changed"
        case .followed: "follow"
        case .message: "message"
        case .metadata: "metadata"
        case .relay: "relay"
        case .progress: "progress"
        case .restored: "restored"
        case .stage: "stage"
        case .lost: "lost"
        case .notice: "notice"
        }
    }

    private var members: JSONObject {
        switch kind {
        case .posted(let session, let post, let sender, let delivery, let item):
            [
                "session": .string(session.text), "id": .string(post.hex),
                "author": .string(sender.hex), "live": .bool(delivery == .live),
                "post": item?.value ?? .null,
            ]
        case .reacted(let session, let post, let emoji, let sender, let isActive, let delivery):
            [
                "session": .string(session.text), "id": .string(post.hex),
                "emoji": .string(emoji.text), "author": .string(sender.hex),
                "active": .bool(isActive), "live": .bool(delivery == .live),
            ]
        case .sessionAppeared(let summary), .sessionChanged(let summary):
            [
                "session": .string(summary.id.text), "summary": summary.value,
            ]
        case .sessionDeleted(let session, let creator):
            [
                "session": .string(session.text),
                "creator": .string(creator.hex),
            ]
        case .recounted(let session, let shown, let hidden):
            [
                "session": .string(session.text),
                "shown": .integer(Int64(shown)),
                "hidden": .integer(Int64(hidden)),
            ]
        case .relay(let url, let state):
            [
                "relay": .string(url.text), "state": .string(state.description),
            ]
        case .progress(let progress):
            [
                "read": .integer(Int64(progress.read)),
                "opened": .integer(Int64(progress.opened)),
                "settled_relays": .integer(Int64(progress.settledRelays)),
                "relays": .integer(Int64(progress.relays)),
            ]
        case .membersDiverged(let session, let members):
            ["session": .string(session.text), "members": .array(members.map { .string($0.hex) })]
        case .followed(let follower):
            [
                "author": .string(follower.key.hex), "since": .integer(follower.since),
                "contact": .bool(follower.isContact),
            ]
        case .message(let entry):
            ["id": .string(entry.id.hex), "author": .string(entry.message.sender.hex), "message": entry.value]
        case .metadata(let session, let post, let found):
            ["session": .string(session.text), "id": .string(post.hex), "metadata": found.value]
        case .restored, .contactsChanged: JSONObject()
        case .stage(let stage): ["stage": .string(stage.description)]
        case .lost(let count): ["count": .integer(Int64(count))]
        case .notice(let sentence): ["message": .string(sentence)]
        }
    }
}
