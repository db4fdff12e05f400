import NostrCrypto
import NostrEvents
import SQLite

extension StoreEngine {
    func applyRoot(
        _ arrival: Arrival,
        _ entry: SessionEntry,
        _ batch: inout Batch
    ) throws -> Sessions.Outcome {
        let fact = arrival.fact
        let deletes = try deletes(of: fact.id, entry)
        if !deletes.isEmpty, let sender = try people.known(fact.sender),
            let delete = deletes.first(where: { $0.sender == sender })
        {
            try settle(delete, in: entry, root: fact.id)
            return .ignored
        }
        guard admits(arrival, entry) else { return .refused }
        // Deletes by others never have an effect.
        for delete in deletes { try dropWaitingDelete(delete) }
        let isLive = arrival.source == .live
        let delivery = delivery(of: fact.sender, at: fact.time, isLive: isLive, in: entry, now: batch.now)
        let isUnread =
            arrival.isUnread ?? (delivery == .live || delivery == .historical && isSuppressed != true)
        var flags: FactRow.Flags = isUnread ? .unread : []
        if delivery == .late { flags.insert(.late) }
        let row = try insert(arrival, entry, flags: flags)
        if fact.time > entry.newestRoot {
            entry.newestRoot = fact.time
            batch.changed.insert(entry.id)
        }
        // A restore brings lists in between; computing the members anew for each post would take too long, and the number of
        // what waits may be too high.
        if isRestoring, !entry.log.isFolded {
            waiting += 1
        } else if !entry.counts(fact.sender, at: fact.time) {
            waiting += 1
            try remindFormerMember(fact, entry, &batch)
        }
        batch.posts.append(
            Batch.NewPost(
                entry: entry,
                post: fact.id,
                row: row,
                sender: fact.sender,
                time: fact.time,
                delivery: delivery
            )
        )
        return .kept
    }

    /// How a post by a sender came.
    func delivery(
        of sender: Bytes32,
        at time: Int64,
        isLive: Bool,
        in entry: SessionEntry,
        now: Int64
    ) -> SessionEffect.Delivery {
        if sender == owner { return .own }
        guard isLive else { return .historical }
        return entry.isVisible && entry.log.membership.isLate(sender, at: time, now: now) ? .late : .live
    }

    func applyDelete(
        of target: EventID,
        _ arrival: Arrival,
        _ entry: SessionEntry,
        _ batch: inout Batch
    ) throws -> Sessions.Outcome {
        let fact = arrival.fact
        let sender = try people.number(fact.sender)
        let deletes = try deletes(of: target, entry)
        if deletes.contains(where: { $0.flags.contains(.settled) }) { return .ignored }
        if deletes.contains(where: { $0.sender == sender }) { return .known }
        if let root = try self.fact(target), root.kind == .root, root.session == entry.number {
            guard root.sender == sender else { return .ignored }
            try erase(root)
            try insert(arrival, entry, flags: .settled)
            try eraseReactions(on: target, entry)
            batch.posts.removeAll { $0.post == target }
            return .kept
        }
        let count: Int? = try connection.value("SELECT waiting_deletes FROM person WHERE number = ?1", sender)
        guard (count ?? 0) < options.waiting.deletesPerSender else {
            entry.lostFacts = max(entry.lostFacts, .yes)
            batch.changed.insert(entry.id)
            return .refused
        }
        try connection.execute("UPDATE person SET waiting_deletes = waiting_deletes + 1 WHERE number = ?1", sender)
        try insert(arrival, entry)
        return .kept
    }

    /// The stored deletes of a post, by whomever.
    func deletes(of root: EventID, _ entry: SessionEntry) throws -> [StoredFact] {
        try connection.all(
            """
            SELECT row FROM temp.recent_delete WHERE session = ?1 AND root = ?2 UNION ALL
            SELECT row FROM delete_key WHERE session = ?1 AND root = ?2
            """,
            entry.number,
            root.prefix
        ) { row in try row.integer(0) }
        .compactMap { try fact(row: $0) }
        .filter { $0.target == root }
    }

    /// The post that a delete waited for came: it goes at once, with the reactions that came before it.
    private func settle(_ delete: StoredFact, in entry: SessionEntry, root: EventID) throws {
        guard !delete.flags.contains(.settled) else { return }
        try connection.execute(
            "UPDATE fact SET flags = ?2 WHERE row = ?1",
            delete.row,
            delete.flags.union(.settled).rawValue
        )
        try noLongerWaits(delete)
        for other in try deletes(of: root, entry) where other.row != delete.row { try dropWaitingDelete(other) }
        try eraseReactions(on: root, entry)
    }

    private func dropWaitingDelete(_ delete: StoredFact) throws {
        guard !delete.flags.contains(.settled) else { return }
        try erase(delete)
        try noLongerWaits(delete)
    }

    private func noLongerWaits(_ delete: StoredFact) throws {
        try connection.execute(
            "UPDATE person SET waiting_deletes = max(0, waiting_deletes - 1) WHERE number = ?1",
            delete.sender
        )
    }

    private func eraseReactions(on root: EventID, _ entry: SessionEntry) throws {
        for key in try reactionKeys(on: root, entry) {
            if let fact = try fact(row: key.row), fact.target == root { try erase(fact) }
        }
    }

    /// Merges the wraps of another delivery into a stored post.
    func addWraps(_ arrival: Arrival, to root: StoredFact) throws {
        guard !arrival.wraps.isEmpty else { return }
        let stored: [UInt8]? = try connection.first("SELECT wraps FROM fact WHERE row = ?1", root.row) { row in
            try row.get(0, as: [UInt8]?.self)
        }?.flatMap { $0 }
        var list = WrapList(stored ?? [])
        var isChanged = false
        for wrap in arrival.wraps {
            let recipient = try people.number(wrap.recipient)
            if list.add(wrap.id, recipient, isOwnSending: arrival.isMadeHere) { isChanged = true }
        }
        guard isChanged else { return }
        try connection.execute("UPDATE fact SET wraps = ?2 WHERE row = ?1", root.row, list.bytes)
    }
}
