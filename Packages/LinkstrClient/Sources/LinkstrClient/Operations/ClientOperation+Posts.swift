import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents

extension ClientOperation {
    static let postOperations: [ClientOperation] = [post, postShow, postFind, postDelete, feed, react, read]

    /// Shares a link.
    public static let post = ClientOperation(
        "post",
        "Share a link in a session",
        sends: true,
        takes: [
            OperationField("session", .text, "Its id, its name, or the beginning of its id"),
            OperationField("url", .text, "A web address or a linkstr:open link"),
            OperationField("note", .text, optional: true, "A text of at most 4,000 characters"),
        ],
        gives: [OperationField("id", .hex, "The post's id"), OperationField("session", .text, "The session's id")]
    ) { call in
        let url = try WebURL(postInput: call.text("url"))
        let (_, log) = try await call.session()
        let plan = try call.runtime.planner().post(url, note: call.optionalText("note"), in: log)
        let sent = try await call.compose(plan, in: log.id.text)
        return [["id": .string(sent.outgoing.fact.id.hex), "session": .string(log.id.text)]]
    }

    /// One post; it counts as read then.
    public static let postShow = ClientOperation(
        "post.show",
        "Show a post, what is known of its link, and who reacted to it, and mark it as read",
        takes: [
            OperationField("post", .text, "Its id or the beginning of it"),
            OperationField(
                "refresh",
                .bool,
                optional: true,
                "Ask the web server now what the link is, which tells it this machine's address"
            ),
        ],
        gives: FeedItem.fields + [
            OperationField(
                "metadata",
                .object,
                optional: true,
                "What the link says of itself, as `post.metadata` gives it; null where nothing is known"
            )
        ]
    ) { call in
        let item = try await call.runtime.post(named: call.text("post"))
        let known = try await call.metadata(of: item)
        _ = try await call.runtime.store.markRead(item.post.id)
        return try await call.values([item]).map { value in
            var object = value.object ?? JSONObject()
            object["metadata"] = known?.value ?? .null
            return .object(object)
        }
    }

    /// One post, whose mark stays as it is.
    public static let postFind = ClientOperation(
        "post.find",
        "Find a post without marking it as read",
        takes: [OperationField("post", .text, "Its id or the beginning of it")],
        gives: FeedItem.fields
    ) { call in
        try await call.values([try await call.runtime.post(named: call.text("post"))])
    }

    /// Deletes a post of one's own.
    public static let postDelete = ClientOperation(
        "post.delete",
        "Delete a post of one's own for everybody",
        sends: true,
        takes: [
            OperationField("post", .text, "Its id or the beginning of it"),
            OperationField("keep_copies", .bool, optional: true, "Also where relays refuse to drop the copies"),
        ]
    ) { call in
        let item = try await call.runtime.post(named: call.text("post"))
        let deletion = try await call.runtime.delete(item, keepingCopies: call.flag("keep_copies"))
        for warning in deletion.warnings { call.warn(warning) }
        return []
    }

    /// Posts, oldest first.
    public static let feed = ClientOperation(
        "feed",
        "Show posts, the newest last",
        takes: [
            OperationField("session", .text, optional: true, "One session; all that are shown without it"),
            OperationField("unread", .bool, optional: true, "Only what was not read"),
            OperationField("since", .integer, optional: true, "Not older, in seconds since 1970"),
            OperationField(
                "limit",
                .integer,
                optional: true,
                "The newest so many: 1 or more, 50 without it, 100,000 at most"
            ),
        ],
        gives: FeedItem.fields
    ) { call in
        let wanted = call.integer("limit") ?? 50
        guard wanted > 0 else { throw OperationFailure(.usage, "limit of feed has to be 1 or more") }
        let limit = Int(min(wanted, 100_000))
        var query = FeedQuery(
            onlyUnread: call.flag("unread"),
            since: call.integer("since"),
            limit: min(limit, 500)
        )
        if let text = call.optionalText("session") { query.session = try await call.runtime.session(named: text).id }
        var items: [FeedItem] = []
        var unreadable = 0
        while items.count < limit {
            let page = try await call.runtime.store.feed(query)
            items += page.items
            unreadable += page.unreadable
            guard let next = page.next else { break }
            query.before = next
        }
        if unreadable > 0 { call.warn("\(unreadable.counted("stored value")) cannot be read; nothing was changed") }
        return try await call.values(items.prefix(limit).reversed())
    }

