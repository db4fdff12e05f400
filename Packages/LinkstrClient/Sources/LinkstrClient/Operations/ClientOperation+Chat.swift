import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrGiftWrap

extension ClientOperation {
    static let chatOperations: [ClientOperation] = [chatList, chatShow, chatSend, chatAccept, chatDecline, chatRelays]

    private static let people = OperationField("people", .list(.hex), "Public keys of everybody else in the chat")
    private static let message = [
        OperationField("id", .hex, "The message's id"),
        OperationField("author", .hex, "Who wrote it"),
        OperationField("people", .list(.hex), "Everybody in the chat"),
        OperationField("created_at", .integer, "When, in seconds since 1970"),
        OperationField("unread", .bool, "Whether it was not read"),
        OperationField("text", .text, optional: true, "What a text message says"),
        OperationField("file", .text, optional: true, "The address of a file message"),
        OperationField("emoji", .text, optional: true, "What a reaction says"),
        OperationField("to", .hex, optional: true, "The message that a reaction is to"),
        OperationField("deletes", .list(.hex), optional: true, "The messages that a deletion names"),
        OperationField("reply_to", .hex, optional: true, "The message that this one answers"),
    ]

    /// The chats, newest message first.
    public static let chatList = ClientOperation(
        "chat.list",
        "List chats, newest message first",
        takes: [OperationField("waiting", .bool, optional: true, "Those of strangers that wait for a word instead")],
        gives: [
            OperationField("people", .list(.hex), "Everybody in the chat"),
            OperationField("unread", .integer, "Messages that were not read"),
            OperationField("request", .text, optional: true, "`waiting` for a chat by a stranger"),
            OperationField("last", .object, "The last message, as `chat.show` gives it"),
        ]
    ) { call in
        try await call.runtime.chats(waiting: call.flag("waiting")).map { chat in
            [
                "people": .array(chat.room.participants.map { .string($0.hex) }),
                "unread": .integer(Int64(chat.unreadCount)),
                "request": chat.request == .waiting ? "waiting" : .null, "last": chat.last.value,
            ]
        }
    }

    /// The messages of a chat, which count as read then.
    public static let chatShow = ClientOperation(
        "chat.show",
        "Show the messages of a chat, newest last, and mark them as read",
        takes: [people, OperationField("limit", .integer, optional: true, "The newest so many, 50 without it")],
        gives: message
    ) { call in
        let people = try call.keys("people").map(\.bytes)
        let limit = Int(clamping: call.integer("limit") ?? 50)
        let messages = try await call.runtime.messages(with: people, limit: limit)
        try await call.runtime.markRead(chatWith: people)
        return messages.map(\.value)
    }

    /// Sends a text.
    public static let chatSend = ClientOperation(
        "chat.send",
        "Send a text to people, on the relays that they have named for messages",
        sends: true,
        takes: [
            people, OperationField("text", .text, "What to say"),
            OperationField("reply_to", .hex, optional: true, "The message that it answers"),
            OperationField("subject", .text, optional: true, "What the chat is about"),
        ],
        gives: [OperationField("id", .hex, "The message's id")]
    ) { call in
        let sent = try await call.runtime.sendChat(
            .text(call.text("text")),
            to: try call.keys("people"),
            replyingTo: try call.optionalText("reply_to").map { try EventID(hex: $0) },
            subject: call.optionalText("subject")
        )
        for key in sent.missed {
            call.warn("no relay took the copy for \(key.npub)")
        }
        if !sent.isOwnCopyTaken {
            call.warn("no relay took the own copy, so other devices of this account will not have it")
        }
        return [["id": .string(sent.id.hex)]]
    }

    /// Accepts a chat by a stranger.
    public static let chatAccept = answer("chat.accept", "Accept a chat by a stranger", true)
    /// Hides a chat by a stranger.
    public static let chatDecline = answer(
        "chat.decline",
        "Hide a chat by a stranger; accepting it brings it back",
        false
    )

    private static func answer(_ name: String, _ summary: String, _ accepts: Bool) -> ClientOperation {
        ClientOperation(name, summary, takes: [people]) { call in
            try await call.runtime.answer(chatWith: try call.keys("people").map(\.bytes), accepts: accepts)
            return []
        }
    }

    /// Where the account receives messages.
    public static let chatRelays = ClientOperation(
        "chat.relays",
        "Show where the account receives messages, or publish it",
        takes: [OperationField("relays", .list(.text), optional: true, "Publishes these, one to three")],
        gives: [OperationField("relay", .text, "A relay")]
    ) { call in
        if let texts = call.arguments["relays"]?.array?.compactMap(\.string), !texts.isEmpty {
            let urls = try texts.map { text -> RelayURL in
                guard let url = try? RelayURL(text) else { throw RelayList.Problem.notARelay(text) }
                return url
            }
            try await call.runtime.publishInboxRelays(urls)
        }
        let inbox = await call.runtime.inboxRelays
        if inbox == nil { call.warn("no relays are named for messages, so nobody can write to this account") }
        return (inbox?.urls ?? []).map { ["relay": .string($0)] }
    }
}
