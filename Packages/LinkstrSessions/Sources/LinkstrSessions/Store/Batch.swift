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
        /// Something that changed them came live.
        var isLive = false
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

    mutating func widen(_ entry: SessionEntry, from: Int64, upTo: Int64?, by source: Source) {
        guard var known = before[entry.id] else { return }
        if source == .live { known.isLive = true }
        known.from = min(known.from, from)
        known.upTo = max(known.upTo, upTo ?? .max)
        before[entry.id] = known
    }
}

extension StoreEngine {
    /// Says what the batch did and writes the rows of the sessions that it changed.
    func finish(_ batch: inout Batch) throws {
        for post in batch.posts {
            if post.entry.counts(post.sender, at: post.time) {
                batch.applied.effects.append(.posted(post.entry.id, post.post, by: post.sender, post.delivery))
            } else if !isRestoring {
                try connection.execute(
                    "UPDATE fact SET flags = flags | ?2 WHERE row = ?1",
                    post.row,
                    FactRow.Flags.untold.rawValue
                )
            }
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

    /// Tells of the posts that were here and count for the first time, and how many others changed their answer.
    private func recount(_ before: Batch.Before, _ batch: inout Batch) throws {
        let entry = before.entry
        let after = entry.membership
        guard before.from < before.upTo, entry.newestRoot >= before.from else { return }
        var (shown, hidden) = (0, 0)
        var changed: [(row: Int64, sender: Bytes32, counts: Bool)] = []
        let cursor = try connection.cursor(
            """
            SELECT time, sender, row FROM temp.recent_feed WHERE session = ?1 AND time >= ?2 AND time < ?3 AND row < ?4
            UNION ALL
            SELECT time, sender, row FROM feed_key WHERE session = ?1 AND time >= ?2 AND time < ?3 AND row < ?4
            """,
            entry.number,
            before.from,
            before.upTo,
            batch.firstRow
        )
        while let (time, number, row) = try cursor.next({ row in
            (try row.integer(0), try row.integer(1), try row.integer(2))
        }) {
            guard let sender = try people.key(number) else { continue }
            let did = before.membership.covers(sender, and: owner, at: time)
            let does = after.covers(sender, and: owner, at: time)
            guard did != does else { continue }
            if does { shown += 1 } else { hidden += 1 }
            // A restore may bring very many posts before their session: they are told in one number.
            if !isRestoring { changed.append((row, sender, does)) }
        }
        waiting = max(0, waiting - Int64(shown) + Int64(hidden))
        for post in changed {
            guard let fact = try fact(row: post.row), fact.flags.contains(.untold) else { continue }
            try connection.execute(
                "UPDATE fact SET flags = ?2 WHERE row = ?1",
                post.row,
                fact.flags.subtracting(.untold).rawValue
            )
            guard post.counts else { continue }
            shown -= 1
            // What counts as read already is no news, however the list came.
            let isLive = before.isLive && fact.flags.contains(.unread)
            let delivery = delivery(of: post.sender, at: fact.moment.time, isLive: isLive, in: entry, now: batch.now)
            batch.applied.effects.append(.posted(entry.id, fact.moment.id, by: post.sender, delivery))
        }
        if shown + hidden > 0 {
            batch.applied.effects.append(.recounted(entry.id, shown: shown, hidden: hidden))
        }
    }
}
