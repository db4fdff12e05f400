import NostrCrypto
import NostrEvents
import SQLite

extension StoreEngine {
    func applyReaction(
        to root: EventID,
        _ emoji: ExactText,
        _ isActive: Bool,
        _ arrival: Arrival,
        _ entry: SessionEntry,
        _ batch: inout Batch
    ) throws -> Sessions.Outcome {
        let fact = arrival.fact
        if try deletes(of: root, entry).contains(where: { $0.flags.contains(.settled) }) { return .ignored }
        guard admits(arrival, entry) else { return .refused }
        let slot = slot(entry, root, emoji, fact.sender)
        let others = try reactionKeys(on: root, entry, slot: slot)
        if others.count >= ReactionSlot.maximumReactions, let least = others.first {
            guard try isLater(fact.moment, than: least) else { return .ignored }
            if let fact = try self.fact(row: least.row) { try erase(fact) }
        }
        try insert(arrival, entry, flags: isActive ? .active : [], slot: slot)
        guard let post = try self.fact(root), post.kind == .root, post.session == entry.number,
            !isRestoring || entry.log.isFolded
        else {
            waiting += 1
            return .kept
        }
        guard entry.counts(fact.sender, at: fact.time) else {
            waiting += 1
            try remindFormerMember(fact, entry, &batch)
            return .kept
        }
        guard let author = try people.key(post.sender), entry.counts(author, at: post.moment.time) else {
            waiting += 1
            return .kept
        }
        guard !isRestoring else { return .kept }
        let before = others.deciding { entry.counts(fact.sender, at: $0) }
        if let before, try !isLater(fact.moment, than: before) { return .kept }
        guard (before?.isActive ?? false) != isActive else { return .kept }
        let isLate = entry.log.membership.isLate(fact.sender, at: fact.time, now: batch.now)
        let delivery: SessionEffect.Delivery =
            fact.sender == owner ? .own : arrival.source == .historical ? .historical : isLate ? .late : .live
        batch.applied.effects.append(
            .reacted(entry.id, post: root, emoji: emoji, by: fact.sender, isActive: isActive, delivery)
        )
        return .kept
    }

    /// A number for what one sender says with one emoji about one post.
    func slot(_ entry: SessionEntry, _ root: EventID, _ emoji: ExactText, _ sender: Bytes32) -> Int64 {
        var parts: [UInt8] = []
        withUnsafeBytes(of: entry.number.littleEndian) { parts.append(contentsOf: $0) }
        root.bytes.withUnsafeBytes { parts.append(contentsOf: $0) }
        sender.withUnsafeBytes { parts.append(contentsOf: $0) }
        parts.append(contentsOf: emoji.text.utf8)
        return sealer.hash(parts)
    }

    struct ReactionRow: TimedReaction {
        let slot: Int64
        let time: Int64
        let tie: Int64
        let row: Int64
        let sender: Int64
        let isActive: Bool
    }

    /// The reactions on a post, slot by slot, each ascending.
    func reactionKeys(on root: EventID, _ entry: SessionEntry) throws -> [ReactionRow] {
        let rows = try connection.all(
            """
            SELECT slot, time, tie, row, sender, is_active FROM temp.recent_reaction WHERE session = ?1 AND root = ?2
            UNION ALL SELECT slot, time, tie, row, sender, is_active FROM reaction_key WHERE session = ?1 AND root = ?2
            ORDER BY 1, 2, 3, 4
            """,
            entry.number,
            root.prefix,
            read: Self.reactionRow
        )
        return try orderedByIDs(rows)
    }

    func reactionKeys(on root: EventID, _ entry: SessionEntry, slot: Int64) throws -> [ReactionRow] {
        let rows = try connection.all(
            """
            SELECT slot, time, tie, row, sender, is_active FROM temp.recent_reaction
            WHERE session = ?1 AND root = ?2 AND slot = ?3
            UNION ALL SELECT slot, time, tie, row, sender, is_active FROM reaction_key
            WHERE session = ?1 AND root = ?2 AND slot = ?3
            ORDER BY 2, 3, 4
            """,
            entry.number,
            root.prefix,
            slot,
            read: Self.reactionRow
        )
        return try orderedByIDs(rows)
    }

    /// Ids that begin alike can be made on purpose: what is said at one time under such ids is put in the order of the whole ids,
    /// or the order of arrival would decide.
    private func orderedByIDs(_ rows: [ReactionRow]) throws -> [ReactionRow] {
        let isTied = zip(rows, rows.dropFirst()).contains {
            ($0.slot, $0.time, $0.tie) == ($1.slot, $1.time, $1.tie)
        }
        guard isTied else { return rows }
        return try rows.map { row in (row, try self.fact(row: row.row)?.moment.id) }
            .sorted { left, right in
                let (first, second) = (left.0, right.0)
                let places = ((first.slot, first.time, first.tie), (second.slot, second.time, second.tie))
                guard places.0 == places.1, let id = left.1, let other = right.1 else { return places.0 < places.1 }
                return id < other
            }
            .map(\.0)
    }

    private func isLater(_ moment: Moment, than row: ReactionRow) throws -> Bool {
        let (left, right) = ((moment.time, moment.id.prefix), (row.time, row.tie))
        guard left == right, let other = try self.fact(row: row.row)?.moment.id else { return left > right }
        return moment.id > other
    }

    private static func reactionRow(_ row: borrowing Row) throws -> ReactionRow {
        ReactionRow(
            slot: try row.integer(0),
            time: try row.integer(1),
            tie: try row.integer(2),
            row: try row.integer(3),
            sender: try row.integer(4),
            isActive: try row.get(5, as: Bool.self)
        )
    }
}
