public import LinkstrSessions
public import NostrCrypto
public import NostrEvents
public import NostrGiftWrap

/// A message of a chat (NIP-17), as it is shown.
public struct ChatEntry: Sendable, Equatable {
    /// What was said, by whom and when.
    public let message: ChatMessage
    /// It was not read yet.
    public let isUnread: Bool

    /// The message's id.
    public var id: EventID { message.id }
}

extension ChatEntry {
    /// The message as an object: `id`, `author`, `people`, `created_at`, `unread`, and `text`, `file` (its address) or `emoji` with
    /// `to`; `reply_to` where it answers one.
    public var value: JSONValue {
        var object: JSONObject = [
            "id": .string(id.hex), "author": .string(message.sender.hex),
            "people": .array(message.room.participants.map { .string($0.hex) }),
            "created_at": .integer(message.createdAt), "unread": .bool(isUnread),
        ]
        switch message.body {
        case .text(let text): object["text"] = .string(text)
        case .file(let file): object["file"] = .string(file.url)
        case .reaction(let emoji, let target):
            object["emoji"] = .string(emoji)
            object["to"] = .string(target.hex)
        case .deletion(let targets): object["deletes"] = .array(targets.map { .string($0.hex) })
        }
        object["reply_to"] = message.parent.map { .string($0.hex) }
        return .object(object)
    }
}

/// A chat as a list shows it.
public struct ChatSummary: Sendable, Equatable {
    /// Who is in it, the account included.
    public let room: ChatRoom
    /// What was said last.
    public let last: ChatEntry
    /// How many messages were not read.
    public let unreadCount: Int
    /// Whether it is by a stranger and waits for the person's word.
    public let request: SessionRequest
}

/// What became of a chat message that was sent.
public struct SentChat: Sendable, Equatable {
    /// The message's id.
    public let id: EventID
    /// Whose copy no relay has taken.
    public let missed: [Bytes32]
    /// Whether the own copy is on a relay, for other devices of the account.
    public let isOwnCopyTaken: Bool
}
