import NostrCrypto
import NostrEvents
import SQLite

extension StoreEngine {
    func setCreator(_ creator: Bytes32, of id: SessionID) throws -> [SessionEffect] {
        guard let entry = try entry(id), entry.log.tombstone == nil else { throw SessionStoreError.unknownSession }
        guard entry.log.claimants.contains(creator) else { throw SessionStoreError.notAClaimant }
        return try commit {
            let wasVisible = entry.isVisible
            entry.log.setPin(creator)
            if !isRestoring, entry.log.closeIfDeleted() { try purge(entry) }
            try write(entry)
            if entry.isVisible { return [wasVisible ? .changed(id) : .appeared(id)] }
            return wasVisible ? [.closed(id, creator: creator)] : []
        }
    }

    func change(_ id: SessionID, _ body: (SessionEntry) -> Void) throws {
        try commit {
            let entry = try entryMakingOne(id)
            body(entry)
            try write(entry)
        }
    }

    func setBlocked(_ isBlocked: Bool, _ key: Bytes32, in id: SessionID) throws {
        guard let entry = try entry(id), entry.log.tombstone == nil else { throw SessionStoreError.unknownSession }
        try commit {
            let person = try people.number(key)
            if isBlocked {
                try connection.execute(
                    "INSERT OR IGNORE INTO block(session, person) VALUES (?1, ?2)",
                    entry.number,
                    person
                )
            } else {
                try connection.execute(
                    "DELETE FROM block WHERE session = ?1 AND person = ?2",
                    entry.number,
                    person
                )
            }
        }
    }

    func deletedSessions() throws -> [DeletedSession] {
        try ids("SELECT id FROM session WHERE tombstone IS NOT NULL OR has_creator = 1 ORDER BY id")
            .compactMap { id in
                defer { trim() }
                guard let entry = try entry(id), entry.log.isDeleted,
                    let creator = entry.log.tombstone?.creator ?? entry.log.creator
                else { return nil }
                return DeletedSession(id: entry.id, creator: creator)
            }
    }

    func wantsFullHistory() throws -> Bool {
        if lostElsewhere == .wanted { return true }
        let wanted: Int64? = try connection.value("SELECT 1 FROM session WHERE lost_facts = 2 LIMIT 1")
        return wanted != nil
    }

    func slot(_ post: EventID, _ session: SessionID, _ emoji: ExactText, _ sender: Bytes32) throws -> ReactionSlot {
        var slot = ReactionSlot()
        guard let entry = try entry(session) else { return slot }
        let number = self.slot(entry, post, emoji, sender)
        for key in try reactionKeys(on: post, entry, slot: number) {
            guard let fact = try fact(row: key.row), fact.target == post else { continue }
            _ = slot.insert(Reaction(moment: fact.moment, isActive: key.isActive))
        }
        return slot
    }

    func wraps(of post: EventID) throws -> [WrapReference] {
        guard let fact = try fact(post), fact.kind == .root else { throw SessionStoreError.unknownPost }
        let bytes = try connection.first("SELECT wraps FROM fact WHERE row = ?1", fact.row) { row in
            try row.get(0, as: [UInt8]?.self) ?? []
        }
        return try WrapList(bytes ?? []).entries.compactMap { wrap in
            try people.key(wrap.recipient).map { WrapReference(id: wrap.id, recipient: $0) }
        }
    }

    func keptSeals(after row: Int64, limit: Int) throws -> [KeptSeal] {
        let rows = try connection.all(
            """
            SELECT l.row, l.id, s.id, l.sealed FROM seal l JOIN session s ON s.number = l.session
            WHERE l.row > ?1 ORDER BY l.row LIMIT ?2
            """,
            row,
            max(0, limit)
        ) { row in
            (
                row: try row.integer(0), rumor: try StoredFact.id(row, 1), session: try row.text(2),
                sealed: try row.bytes(3)
            )
        }
        return rows.compactMap { row in
            guard let session = SessionID(row.session), let json = sealer.open(row.sealed, .seal, row: row.row) else {
                unreadable += 1
                return nil
            }
            return KeptSeal(row: row.row, rumor: row.rumor, session: session, json: json)
        }
    }
}
