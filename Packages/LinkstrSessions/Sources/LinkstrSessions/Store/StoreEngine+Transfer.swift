import NostrCrypto
import NostrEvents
import SQLite

extension StoreEngine {
    /// Facts in the order in which they came. What does not open is left out and counted.
    func storedArrivals(after row: Int64, limit: Int) throws -> [StoredArrival] {
        let cursor = try connection.cursor(
            """
            SELECT f.row, f.id, f.session, f.sender, f.kind, f.time, f.flags, f.target, f.slot, f.sealed, f.emoji,
                f.wraps, s.id
            FROM fact f JOIN session s ON s.number = f.session WHERE f.row > ?1 ORDER BY f.row LIMIT ?2
            """,
            row,
            max(0, limit)
        )
        var arrivals: [StoredArrival] = []
        while let columns = try cursor.next({ row in
            (
                fact: try StoredFact(row), sealed: try row.get(9, as: [UInt8]?.self),
                emoji: try row.get(10, as: String?.self), wraps: try row.get(11, as: [UInt8]?.self),
                session: try row.text(12)
            )
        }) {
            let stored = columns.fact
            guard let session = SessionID(columns.session), let sender = try people.key(stored.sender),
                let statement = statement(stored, columns.sealed, columns.emoji, sender)
            else {
                unreadable += 1
                continue
            }
            var arrival = Arrival(
                Fact(moment: stored.moment, sender: sender, session: session, statement: statement),
                source: .historical,
                isMadeHere: stored.flags.contains(.madeHere)
            )
            arrival.isUnread = stored.flags.contains(.unread)
            let wraps = WrapList(columns.wraps ?? []).entries
            arrival.wraps = try wraps.compactMap { wrap in
                try people.key(wrap.recipient).map { WrapReference(id: wrap.id, recipient: $0) }
            }
            arrivals.append(StoredArrival(row: stored.row, arrival: arrival))
        }
        return arrivals
    }

    private func statement(
        _ fact: StoredFact,
        _ sealed: [UInt8]?,
        _ emoji: String?,
        _ sender: Bytes32
    ) -> Fact.Statement? {
        let body = sealed.flatMap { sealer.open($0, .fact, row: fact.row) }
        switch fact.kind {
        case .create, .members:
            let isCreate = fact.kind == .create
            return body.flatMap { FactRow.snapshot($0, moment: fact.moment, isCreate: isCreate) }.map {
                .snapshot(name: $0.name, members: $0.members, isCreate: isCreate)
            }
        case .sessionDelete: return .sessionDelete
        case .root:
            return body.flatMap { FactRow.post($0, moment: fact.moment, sender: sender) }.map {
                .root(url: $0.url, note: $0.note)
            }
        case .rootDelete: return fact.target.map { .rootDelete($0) }
        case .reaction:
            guard let target = fact.target, let emoji else { return nil }
            return .reaction(root: target, emoji: ExactText(emoji), isActive: fact.flags.contains(.active))
        }
    }

    func states(after last: SessionID?, limit: Int) throws -> [SessionState] {
        let ids = try connection.all(
            "SELECT id FROM session WHERE id > ?1 ORDER BY id LIMIT ?2",
            last?.text ?? "",
            max(0, limit)
        ) { row in SessionID(try row.text(0)) }
        defer { trim() }
        return try ids.compactMap { $0 }.compactMap { id in
            guard let entry = try entry(id) else { return nil }
            let numbers = try connection.all("SELECT person FROM block WHERE session = ?1", entry.number) { row in
                try row.integer(0)
            }
            return SessionState(
                id: id,
                pin: entry.log.pin,
                tombstone: entry.log.tombstone,
                isArchived: entry.isArchived,
                request: entry.request,
                blocked: try numbers.compactMap { try people.key($0) }.sorted()
            )
        }
    }

    /// Takes over what another device had decided about sessions of which nothing is known here.
    func take(_ states: [SessionState]) throws {
        try commit {
            for state in states {
                let entry = try entryMakingOne(state.id)
                guard entry.log.senders.isEmpty, entry.log.tombstone == nil else { continue }
                entry.log = SessionLog(id: state.id, owner: owner, pin: state.pin, tombstone: state.tombstone)
                entry.isArchived = state.isArchived
                entry.request = state.request
                try write(entry)
                for key in state.blocked {
                    try connection.execute(
                        "INSERT OR IGNORE INTO block(session, person) VALUES (?1, ?2)",
                        entry.number,
                        try people.number(key)
                    )
                }
            }
        }
    }

    func hiddenPosts(_ entry: SessionEntry) throws -> HiddenPosts {
        let cursor = try connection.cursor(
            """
            SELECT time, sender FROM temp.recent_feed WHERE session = ?1
            UNION ALL SELECT time, sender FROM feed_key WHERE session = ?1
            """,
            entry.number
        )
        let oldest = entry.log.log.first?.moment.time
        var count = 0
        var older = 0
        while let (time, number) = try cursor.next({ row in (try row.integer(0), try row.integer(1)) }) {
            guard let sender = try people.key(number), !entry.counts(sender, at: time) else { continue }
            count += 1
            if let oldest, time < oldest { older += 1 }
        }
        return HiddenPosts(count: count, beforeOldestList: older, oldestList: oldest)
    }
}
