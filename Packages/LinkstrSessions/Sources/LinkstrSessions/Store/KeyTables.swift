import NostrEvents
import SQLite

/// Where facts are found.
///
/// A fact is appended and committed at once; its keys are random, and writing each where it belongs would write a page per
/// key. So keys first go into temporary tables in memory, where a rolled back transaction takes them back, and when there are
/// many they are merged, sorted, into the tables of the same shape. After a crash the keys of rows that were not merged are
/// made again from those rows.
struct KeyTables {
    let connection: Connection

    /// The key of any fact.
    func addID(_ id: EventID, row: Int64) throws {
        try connection.execute("INSERT INTO temp.recent_id VALUES (?1, ?2)", id.prefix, row)
    }

    func addRoot(session: Int64, _ moment: Moment, row: Int64, sender: Int64) throws {
        try connection.execute(
            "INSERT INTO temp.recent_feed VALUES (?1, ?2, ?3, ?4, ?5)",
            session,
            moment.time,
            moment.id.prefix,
            row,
            sender
        )
    }

    func addUnread(session: Int64, _ moment: Moment, row: Int64, sender: Int64) throws {
        try connection.execute(
            "INSERT INTO temp.recent_unread VALUES (?1, ?2, ?3, ?4, ?5)",
            session,
            moment.time,
            moment.id.prefix,
            row,
            sender
        )
    }

    func addReaction(
        session: Int64,
        root: EventID,
        slot: Int64,
        _ moment: Moment,
        row: Int64,
        sender: Int64,
        isActive: Bool
    ) throws {
        try connection.execute(
            "INSERT INTO temp.recent_reaction VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            session,
            root.prefix,
            slot,
            moment.time,
            moment.id.prefix,
            row,
            sender,
            isActive
        )
    }

    func addDelete(session: Int64, root: EventID, row: Int64, sender: Int64) throws {
        try connection.execute(
            "INSERT INTO temp.recent_delete VALUES (?1, ?2, ?3, ?4)",
            session,
            root.prefix,
            row,
            sender
        )
    }

    func addLog(session: Int64, row: Int64) throws {
        try connection.execute("INSERT INTO temp.recent_log VALUES (?1, ?2)", session, row)
    }

    // MARK: Removing

    func removeID(_ id: EventID, row: Int64) throws {
        for sql: SQL in [
            "DELETE FROM temp.recent_id WHERE key = ?1 AND row = ?2", "DELETE FROM id_key WHERE key = ?1 AND row = ?2",
        ] {
            try connection.execute(sql, id.prefix, row)
        }
    }

    func removeUnread(session: Int64, time: Int64, tie: Int64, row: Int64) throws {
        for sql: SQL in [
            "DELETE FROM temp.recent_unread WHERE session = ?1 AND time = ?2 AND tie = ?3 AND row = ?4",
            "DELETE FROM unread_key WHERE session = ?1 AND time = ?2 AND tie = ?3 AND row = ?4",
        ] {
            try connection.execute(sql, session, time, tie, row)
        }
    }

    func removeRoot(session: Int64, _ moment: Moment, row: Int64) throws {
        try removeUnread(session: session, time: moment.time, tie: moment.id.prefix, row: row)
        for sql: SQL in [
            "DELETE FROM temp.recent_feed WHERE session = ?1 AND time = ?2 AND tie = ?3 AND row = ?4",
            "DELETE FROM feed_key WHERE session = ?1 AND time = ?2 AND tie = ?3 AND row = ?4",
        ] {
            try connection.execute(sql, session, moment.time, moment.id.prefix, row)
        }
    }

    func removeReaction(session: Int64, root: EventID, slot: Int64, _ moment: Moment, row: Int64) throws {
        for sql: SQL in [
            """
            DELETE FROM temp.recent_reaction
            WHERE session = ?1 AND root = ?2 AND slot = ?3 AND time = ?4 AND tie = ?5 AND row = ?6
            """,
            """
            DELETE FROM reaction_key
            WHERE session = ?1 AND root = ?2 AND slot = ?3 AND time = ?4 AND tie = ?5 AND row = ?6
            """,
        ] {
            try connection.execute(sql, session, root.prefix, slot, moment.time, moment.id.prefix, row)
        }
    }

