import NostrCrypto
import NostrEvents
import SQLite

extension StoreEngine {
    /// Takes in facts in one transaction.
    func apply(_ arrivals: [Arrival], now: Int64) throws -> Applied {
        unreadable = 0
        var applied = try commit {
            var batch = Batch(now: now, firstRow: nextRow)
            for arrival in arrivals {
                let outcome = try apply(arrival, &batch)
                batch.applied.outcomes.append(outcome)
            }
            try finish(&batch)
            return batch.applied
        }
        if recentCount >= options.recentFacts { try merge() }
        if waiting > Int64(options.waiting.ever) {
            // To well below the bound, so that this reckoning is not needed again at once.
            let room = options.waiting.ever - options.waiting.ever / 20
            applied.forgotten += try commit { try forgetWaiting(perSender: .max, perAccount: room) }
        }
        applied.unreadable = unreadable
        trim()
        return applied
    }

    private func apply(_ arrival: Arrival, _ batch: inout Batch) throws -> Sessions.Outcome {
        let fact = arrival.fact
        if arrival.source == .historical, isSuppressed == nil { isSuppressed = try isEmpty() }
        if let entry = try entry(fact.session), entry.log.tombstone != nil {
            guard fact.statement == .sessionDelete else { return .ignored }
            let isNew = entry.log.insertDelete(fact.moment, by: fact.sender)
            if isNew { try keep(arrival, entry) }
            if isNew { batch.changed.insert(entry.id) }
            return isNew ? .kept : .known
        }
        if let known = try self.fact(fact.id) {
            if known.kind == .root { try addWraps(arrival, to: known) }
            return .known
        }
        if case .snapshot(let name, let members, let isCreate) = fact.statement {
            let snapshot = Snapshot(moment: fact.moment, name: name, members: members, isCreate: isCreate)
            // What can never count leaves nothing behind.
            guard snapshot.belongs(to: fact.sender, seenBy: owner) else { return .ignored }
            return try apply(snapshot, arrival, entryMakingOne(fact.session), &batch)
        }
        let entry = try entryMakingOne(fact.session)
        switch fact.statement {
        case .snapshot: return .ignored
        case .sessionDelete:
            batch.remember(entry)
            guard entry.log.insertDelete(fact.moment, by: fact.sender) else { return .known }
            try insert(arrival, entry)
            batch.widen(entry, from: 0, upTo: nil, by: arrival.source)
            try settle(entry, &batch)
            return .kept
        case .root: return try applyRoot(arrival, entry, &batch)
        case .rootDelete(let target): return try applyDelete(of: target, arrival, entry, &batch)
        case .reaction(let root, let emoji, let isActive):
            return try applyReaction(to: root, emoji, isActive, arrival, entry, &batch)
        }
    }

    // MARK: Member lists

    private func apply(
        _ snapshot: Snapshot,
        _ arrival: Arrival,
        _ entry: SessionEntry,
        _ batch: inout Batch
    ) throws -> Sessions.Outcome {
        batch.remember(entry)
        let creatorBefore = entry.log.creator
        let insertion = entry.log.insert(snapshot, by: arrival.fact.sender)
        for moment in insertion.dropped {
            guard let fact = try fact(moment.id) else { continue }
            try erase(fact)
            batch.applied.forgotten.append(moment.id)
        }
        if !insertion.dropped.isEmpty { batch.changed.insert(entry.id) }
        switch insertion.result {
        case .ignored:
            try settle(entry, &batch)
            return insertion.isForgotten ? .refused : .ignored
        case .kept:
            try insert(arrival, entry)
            if !entry.log.isClaimant(arrival.fact.sender) { waiting += 1 }
        case .changed(let from, let upTo):
            try insert(arrival, entry)
            batch.widen(entry, from: from, upTo: upTo, by: arrival.source)
            // Of another claimant than before, facts may have been dropped while there were too many.
            let isReplaced = creatorBefore != nil && creatorBefore != entry.log.creator
            if entry.lostFacts == .yes || isReplaced && entry.log.hasDroppedClaimants {
                entry.lostFacts = .wanted
                batch.applied.effects.append(.wantsFullHistory)
            }
            if creatorBefore == nil, lostElsewhere == .yes {
                lostElsewhere = .wanted
                batch.applied.effects.append(.wantsFullHistory)
            }
            try compareWithOwn(snapshot, arrival, entry, &batch)
        }
        batch.changed.insert(entry.id)
        try settle(entry, &batch)
        return .kept
    }

    /// Two devices of one creator can send lists that do not know of each other; who is in one and not in the next must get
    /// the next.
    private func compareWithOwn(
        _ snapshot: Snapshot,
        _ arrival: Arrival,
        _ entry: SessionEntry,
        _ batch: inout Batch
    ) throws {
        guard !isRestoring, !arrival.isMadeHere, arrival.fact.sender == owner, entry.log.creator == owner else {
            return
        }
        let log = entry.log.log
        let place = log.partitioningIndex { $0.moment >= snapshot.moment }
        guard place < log.count, log[place].moment == snapshot.moment else { return }
        func isMadeHere(_ index: Int) throws -> Bool {
            guard log.indices.contains(index) else { return false }
            return try fact(log[index].moment.id)?.flags.contains(.madeHere) == true
        }
        func resend(_ list: Snapshot, toThoseIn other: Snapshot) {
            let missing = Set(other.members).subtracting(list.members).sorted()
            guard !missing.isEmpty else { return }
            batch.applied.effects.append(.resend(entry.id, memberList: list.moment.id, to: missing))
        }
        if try isMadeHere(place - 1) { resend(snapshot, toThoseIn: log[place - 1]) }
        if try isMadeHere(place + 1) { resend(log[place + 1], toThoseIn: snapshot) }
    }

