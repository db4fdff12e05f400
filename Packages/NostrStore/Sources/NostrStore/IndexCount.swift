import NostrEvents
import SQLite

extension IndexReader {
    /// How many events match a filter that names no more than one key of the index decides, counted without reading them;
    /// nil for other filters, and where too much is in between that only the events themselves can tell.
    ///
    /// The keys of 48 bits are not compared with the events here: with a million different keys stored, the chance that the
    /// count of one takes another in is four in a thousand million, and nobody can bring it about without the secret.
    func count(_ filter: Filter, now: Int64) throws -> Int? {
        guard memory.vanishing.isEmpty, let lists = try countedLists(filter) else { return nil }
        let newest = filter.until.map { -max($0, 0) } ?? .min
        let oldest = filter.since.map { -max($0, 0) } ?? 0
        guard newest <= oldest, (filter.until ?? 0) >= 0 else { return 0 }
        // Keys of later rows are in memory, and a part of them may be in the table as well.
        let indexed: Int64 = try connection.value("SELECT indexed_up_to FROM meta") ?? 0
        guard let expired = try expiredRows(upTo: indexed, now: now) else { return nil }
        var count = 0
        for row in expired where try match(row, filter, now: .min, wantsEvent: false, where: { _ in true }) != nil {
            count -= 1
        }
        for list in lists {
            try connection.checkLimits()
            count +=
                try connection.value(
                    """
                    SELECT count(*) FROM index_key
                    WHERE key = ?1 AND kind = ?2 AND age BETWEEN ?3 AND ?4 AND row <= ?5
                    """,
                    list.key,
                    list.kind,
                    newest,
                    oldest,
                    indexed
                ) ?? 0
            var waiting: [IndexEntry] = []
            let lower = IndexEntry(key: list.key, kind: list.kind, place: Place(age: newest, tie: .min), row: 0)
            for part in memory.parts {
                part.entries.collect(
                    from: lower,
                    count: .max,
                    while: { $0.key == list.key && $0.kind == list.kind && $0.place.age <= oldest },
                    into: &waiting
                )
            }
            for entry in waiting where entry.row > indexed {
                if try match(entry.row, filter, now: now, wantsEvent: false, where: { _ in true }) != nil { count += 1 }
            }
        }
        return count
    }

    /// The lists in which every match of a filter stands exactly once, and nothing else; nil if there are no such lists.
    private func countedLists(_ filter: Filter) throws -> [KeyList]? {
        guard filter.ids == nil, filter.search == nil else { return nil }
        let keys: [Int64]
        switch (filter.authors, filter.tags.count) {
        case (nil, 0):
            guard let kinds = filter.kinds else { return [KeyList(key: IndexKeys.all, kind: 0)] }
            return kinds.map { KeyList(key: IndexKeys.kind, kind: Int32($0.rawValue)) }
        case (let authors?, 0): keys = authors.map { self.keys.author($0) }
        case (nil, 1):
            // An event may have several values, and would be counted with each.
            guard let (letter, values) = filter.tags.first, values.count == 1, let value = values.first else {
                return nil
            }
            keys = [self.keys.tag(letter, value)]
        default: return nil
        }
        guard Set(keys).count == keys.count else { return nil }
        return try FilterPlan.lists(keys, filter.kinds, self)
    }

    /// Rows whose keys are in the table and that have expired but are not deleted yet; nil if they are many.
    private func expiredRows(upTo indexed: Int64, now: Int64) throws -> [Int64]? {
        let most = 256
        let rows = try connection.all(
            "SELECT row FROM expiry WHERE time <= ?1 AND row <= ?2 LIMIT ?3",
            now,
            indexed,
            most + 1
        ) { try $0.integer(0) }
        return rows.count > most ? nil : rows
    }
}