    func removeDelete(session: Int64, root: EventID, row: Int64) throws {
        for sql: SQL in [
            "DELETE FROM temp.recent_delete WHERE session = ?1 AND root = ?2 AND row = ?3",
            "DELETE FROM delete_key WHERE session = ?1 AND root = ?2 AND row = ?3",
        ] {
            try connection.execute(sql, session, root.prefix, row)
        }
    }

    func removeLog(session: Int64, row: Int64) throws {
        for sql: SQL in [
            "DELETE FROM temp.recent_log WHERE session = ?1 AND row = ?2",
            "DELETE FROM log_key WHERE session = ?1 AND row = ?2",
        ] {
            try connection.execute(sql, session, row)
        }
    }

    // MARK: Merging

    /// Puts all keys where they belong. To be called in a transaction.
    func merge(upTo row: Int64) throws {
        try connection.execute("INSERT OR IGNORE INTO id_key SELECT * FROM temp.recent_id ORDER BY key, row")
        try connection.execute(
            "INSERT OR IGNORE INTO feed_key SELECT * FROM temp.recent_feed ORDER BY session, time, tie, row"
        )
        try connection.execute(
            "INSERT OR IGNORE INTO unread_key SELECT * FROM temp.recent_unread ORDER BY session, time, tie, row"
        )
        try connection.execute(
            """
            INSERT OR IGNORE INTO reaction_key
            SELECT * FROM temp.recent_reaction ORDER BY session, root, slot, time, tie, row
            """
        )
        try connection.execute(
            "INSERT OR IGNORE INTO delete_key SELECT * FROM temp.recent_delete ORDER BY session, root, row"
        )
        try connection.execute("INSERT OR IGNORE INTO log_key SELECT * FROM temp.recent_log ORDER BY session, row")
        try connection.execute("DELETE FROM temp.recent_id")
        try connection.execute("DELETE FROM temp.recent_feed")
        try connection.execute("DELETE FROM temp.recent_unread")
        try connection.execute("DELETE FROM temp.recent_reaction")
        try connection.execute("DELETE FROM temp.recent_delete")
        try connection.execute("DELETE FROM temp.recent_log")
        try connection.execute("UPDATE meta SET indexed_up_to = ?1", row)
    }

    /// Makes the keys of rows that were not merged.
    /// - Returns: How many rows these were.
    func rebuild(after indexed: Int64) throws -> Int {
        let cursor = try connection.cursor(
            "SELECT row, id, session, sender, kind, time, flags, target, slot FROM fact WHERE row > ?1",
            indexed
        )
        var count = 0
        while let fact = try cursor.next({ row in try StoredFact(row) }) {
            count += 1
            try add(fact)
        }
        return count
    }

    /// The keys of a stored fact.
    func add(_ fact: StoredFact) throws {
        try addID(fact.moment.id, row: fact.row)
        switch fact.kind {
        case .create, .members, .sessionDelete: try addLog(session: fact.session, row: fact.row)
        case .root:
            try addRoot(session: fact.session, fact.moment, row: fact.row, sender: fact.sender)
            if fact.flags.contains(.unread) {
                try addUnread(session: fact.session, fact.moment, row: fact.row, sender: fact.sender)
            }
        case .rootDelete:
            guard let target = fact.target else { return }
            try addDelete(session: fact.session, root: target, row: fact.row, sender: fact.sender)
        case .reaction:
            guard let target = fact.target, let slot = fact.slot else { return }
            try addReaction(
                session: fact.session,
                root: target,
                slot: slot,
                fact.moment,
                row: fact.row,
                sender: fact.sender,
                isActive: fact.flags.contains(.active)
            )
        }
    }

    /// The opposite.
    func remove(_ fact: StoredFact) throws {
        try removeID(fact.moment.id, row: fact.row)
        switch fact.kind {
        case .create, .members, .sessionDelete: try removeLog(session: fact.session, row: fact.row)
        case .root: try removeRoot(session: fact.session, fact.moment, row: fact.row)
        case .rootDelete:
            guard let target = fact.target else { return }
            try removeDelete(session: fact.session, root: target, row: fact.row)
        case .reaction:
            guard let target = fact.target, let slot = fact.slot else { return }
            try removeReaction(session: fact.session, root: target, slot: slot, fact.moment, row: fact.row)
        }
    }
}
