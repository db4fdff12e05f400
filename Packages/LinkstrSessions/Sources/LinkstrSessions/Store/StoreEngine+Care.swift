import NostrCrypto
import NostrEvents
import SQLite

extension StoreEngine {
    // MARK: Restores

    /// Ends the account's first restore, and in every run the time in which what history brings counts as read.
    func completeRestore() throws -> [SessionEffect] {
        guard isRestoring else {
            isSuppressed = false
            return []
        }
        let effects = try commit {
            var effects: [SessionEffect] = []
            for id in try idsWithCreator() {
                guard let entry = try entry(id) else { continue }
                entry.log.fixPin()
                if entry.log.closeIfDeleted() {
                    try purge(entry)
                    if let creator = entry.log.tombstone?.creator {
                        effects.append(.closed(entry.id, creator: creator))
                    }
                }
                try write(entry)
                trim()
            }
            isRestoring = false
            try writeMeta()
            return effects
        }
        isSuppressed = false
        trim()
        return effects
    }

    /// Removes everything of a closed session but its tombstone and what the person chose.
    func purge(_ entry: SessionEntry) throws {
        let rows = try connection.all(
            """
            SELECT row FROM temp.recent_feed WHERE session = ?1 UNION ALL SELECT row FROM feed_key WHERE session = ?1
            UNION ALL SELECT row FROM temp.recent_reaction WHERE session = ?1
            UNION ALL SELECT row FROM reaction_key WHERE session = ?1
            UNION ALL SELECT row FROM temp.recent_delete WHERE session = ?1
            UNION ALL SELECT row FROM delete_key WHERE session = ?1
            UNION ALL SELECT row FROM temp.recent_log WHERE session = ?1
            UNION ALL SELECT row FROM log_key WHERE session = ?1
            """,
            entry.number
        ) { row in try row.integer(0) }
        for row in rows {
            guard let fact = try fact(row: row) else { continue }
            try erase(fact)
            if fact.kind == .rootDelete, !fact.flags.contains(.settled) {
                try connection.execute(
                    "UPDATE person SET waiting_deletes = max(0, waiting_deletes - 1) WHERE number = ?1",
                    fact.sender
                )
            }
        }
        // The claims and the wish to end it still have to reach devices that are restored later.
        try connection.execute(
            "DELETE FROM seal WHERE session = ?1 AND kind NOT IN (0, 1, 2)",
            entry.number
        )
        try connection.execute("DELETE FROM block WHERE session = ?1", entry.number)
        try connection.execute("DELETE FROM reminder WHERE session = ?1", entry.number)
        entry.newestRoot = -1
        entry.lostFacts = .no
        entry.isArchived = false
    }

    // MARK: Facts that count for nothing

    /// Keeps the bounds once a reading of the whole history has settled.
    func settleHistory() throws -> [EventID] {
        try commit {
            try connection.execute("UPDATE session SET lost_facts = 0 WHERE lost_facts = 2")
            forgetAllSessions()
            if lostElsewhere == .wanted { lostElsewhere = .no }
            isSuppressed = false
            return try forgetWaiting(
                perSender: options.waiting.perSender,
                perAccount: options.waiting.perAccount
            )
        }
    }

    private struct Waiting {
        let row: Int64
        let sender: Int64
    }

    /// Forgets facts that count for nothing above the bounds: those of senders who never were members first, of one sender the
    /// oldest first. To be called in a transaction.
    func forgetWaiting(perSender: Int, perAccount: Int) throws -> [EventID] {
        if recentCount > 0 {
            try keys.merge(upTo: nextRow - 1)
            recentCount = 0
        }
        var members: Set<Int64> = []
        var found: [Waiting] = []
        for id in try ids("SELECT id FROM session WHERE tombstone IS NULL") {
            guard let entry = try entry(id) else { continue }
            if entry.isVisible {
                for person in entry.log.membership.intervals.keys {
                    if let number = try people.known(person) { members.insert(number) }
                }
            }
            try collectWaiting(entry, &found)
            trim()
        }
        waiting = Int64(found.count)
        found.sort { $0.row < $1.row }
        var dropped: [Waiting] = []
        var kept: [Waiting] = []
        var counts: [Int64: Int] = [:]
        for fact in found { counts[fact.sender, default: 0] += 1 }
        for fact in found {
            if let count = counts[fact.sender], count > perSender {
                counts[fact.sender] = count - 1
                dropped.append(fact)
            } else {
                kept.append(fact)
            }
        }
        if kept.count > perAccount {
            let strangers = kept.filter { !members.contains($0.sender) }
            let others = kept.filter { members.contains($0.sender) }
            dropped += (strangers + others).prefix(kept.count - perAccount)
        }
        var forgotten: [EventID] = []
        for waiting in dropped {
            guard let fact = try fact(row: waiting.row) else { continue }
            try erase(fact)
            try connection.execute("UPDATE session SET lost_facts = max(lost_facts, 1) WHERE number = ?1", fact.session)
            forgotten.append(fact.moment.id)
        }
        waiting -= Int64(forgotten.count)
        forgetAllSessions()
        try dropEmptySessions()
        try writeMeta()
        return forgotten
    }

