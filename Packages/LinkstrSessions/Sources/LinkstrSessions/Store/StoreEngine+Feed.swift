import NostrCrypto
import NostrEvents
import SQLite

/// The posts of one session that count, newest first, read as they are taken.
private struct FeedStream {
    let entry: SessionEntry
    let blocked: Set<Int64>
    private let cursor: Cursor
    private(set) var head: FeedCursor?

    init(_ entry: SessionEntry, _ query: FeedQuery, _ engine: StoreEngine) throws {
        self.entry = entry
        blocked = Set(
            try engine.connection.all("SELECT person FROM block WHERE session = ?1", entry.number) { row in
                try row.integer(0)
            }
        )
        let before = query.end
        let since = query.since ?? .min
        let posts: SQL =
            query.onlyUnread
            ? """
            SELECT time, tie, row, sender FROM temp.recent_unread
            WHERE session = ?1 AND (time, tie, row) < (?2, ?3, ?4) AND time >= ?5
            UNION ALL SELECT time, tie, row, sender FROM unread_key
            WHERE session = ?1 AND (time, tie, row) < (?2, ?3, ?4) AND time >= ?5
            ORDER BY 1 DESC, 2 DESC, 3 DESC
            """
            : """
            SELECT time, tie, row, sender FROM temp.recent_feed
            WHERE session = ?1 AND (time, tie, row) < (?2, ?3, ?4) AND time >= ?5
            UNION ALL SELECT time, tie, row, sender FROM feed_key
            WHERE session = ?1 AND (time, tie, row) < (?2, ?3, ?4) AND time >= ?5
            ORDER BY 1 DESC, 2 DESC, 3 DESC
            """
        cursor = try engine.connection.cursor(posts, entry.number, before.time, before.tie, before.row, since)
        try advance(engine)
    }

    mutating func advance(_ engine: StoreEngine) throws {
        head = nil
        while let (place, number) = try cursor.next({ row in
            (
                FeedCursor(time: try row.integer(0), tie: try row.integer(1), row: try row.integer(2)),
                try row.integer(3)
            )
        }) {
            guard !blocked.contains(number) else { continue }
            guard let sender = try engine.people.key(number) else {
                engine.unreadable += 1
                continue
            }
            guard entry.counts(sender, at: place.time) else { continue }
            head = place
            return
        }
    }
}

extension StoreEngine {
    func feed(_ query: FeedQuery) throws -> FeedPage {
        unreadable = 0
        var page = FeedPage()
        let limit = max(0, query.limit)
        var streams: [FeedStream] = []
        var waiting = try sources(query)[...]
        while page.items.count < limit {
            // A session none of whose posts is newer than the best found so far can wait.
            while let next = waiting.first {
                if let best = streams.compactMap(\.head).max(by: <), best.time > next.newestRoot { break }
                waiting.removeFirst()
                guard let entry = try entry(next.id), entry.isVisible else { continue }
                streams.append(try FeedStream(entry, query, self))
            }
            guard
                let index = streams.indices.filter({ streams[$0].head != nil }).max(by: { first, second in
                    (streams[first].head ?? .least) < (streams[second].head ?? .least)
                }), let place = streams[index].head
            else {
                page.next = nil
                page.unreadable = unreadable
                trim()
                return page
            }
            if let item = try item(row: place.row, streams[index].entry) { page.items.append(item) }
            page.next = place
            try streams[index].advance(self)
        }
        page.unreadable = unreadable
        trim()
        return page
    }

    private struct Source {
        let id: SessionID
        let newestRoot: Int64
    }

    /// The sessions asked for, the one with the newest post first.
    private func sources(_ query: FeedQuery) throws -> [Source] {
        if let session = query.session { return [Source(id: session, newestRoot: .max)] }
        return try connection.all(
            """
            SELECT id, newest_root FROM session
            WHERE has_creator = 1 AND is_archived = 0 AND request IN (0, 2) AND newest_root >= 0
            ORDER BY newest_root DESC
            """
        ) { row in
            let newest = try row.integer(1)
            return SessionID(try row.text(0)).map { Source(id: $0, newestRoot: newest) }
        }
        .compactMap { $0 }
    }

    /// A post that counts, as it is shown; nil where it does not open.
    private func item(row: Int64, _ entry: SessionEntry) throws -> FeedItem? {
        let found = try connection.first(
            "SELECT row, id, session, sender, kind, time, flags, target, slot, sealed FROM fact WHERE row = ?1",
            row
        ) { row in (fact: try StoredFact(row), sealed: try row.get(9, as: [UInt8]?.self)) }
        guard let found else { return nil }
        guard let sender = try people.key(found.fact.sender),
            let body = found.sealed.flatMap({ sealer.open($0, .fact, row: row) }),
            let post = FactRow.post(body, moment: found.fact.moment, sender: sender)
        else {
            unreadable += 1
            return nil
        }
        return FeedItem(
            session: entry.id,
            post: post,
            isUnread: found.fact.flags.contains(.unread),
            isLate: found.fact.flags.contains(.late),
            reactions: try activeReactions(on: post.id, entry)
        )
    }

