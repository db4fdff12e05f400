import LinkstrSessions
import NostrCrypto
import NostrEvents

extension ClientOperation {
    static let sessionOperations: [ClientOperation] = [
        sessionNew, sessionList, sessionShow, sessionMembers, sessionAdd, sessionRemove, sessionRename, sessionArchive,
        sessionUnarchive, sessionDelete,
    ]

    private static let session = OperationField("session", .text, "Its id, its name, or the beginning of its id")
    private static let members = OperationField("members", .list(.hex), "Public keys")

    /// Makes a session and tells its members.
    public static let sessionNew = ClientOperation(
        "session.new",
        "Make a private session",
        sends: true,
        takes: [
            OperationField("name", .text, "What to call it"),
            OperationField("members", .list(.hex), optional: true, "Public keys of those to share with"),
        ],
        gives: [OperationField("id", .text, "The session's id")]
    ) { call in
        let plan = try call.runtime.planner().create(
            name: call.text("name"),
            members: try call.keys("members").map(\.bytes)
        )
        let sent = try await call.compose(plan, in: "")
        return [["id": .string(sent.outgoing.fact.session.text)]]
    }

    /// The sessions, newest activity first.
    public static let sessionList = ClientOperation(
        "session.list",
        "List sessions, newest activity first",
        takes: [
            OperationField("archived", .bool, optional: true, "Archived ones instead of the others"),
            OperationField("search", .text, optional: true, "Only those whose name holds this text"),
        ],
        gives: SessionSummary.fields
    ) { call in
        let wanted = call.optionalText("search")?.lowercased()
        return try await call.runtime.store.sessions().filter { session in
            let isShown = session.request == .none || session.request == .accepted
            guard isShown, session.isArchived == call.flag("archived") else { return false }
            return wanted.map { (session.name ?? "").lowercased().contains($0) } ?? true
        }.map(\.value)
    }

    /// One session.
    public static let sessionShow = ClientOperation(
        "session.show",
        "Show a session",
        takes: [session],
        gives: SessionSummary.fields
    ) { call in
        [try await call.runtime.session(named: call.text("session")).value]
    }

    /// Who is in a session.
    public static let sessionMembers = ClientOperation(
        "session.members",
        "List the members of a session",
        takes: [
            session, OperationField("history", .bool, optional: true, "When each member was in"),
            OperationField(
                "refresh",
                .bool,
                optional: true,
                "Ask the relays what the members call themselves, which tells them whom the account is interested in"
            ),
        ],
        gives: [
            OperationField("member", .hex, "Public key"),
            OperationField("creator", .bool, "Whether the session is theirs"),
            OperationField("you", .bool, "Whether it is the account"),
            OperationField("from", .integer, optional: true, "With history: since when"),
            OperationField("to", .integer, optional: true, "With history: until when; null for a member of now"),
            OperationField("name", .text, optional: true, "What the member is called, alias before name"),
            OperationField("alias", .text, optional: true, "What the person calls the member"),
            OperationField(
                "own_name",
                .text,
                optional: true,
                "What the member calls itself: its word, not the person's"
            ),
        ]
    ) { call in
        let found = try await call.runtime.session(named: call.text("session"))
        guard var log = try await call.runtime.store.log(found.id) else {
            throw ClientError.unknownSession(call.text("session"))
        }
        let membership = log.membership
        let history = call.flag("history")
        let members = history ? membership.intervals.keys.sorted() : membership.members
        if call.flag("refresh") {
            let others = members.filter { $0 != call.runtime.account }
            try await call.runtime.lookUpNames(of: others, isForced: true)
        }
        var values: [JSONValue] = []
        for member in members {
            let (alias, name) = (await call.runtime.alias(of: member), await call.runtime.publishedName(of: member))
            let stretches: [Interval?] = history ? membership.intervals[member] ?? [] : [nil]
            for interval in stretches {
                var object: JSONObject = [
                    "member": .string(member.hex), "creator": .bool(member == found.creator),
                    "you": .bool(member == call.runtime.account),
                ]
                if let interval {
                    object["from"] = .integer(interval.start)
                    object["to"] = interval.end.map { .integer($0) } ?? .null
                }
                object["name"] = .text(alias ?? name)
                object["alias"] = .text(alias)
                object["own_name"] = .text(name)
                values.append(.object(object))
            }
        }
        return values
    }

    /// Adds members.
    public static let sessionAdd = ClientOperation(
        "session.add",
        "Add members to a session of one's own",
        sends: true,
        takes: [session, members],
        gives: SessionSummary.fields
    ) { call in
        let added = try call.keys("members").map(\.bytes)
        return try await call.change { (nil, $0 + added) }
    }

