import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrGiftWrap
import SQLite

/// Chat messages: the rumors, sealed, with the time and a stand-in for the room in plain.
extension Vault {
    /// Rooms of strangers that may wait, and messages that are kept of each meanwhile.
    static let mostWaitingRooms = 1_000
    static let mostWaitingMessages = 200

    /// Keeps messages; all or none.
    /// - Parameter isKnown: Whether somebody's first message needs no word of the person.
    /// - Returns: Those that are new, with what the person said about their rooms.
    func keep(
        _ messages: [(rumor: Rumor, message: ChatMessage, isUnread: Bool)],
        account: Bytes32,
        isKnown: (Bytes32) -> Bool
    ) throws(SessionStoreError) -> [(entry: ChatEntry, request: SessionRequest)] {
        try work { connection, sealer in
            try connection.transaction {
                var new: [(entry: ChatEntry, request: SessionRequest)] = []
                for (rumor, message, isUnread) in messages {
                    let there: Int64? = try connection.value(
                        "SELECT 1 FROM message WHERE id = ?1",
                        rumor.id.bytes.array
                    )
                    guard there == nil else { continue }
                    let room = sealer.room(message.room)
                    let isWelcome = message.sender == account || isKnown(message.sender)
                    guard let request = try admit(message.room, room, isWelcome, connection, sealer) else { continue }
                    try connection.execute(
                        "INSERT INTO message(id, room, time, is_unread, sealed) VALUES (?1, ?2, ?3, ?4, ?5)",
                        rumor.id.bytes.array,
                        room,
                        message.createdAt,
                        isUnread,
                        try sealer.seal(rumor.json, "message.sealed", rumor.id.hex)
                    )
                    new.append((ChatEntry(message: message, isUnread: isUnread), request))
                }
                return new
            }
        }
    }

    /// What the person said about a room; nil where nothing more is kept of it.
    private func admit(
        _ participants: ChatRoom,
        _ room: [UInt8],
        _ isWelcome: Bool,
        _ connection: Connection,
        _ sealer: VaultSealer
    ) throws -> SessionRequest? {
        let stored: Int64? = try connection.value("SELECT request FROM room WHERE key = ?1", room)
        if let stored, let request = SessionRequest(rawValue: stored) {
            if isWelcome, request != .accepted {
                try connection.execute(
                    "UPDATE room SET request = ?2 WHERE key = ?1",
                    room,
                    SessionRequest.accepted.rawValue
                )
                return .accepted
            }
            guard request == .waiting || request == .declined else { return request }
            let count: Int? = try connection.value("SELECT count(*) FROM message WHERE room = ?1", room)
            return (count ?? 0) < Self.mostWaitingMessages ? request : nil
        }
        let request = isWelcome ? SessionRequest.accepted : .waiting
        if request == .waiting {
            let count: Int? = try connection.value(
                "SELECT count(*) FROM room WHERE request != ?1",
                SessionRequest.accepted.rawValue
            )
            guard (count ?? 0) < Self.mostWaitingRooms else { return nil }
        }
        try connection.execute(
            "INSERT INTO room(key, request, sealed) VALUES (?1, ?2, ?3)",
            room,
            request.rawValue,
            try sealer.seal(participants.participants.flatMap(\.array), "room.sealed", Hex.encode(room))
        )
        return request
    }

    /// The chats, newest message first.
    func chats(_ requests: Set<SessionRequest>) throws(SessionStoreError) -> [ChatSummary] {
        try work { connection, sealer in
            let rooms = try connection.all("SELECT key, request FROM room") { row in
                (key: try row.bytes(0), request: SessionRequest(rawValue: try row.integer(1)) ?? .waiting)
            }
            var summaries: [ChatSummary] = []
            for room in rooms where requests.contains(room.request) {
                guard let last = try messages(room.key, before: .max, limit: 1, connection, sealer).first else {
                    continue
                }
                let unread: Int? = try connection.value(
                    "SELECT count(*) FROM message WHERE room = ?1 AND is_unread = 1",
                    room.key
                )
                summaries.append(
                    ChatSummary(
                        room: last.message.room,
                        last: last,
                        unreadCount: unread ?? 0,
                        request: room.request
                    )
                )
            }
            return summaries.sorted {
                ($1.last.message.createdAt, $1.last.id) < ($0.last.message.createdAt, $0.last.id)
            }
        }
    }