    private func activeReactions(on root: EventID, _ entry: SessionEntry) throws -> [ActiveReaction] {
        let rows = try reactionKeys(on: root, entry)
        var active: [ExactText: [Bytes32]] = [:]
        var start = 0
        while start < rows.count {
            var end = start + 1
            while end < rows.count, rows[end].slot == rows[start].slot { end += 1 }
            let slot = rows[start..<end]
            start = end
            guard let number = slot.first?.sender, let sender = try people.key(number) else { continue }
            guard let deciding = slot.deciding(where: { entry.counts(sender, at: $0) }), deciding.isActive else {
                continue
            }
            let emoji: String? = try connection.value(
                "SELECT emoji FROM fact WHERE row = ?1 AND target = ?2",
                deciding.row,
                root.bytes.array
            )
            if let emoji { active[ExactText(emoji), default: []].append(sender) }
        }
        return active.map { ActiveReaction(emoji: $0.key, senders: $0.value.sorted()) }.sorted { $0.emoji < $1.emoji }
    }

    /// One post with its session, if it counts.
    func post(_ id: EventID) throws -> FeedItem? {
        try fact(id).flatMap(post)
    }

    /// Posts that count and whose ids begin with these hex digits, by id.
    func posts(idPrefix prefix: String, limit: Int) throws -> [FeedItem] {
        guard (1...64).contains(prefix.utf8.count), let least = try? EventID(hex: prefix.padded(with: "0")),
            let greatest = try? EventID(hex: prefix.padded(with: "f"))
        else { return [] }
        let rows = try connection.cursor(
            """
            SELECT key, row FROM temp.recent_id WHERE key BETWEEN ?1 AND ?2
            UNION ALL SELECT key, row FROM id_key WHERE key BETWEEN ?1 AND ?2 ORDER BY 1, 2
            """,
            least.prefix,
            greatest.prefix
        )
        var found: [FeedItem] = []
        while found.count < limit, let row = try rows.next({ row in try row.integer(1) }) {
            guard let fact = try fact(row: row), (least...greatest).contains(fact.moment.id) else { continue }
            if let item = try post(fact) { found.append(item) }
        }
        return found
    }

    private func post(_ fact: StoredFact) throws -> FeedItem? {
        guard fact.kind == .root, let entry = try entry(number: fact.session), try isPost(fact, in: entry) else {
            return nil
        }
        return try item(row: fact.row, entry)
    }

    /// Whether it is a post of this session that counts.
    func isPost(_ fact: StoredFact, in entry: SessionEntry) throws -> Bool {
        guard fact.kind == .root, fact.session == entry.number, let sender = try people.key(fact.sender) else {
            return false
        }
        return entry.counts(sender, at: fact.moment.time)
    }

    // MARK: Sessions

    func summaries(countingUnreadUpTo limit: Int) throws -> [SessionSummary] {
        let all = try idsWithCreator().compactMap { id -> SessionSummary? in
            defer { trim() }
            return try entry(id).flatMap { try summary($0, countingUnreadUpTo: limit) }
        }
        return all.sorted { ($1.updatedAt, $0.id) < ($0.updatedAt, $1.id) }
    }

    func summary(_ entry: SessionEntry, countingUnreadUpTo limit: Int) throws -> SessionSummary? {
        guard entry.isVisible, let creator = entry.log.creator else { return nil }
        let membership = entry.log.membership
        let newest = try FeedStream(entry, FeedQuery(limit: 1), self).head?.time
        return SessionSummary(
            id: entry.id,
            name: membership.name,
            creator: creator,
            isContested: entry.log.isContested,
            needsConfirmation: entry.log.needsConfirmation,
            isDeletedByOtherClaimant: entry.log.isDeletedByOtherClaimant,
            isActive: membership.isMember(owner),
            memberCount: membership.members.count,
            unreadCount: try unreadCount(entry, upTo: limit),
            isArchived: entry.isArchived,
            request: entry.request,
            updatedAt: newest ?? membership.newest?.time ?? 0
        )
    }

    private func unreadCount(_ entry: SessionEntry, upTo limit: Int) throws -> Int {
        var stream = try FeedStream(entry, FeedQuery(onlyUnread: true), self)
        var count = 0
        while count < limit, stream.head != nil {
            count += 1
            try stream.advance(self)
        }
        return count
    }

    // MARK: Reading marks

    func markRead(_ id: EventID) throws -> Bool {
        guard let fact = try fact(id), fact.kind == .root else { throw SessionStoreError.unknownPost }
        return try commit { try markRead(fact) }
    }

    /// Marks every post of a session that counts.
    func markAllRead(_ entry: SessionEntry) throws -> Int {
        try commit {
            var stream = try FeedStream(entry, FeedQuery(onlyUnread: true), self)
            var rows: [Int64] = []
            while let place = stream.head {
                rows.append(place.row)
                try stream.advance(self)
            }
            var count = 0
            for row in rows { if let fact = try fact(row: row), try markRead(fact) { count += 1 } }
            return count
        }
    }

    private func markRead(_ fact: StoredFact) throws -> Bool {
        guard fact.flags.contains(.unread) else { return false }
        try connection.execute(
            "UPDATE fact SET flags = ?2 WHERE row = ?1",
            fact.row,
            fact.flags.subtracting(.unread).rawValue
        )
        try keys.removeUnread(
            session: fact.session,
            time: fact.moment.time,
            tie: fact.moment.id.prefix,
            row: fact.row
        )
        return true
    }
}

extension String {
    fileprivate func padded(with digit: Character) -> String {
        self + String(repeating: digit, count: max(0, 64 - utf8.count))
    }
}

extension FeedCursor: Comparable {
    public static func < (left: FeedCursor, right: FeedCursor) -> Bool {
        (left.time, left.tie, left.row) < (right.time, right.tie, right.row)
    }

    fileprivate static let least = FeedCursor(time: .min, tie: .min, row: .min)
}
