import NostrCrypto
import NostrEvents
import SQLite

/// What a batch did so far.
struct Batch {
    /// The local clock.
    let now: Int64
    /// Rows from here on are the batch's own.
    let firstRow: Int64
    var applied = Applied()
    var posts: [NewPost] = []
    var before: [SessionID: Before] = [:]
    var changed: Set<SessionID> = []

    struct NewPost {
        let entry: SessionEntry
        let post: EventID
        let row: Int64
        let sender: Bytes32
        let time: Int64
        let delivery: SessionEffect.Delivery
    }

    /// A session as it was shown before the batch.
    struct Before {
        let entry: SessionEntry
        let isVisible: Bool
        let isContested: Bool
        let membership: Membership
        /// Members before this time are as they were.
        var from: Int64 = .max
        /// Members from this time on are as they were.
        var upTo: Int64 = 0
    }

    mutating func remember(_ entry: SessionEntry) {
        guard before[entry.id] == nil else { return }
        before[entry.id] = Before(
            entry: entry,
            isVisible: entry.isVisible,
            isContested: entry.log.isContested,
            membership: entry.membership
        )
    }

    mutating func widen(_ entry: SessionEntry, from: Int64, upTo: Int64?) {
        guard var known = before[entry.id] else { return }
        known.from = min(known.from, from)
        known.upTo = max(known.upTo, upTo ?? .max)
        before[entry.id] = known
    }
}

extension StoreEngine {
    /// Says what the batch did and writes the rows of the sessions that it changed.
    func finish(_ batch: inout Batch) throws {
        for post in batch.posts where post.entry.counts(post.sender, at: post.time) {
            batch.applied.effects.append(.posted(post.entry.id, post.post, by: post.sender, post.delivery))
        }
        for (id, before) in batch.before.sorted(by: { $0.key < $1.key }) {
            let entry = before.entry
            let isVisible = entry.isVisible
            if !before.isVisible, isVisible { batch.applied.effects.append(.appeared(id)) }
            if before.isVisible, !isVisible, let creator = entry.log.tombstone?.creator ?? entry.log.creator {
                batch.applied.effects.append(.closed(id, creator: creator))
            }
            guard isVisible else { continue }
            let after = entry.membership
            if before.isVisible, before.membership.members != after.members || before.membership.name != after.name {
                batch.applied.effects.append(.changed(id))
            }
            if !before.isContested, entry.log.isContested { batch.applied.effects.append(.contested(id)) }
            try recount(before, &batch)
        }
        for id in batch.changed {
            if let entry = try entry(id) { try write(entry) }
        }
        try writeMeta()
    }

    /// How many of the posts that were here changed their answer.
    private func recount(_ before: Batch.Before, _ batch: inout Batch) throws {
        let entry = before.entry
        let after = entry.membership
        guard before.from < before.upTo, entry.newestRoot >= before.from else { return }
        var shown = 0
        var hidden = 0
        let cursor = try connection.cursor(
            """
            SELECT time, sender FROM temp.recent_feed WHERE session = ?1 AND time >= ?2 AND time < ?3 AND row < ?4
            UNION ALL SELECT time, sender FROM feed_key WHERE session = ?1 AND time >= ?2 AND time < ?3 AND row < ?4
            """,
            entry.number,
            before.from,
            before.upTo,
            batch.firstRow
        )
        while let (time, number) = try cursor.next({ row in (try row.integer(0), try row.integer(1)) }) {
            guard let sender = try people.key(number) else { continue }
            let did = before.membership.covers(sender, and: owner, at: time)
            let does = after.covers(sender, and: owner, at: time)
            if does, !did { shown += 1 }
            if did, !does { hidden += 1 }
        }
        waiting = max(0, waiting - Int64(shown) + Int64(hidden))
        if shown + hidden > 0 {
            batch.applied.effects.append(.recounted(entry.id, shown: shown, hidden: hidden))
        }
    }
}