    /// Messages of a chat before a time, newest first; those of one second as they came.
    func messages(_ room: ChatRoom, before time: Int64, limit: Int) throws(SessionStoreError) -> [ChatEntry] {
        try work { connection, sealer in
            try messages(sealer.room(room), before: time, limit: limit, connection, sealer)
        }
    }

    private func messages(
        _ room: [UInt8],
        before time: Int64,
        limit: Int,
        _ connection: Connection,
        _ sealer: VaultSealer
    ) throws -> [ChatEntry] {
        let rows = try connection.all(
            "SELECT id, is_unread, sealed FROM message WHERE room = ?1 AND time < ?2 ORDER BY time DESC, row DESC LIMIT ?3",
            room,
            time,
            limit
        ) { row in
            (id: EventID(try Bytes32(row.bytes(0))), isUnread: try row.get(1, as: Bool.self), sealed: try row.bytes(2))
        }
        // What does not open is left as it is.
        return rows.compactMap { row in
            guard let json = sealer.open(row.sealed, "message.sealed", row.id.hex), let rumor = try? Rumor(json: json),
                let message = try? ChatMessage(rumor)
            else { return nil }
            return ChatEntry(message: message, isUnread: row.isUnread)
        }
    }

    /// Marks the messages of a chat as read; how many were not.
    func markRead(_ room: ChatRoom) throws(SessionStoreError) -> Int {
        try work { connection, sealer in
            try connection.execute(
                "UPDATE message SET is_unread = 0 WHERE room = ?1 AND is_unread = 1",
                sealer.room(room)
            )
            return connection.changes
        }
    }

    /// Says what the person said about a chat; false where there is no such chat.
    func setRequest(_ request: SessionRequest, _ room: ChatRoom) throws(SessionStoreError) -> Bool {
        try work { connection, sealer in
            try connection.execute("UPDATE room SET request = ?2 WHERE key = ?1", sealer.room(room), request.rawValue)
            return connection.changes > 0
        }
    }
}

extension VaultSealer {
    /// What stands for a room in an index.
    func room(_ room: ChatRoom) -> [UInt8] {
        lookup(room.participants.flatMap(\.array))
    }
}

extension Vault {
    /// Every message as the JSON of its rumor, for a move to another machine.
    func allMessages() throws(SessionStoreError) -> [(rumor: [UInt8], isUnread: Bool)] {
        try work { connection, sealer in
            try connection.all("SELECT id, is_unread, sealed FROM message ORDER BY row") { row in
                (
                    id: EventID(try Bytes32(row.bytes(0))), isUnread: try row.get(1, as: Bool.self),
                    sealed: try row.bytes(2)
                )
            }.map { row in
                (try sealer.opened(row.sealed, "message.sealed", row.id.hex), row.isUnread)
            }
        }
    }

    /// Every chat's people and what the person said about it.
    func allRooms() throws(SessionStoreError) -> [(people: [Bytes32], request: SessionRequest)] {
        try work { connection, sealer in
            try connection.all("SELECT key, request, sealed FROM room") { row in
                (key: try row.bytes(0), request: try row.integer(1), sealed: try row.bytes(2))
            }.map { row in
                let bytes = try sealer.opened(row.sealed, "room.sealed", Hex.encode(row.key))
                let people = try stride(from: 0, to: bytes.count / 32 * 32, by: 32).map {
                    try Bytes32(bytes[$0..<($0 + 32)])
                }
                return (people, SessionRequest(rawValue: row.request) ?? .waiting)
            }
        }
    }
}