    /// Removes members.
    public static let sessionRemove = ClientOperation(
        "session.remove",
        "Remove members from a session of one's own",
        sends: true,
        takes: [session, members],
        gives: SessionSummary.fields
    ) { call in
        let removed = Set(try call.keys("members").map(\.bytes))
        return try await call.change { (nil, $0.filter { !removed.contains($0) }) }
    }

    /// Renames a session.
    public static let sessionRename = ClientOperation(
        "session.rename",
        "Rename a session of one's own",
        sends: true,
        takes: [session, OperationField("name", .text, "The new name")],
        gives: SessionSummary.fields
    ) { call in
        try await call.change { _ in (call.text("name"), nil) }
    }

    /// Puts a session away.
    public static let sessionArchive = shelf("session.archive", "Put a session away", true)
    /// Brings an archived session back.
    public static let sessionUnarchive = shelf("session.unarchive", "Bring an archived session back", false)

    private static func shelf(_ name: String, _ summary: String, _ isArchived: Bool) -> ClientOperation {
        ClientOperation(name, summary, takes: [session], gives: SessionSummary.fields) { call in
            let found = try await call.runtime.session(named: call.text("session"))
            try await call.runtime.setArchived(isArchived, found.id)
            return try await call.runtime.store.session(found.id).map { [$0.value] } ?? []
        }
    }

    /// Ends a session for everybody.
    public static let sessionDelete = ClientOperation(
        "session.delete",
        "Delete a session of one's own for everybody, for good",
        sends: true,
        takes: [session]
    ) { call in
        let (found, _) = try await call.session()
        for warning in try await call.runtime.delete(found.id).warnings { call.warn(warning) }
        return []
    }
}

extension OperationCall {
    /// The session that the argument `session` means, and its log.
    func session() async throws -> (SessionSummary, SessionLog) {
        let found = try await runtime.session(named: text("session"))
        guard let log = try await runtime.store.log(found.id) else { throw ClientError.unknownSession(text("session")) }
        return (found, log)
    }

    /// Sends, and says what the person should know.
    @discardableResult
    func send(_ outgoing: Outgoing) async throws -> AccountRuntime.Sent {
        for warning in outgoing.warnings { warn(warning.description) }
        let sent = try await runtime.send(outgoing)
        for key in sent.missed {
            warn("no relay took the copy for \(key.npub), who is no member now")
        }
        return sent
    }

    /// Sends something new. If an earlier call with the same arguments could not send it, that is completed instead.
    /// - Parameter session: What else has to be the same; empty for a new session.
    func compose(_ outgoing: Outgoing, in session: String) async throws -> AccountRuntime.Sent {
        let key = key(in: session)
        let composed = await runtime.composition(key, outgoing)
        if let earlier = await runtime.sendingOfEarlierRun(key) {
            let names = earlier.missed.map(\.npub).joined(separator: ", ")
            warn("the same was sent before and not confirmed for \(names); who has it already gets it twice")
        }
        do {
            let sent = try await send(composed)
            await runtime.forget(key)
            return sent
        } catch {
            await runtime.remember(composed, as: key, in: session, error)
            throw error
        }
    }

    /// Sends the next member list of the session that the argument `session` means.
    fileprivate func change(
        _ next: ([Bytes32]) -> (name: String?, members: [Bytes32]?)
    ) async throws -> [JSONValue] {
        var (found, log) = try await session()
        let change = next(log.membership.members)
        let plan = try runtime.planner().update(
            log,
            name: change.name,
            members: change.members,
            after: found.updatedAt
        )
        try await send(plan)
        return try await runtime.store.session(found.id).map { [$0.value] } ?? []
    }
}

extension SessionSummary {
    static let fields = [
        OperationField("id", .text, "The session's id"),
        OperationField("name", .text, optional: true, "Its name"),
        OperationField("creator", .hex, "Whose it is"),
        OperationField("contested", .bool, "Whether several claim to have made it"),
        OperationField("active", .bool, "Whether the account is a member now; else it can be read only"),
        OperationField("members", .integer, "How many are members now"),
        OperationField("unread", .integer, "Posts that were not opened, up to 1,000"),
        OperationField("archived", .bool, "Whether it was put away"),
        OperationField("request", .text, optional: true, "`waiting` or `declined` for a session by a stranger"),
        OperationField("updated_at", .integer, "When the newest post was made, in seconds since 1970"),
    ]

    var value: JSONValue {
        [
            "id": .string(id.text), "name": name.map { .string($0) } ?? .null, "creator": .string(creator.hex),
            "contested": .bool(isContested), "active": .bool(isActive), "members": .integer(Int64(memberCount)),
            "unread": .integer(Int64(unreadCount)), "archived": .bool(isArchived),
            "request": request == .waiting ? "waiting" : request == .declined ? "declined" : .null,
            "updated_at": .integer(updatedAt),
        ]
    }
}