    /// What happens at once outside a restore: the choice of the creator becomes the pin, a deleted session is closed.
    private func settle(_ entry: SessionEntry, _ batch: inout Batch) throws {
        batch.changed.insert(entry.id)
        guard !isRestoring else { return }
        entry.log.fixPin()
        if entry.log.closeIfDeleted() { try purge(entry) }
    }

    // MARK: Common

    func admits(_ arrival: Arrival, _ entry: SessionEntry) -> Bool {
        guard options.checksLiveAdmission, arrival.source == .live else { return true }
        return entry.log.membership.admitsLive(arrival.fact.sender, and: owner, at: arrival.fact.time)
    }

    /// Nothing by which a restore could be told from a later reading of history.
    private func isEmpty() throws -> Bool {
        let sessions: Int64? = try connection.value(
            "SELECT 1 FROM session WHERE has_creator = 1 OR tombstone IS NOT NULL LIMIT 1"
        )
        guard sessions == nil else { return false }
        let posts: Int64? = try connection.value(
            "SELECT 1 FROM temp.recent_feed UNION ALL SELECT 1 FROM feed_key LIMIT 1"
        )
        return posts == nil
    }

    /// The creator's device sends a former member who still writes the list that ended the membership, once a day.
    func remindFormerMember(_ fact: Fact, _ entry: SessionEntry, _ batch: inout Batch) throws {
        guard !isRestoring, entry.isVisible, entry.log.creator == owner else { return }
        guard let end = entry.log.membership.intervals[fact.sender]?.last?.end, fact.time >= end else { return }
        guard let list = entry.log.log.last(where: { $0.moment.time == end && !$0.members.contains(fact.sender) })
        else {
            return
        }
        let person = try people.number(fact.sender)
        let last: Int64? = try connection.value(
            "SELECT time FROM reminder WHERE session = ?1 AND person = ?2",
            entry.number,
            person
        )
        if let last, batch.now < last.addingReportingOverflow(86_400).partialValue { return }
        try connection.execute(
            "INSERT OR REPLACE INTO reminder(session, person, time) VALUES (?1, ?2, ?3)",
            entry.number,
            person,
            batch.now
        )
        batch.applied.effects.append(.remind(entry.id, memberList: list.moment.id, to: fact.sender))
    }

    @discardableResult
    func insert(
        _ arrival: Arrival,
        _ entry: SessionEntry,
        flags: FactRow.Flags = [],
        slot: Int64? = nil
    ) throws -> Int64 {
        let fact = arrival.fact
        let row = nextRow
        let sender = try people.number(fact.sender)
        var flags = flags
        if arrival.isMadeHere { flags.insert(.madeHere) }
        let kind = FactRow.kind(fact.statement)
        var target: EventID?
        var emoji: String?
        switch fact.statement {
        case .rootDelete(let root): target = root
        case .reaction(let root, let text, _):
            target = root
            emoji = text.text
        case .snapshot, .sessionDelete, .root: break
        }
        var wraps: [UInt8]?
        if kind == .root, !arrival.wraps.isEmpty {
            var list = WrapList([])
            for wrap in arrival.wraps {
                _ = list.add(wrap.id, try people.number(wrap.recipient), isOwnSending: arrival.isMadeHere)
            }
            wraps = list.bytes
        }
        try connection.execute(
            """
            INSERT INTO fact(row, id, session, sender, kind, time, flags, target, slot, emoji, sealed, wraps)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
            """,
            row,
            fact.id.bytes.array,
            entry.number,
            sender,
            kind.rawValue,
            fact.time,
            flags.rawValue,
            target?.bytes.array,
            slot,
            emoji,
            try FactRow.body(fact.statement).map { try sealer.seal($0, .fact, row: row) },
            wraps
        )
        nextRow += 1
        recentCount += 1
        try keys.add(
            StoredFact(
                row: row,
                moment: fact.moment,
                session: entry.number,
                sender: sender,
                kind: kind,
                flags: flags,
                target: target,
                slot: slot
            )
        )
        try keep(arrival, entry)
        return row
    }

    /// Keeps the seal of what has to survive on relays.
    private func keep(_ arrival: Arrival, _ entry: SessionEntry) throws {
        guard !arrival.seal.isEmpty else { return }
        let kind = FactRow.kind(arrival.fact.statement)
        guard kind != .root, kind != .reaction else { return }
        let last: Int64? = try connection.value("SELECT row FROM seal ORDER BY row DESC LIMIT 1")
        let row = (last ?? 0) + 1
        try connection.execute(
            "INSERT OR IGNORE INTO seal(row, id, session, kind, time, sealed) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            row,
            arrival.fact.id.bytes.array,
            entry.number,
            kind.rawValue,
            arrival.fact.time,
            try sealer.seal(arrival.seal, .seal, row: row)
        )
    }
}

extension SessionEntry.LostFacts: Comparable {
    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
