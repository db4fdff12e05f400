import SQLite

/// A merge under way: keys in order, of which the first are in the tables.
struct Merge {
    let entries: [IndexEntry]
    let ids: [IndexEntry]
    /// The last row of which keys are merged.
    let lastRow: Int64
    var done = 0
}

extension Writer {
    /// Makes the keys in memory the next to be merged, unless a merge is under way.
    func freeze() {
        guard state.merge == nil, state.memory.active.count > 0 else { return }
        let entries = state.memory.active.entries.all
        let ids = state.memory.active.ids.all
        state.memory.frozen = Memtable.Part(entries: SortedEntries(sorted: entries), ids: SortedEntries(sorted: ids))
        state.memory.active = Memtable.Part()
        let lastRow = state.nextRow - 1
        state.merge = Merge(entries: entries, ids: ids, lastRow: lastRow)
        state.inTables = max(state.inTables, lastRow)
    }

    /// Puts up to `count` keys into the tables. To be called in a transaction.
    func mergeSlice(_ count: Int) throws {
        guard var merge = state.merge else { return }
        let end = min(merge.done + count, merge.entries.count + merge.ids.count)
        for index in merge.done..<end {
            if index < merge.entries.count {
                let entry = merge.entries[index]
                guard !state.removed.contains(entry.row) else { continue }
                try connection.execute(
                    "INSERT OR IGNORE INTO index_key(key, kind, age, tie, row) VALUES (?1, ?2, ?3, ?4, ?5)",
                    entry.key,
                    entry.kind,
                    entry.place.age,
                    entry.place.tie,
                    entry.row
                )
            } else {
                let entry = merge.ids[index - merge.entries.count]
                guard !state.removed.contains(entry.row) else { continue }
                try connection.execute(
                    "INSERT OR IGNORE INTO id_key(key, row) VALUES (?1, ?2)",
                    entry.key,
                    entry.row
                )
            }
        }
        merge.done = end
        if end < merge.entries.count + merge.ids.count {
            state.merge = merge
            return
        }
        try connection.execute("UPDATE meta SET indexed_up_to = ?1", merge.lastRow)
        state.memory.frozen = nil
        state.merge = nil
        state.removed = state.removed.filter { $0 > merge.lastRow }
    }
}