    private func collectWaiting(_ entry: SessionEntry, _ found: inout [Waiting]) throws {
        let roots = try connection.cursor(
            "SELECT row, time, sender FROM feed_key WHERE session = ?1",
            entry.number
        )
        while let (row, time, sender) = try roots.next({ row in
            (try row.integer(0), try row.integer(1), try row.integer(2))
        }) {
            guard let key = try people.key(sender), !entry.counts(key, at: time) else { continue }
            found.append(Waiting(row: row, sender: sender))
        }
        let reactions = try connection.cursor(
            "SELECT row, time, sender, root FROM reaction_key WHERE session = ?1 ORDER BY root",
            entry.number
        )
        var last: (root: Int64, counts: Bool)?
        while let (row, time, sender, root) = try reactions.next({ row in
            (try row.integer(0), try row.integer(1), try row.integer(2), try row.integer(3))
        }) {
            if last?.root != root { last = (root, try countsRoot(prefix: root, entry)) }
            guard let key = try people.key(sender) else { continue }
            if last?.counts == true, entry.counts(key, at: time) { continue }
            found.append(Waiting(row: row, sender: sender))
        }
        let creator = try entry.log.creator.flatMap { try people.known($0) }
        let lists = try connection.cursor(
            """
            SELECT f.row, f.sender FROM log_key k JOIN fact f ON f.row = k.row
            WHERE k.session = ?1 AND f.kind IN (0, 1)
            """,
            entry.number
        )
        while let (row, sender) = try lists.next({ row in (try row.integer(0), try row.integer(1)) }) {
            // Claims kept aside are bounded by their number.
            guard sender != creator, let key = try people.key(sender), !entry.log.isClaimant(key) else {
                continue
            }
            found.append(Waiting(row: row, sender: sender))
        }
    }

    private func countsRoot(prefix: Int64, _ entry: SessionEntry) throws -> Bool {
        let rows = try connection.all("SELECT row FROM id_key WHERE key = ?1", prefix) { row in try row.integer(0) }
        for row in rows {
            if let fact = try fact(row: row), try isPost(fact, in: entry) { return true }
        }
        return false
    }

    /// How many posts there are.
    func postCount() throws -> Int {
        let count: SQL = "SELECT (SELECT count(*) FROM feed_key) + (SELECT count(*) FROM temp.recent_feed)"
        return Int(clamping: try connection.value(count, as: Int64.self) ?? 0)
    }

    /// Sessions of which nothing is left: that one of them lost facts is remembered for all together.
    private func dropEmptySessions() throws {
        let lost: SQL = """
            SELECT count(*) FROM session s WHERE lost_facts > 0 AND has_creator = 0 AND pin IS NULL AND tombstone IS NULL
                AND is_archived = 0 AND request = 0
                AND NOT EXISTS (SELECT 1 FROM feed_key WHERE session = s.number)
                AND NOT EXISTS (SELECT 1 FROM reaction_key WHERE session = s.number)
                AND NOT EXISTS (SELECT 1 FROM delete_key WHERE session = s.number)
                AND NOT EXISTS (SELECT 1 FROM log_key WHERE session = s.number)
            """
        guard try connection.value(lost, as: Int64.self) ?? 0 > 0 else { return }
        lostElsewhere = max(lostElsewhere, .yes)
        try connection.execute(
            """
            DELETE FROM session AS s WHERE lost_facts > 0 AND has_creator = 0 AND pin IS NULL AND tombstone IS NULL
                AND is_archived = 0 AND request = 0
                AND NOT EXISTS (SELECT 1 FROM feed_key WHERE session = s.number)
                AND NOT EXISTS (SELECT 1 FROM reaction_key WHERE session = s.number)
                AND NOT EXISTS (SELECT 1 FROM delete_key WHERE session = s.number)
                AND NOT EXISTS (SELECT 1 FROM log_key WHERE session = s.number)
            """
        )
    }
}