    /// Sets a reaction or takes it back.
    public static let react = ClientOperation(
        "react",
        "Set a reaction on a post, or take it back",
        sends: true,
        takes: [
            OperationField("post", .text, "Its id or the beginning of it"),
            OperationField("emoji", .text, "One emoji"),
            OperationField("off", .bool, optional: true, "Take it back"),
        ]
    ) { call in
        let item = try await call.runtime.post(named: call.text("post"))
        guard let log = try await call.runtime.store.log(item.session) else {
            throw ClientError.unknownPost(call.text("post"))
        }
        let emoji = ExactText(call.text("emoji").linkstrTrimmed)
        let isActive = item.reactions.contains { $0.emoji == emoji && $0.senders.contains(call.runtime.account) }
        guard isActive == call.flag("off") else { return [] }
        let known = try await call.runtime.store.reactions(
            to: item.post.id,
            in: item.session,
            emoji,
            by: call.runtime.account
        )
        try await call.send(
            try call.runtime.planner().react(
                to: item.post,
                emoji.text,
                isActive: !call.flag("off"),
                known: known,
                in: log
            )
        )
        return []
    }

    /// Marks as read.
    public static let read = ClientOperation(
        "read",
        "Mark a post, or all posts of a session, as read",
        takes: [OperationField("what", .text, "A session by its name or id, or a post by its id")]
    ) { call in
        do {
            let session = try await call.runtime.session(named: call.text("what"))
            _ = try await call.runtime.store.markRead(session: session.id)
        } catch ClientError.unknownSession {
            let item = try await call.runtime.post(named: call.text("what"))
            _ = try await call.runtime.store.markRead(item.post.id)
        }
        return []
    }
}

extension OperationCall {
    /// What is known of a post's link; asks for it with `refresh`.
    func metadata(of item: FeedItem) async throws -> PostMetadata? {
        try await flag("refresh") ? runtime.refreshMetadata(of: item) : runtime.metadata(of: item)
    }

    /// Posts with what their authors are called, and their titles.
    fileprivate func values(_ items: some Collection<FeedItem>) async throws -> [JSONValue] {
        let titles = try await runtime.titles(of: items.map(\.post.id))
        var names: [Bytes32: String?] = [:]
        var values: [JSONValue] = []
        for item in items {
            let sender = item.post.sender
            if names[sender] == nil {
                names[sender] = .some(await runtime.shownName(of: sender))
            }
            values.append(item.value(authorName: names[sender] ?? nil, title: titles[item.post.id]))
        }
        return values
    }
}

extension FeedItem {
    static let fields = [
        OperationField("id", .hex, "The post's id"),
        OperationField("session", .text, "The session's id"),
        OperationField("author", .hex, "Who posted it"),
        OperationField("author_name", .text, optional: true, "What the author is called, alias before name"),
        OperationField("created_at", .integer, "When, in seconds since 1970"),
        OperationField("url", .text, "The link"),
        OperationField("note", .text, optional: true, "What was said about it"),
        OperationField("unread", .bool, "Whether it was not opened"),
        OperationField("late", .bool, "Whether a former member sent it long after the end of the membership"),
        OperationField("reactions", .list(.object), "Objects with `emoji` and `senders`"),
        OperationField("title", .text, optional: true, "What the page behind the link is called, where that is known"),
    ]

    /// The post without what its author and its link are called.
    var value: JSONValue { value(authorName: nil, title: nil) }

    func value(authorName: String?, title: String?) -> JSONValue {
        [
            "id": .string(post.id.hex), "session": .string(session.text), "author": .string(post.sender.hex),
            "author_name": .text(authorName),
            "created_at": .integer(post.moment.time), "url": .string(post.url.text),
            "note": post.note.map { .string($0) } ?? .null, "unread": .bool(isUnread), "late": .bool(isLate),
            "reactions": .array(
                reactions.map { reaction in
                    [
                        "emoji": .string(reaction.emoji.text),
                        "senders": .array(reaction.senders.map { .string($0.hex) }),
                    ]
                }
            ),
            "title": .text(title),
        ]
    }
}
