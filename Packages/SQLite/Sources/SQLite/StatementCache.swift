internal import CSQLite

/// Prepared statements that are not in use, to be used again.
struct StatementCache {
    private struct Entry {
        var statements: [OpaquePointer]
        var used: UInt64
    }

    private let limit: Int
    private var entries: [SQL: Entry] = [:]
    private var count = 0
    private var clock: UInt64 = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a statement out, if one is there.
    mutating func take(_ sql: SQL) -> OpaquePointer? {
        guard let index = entries.index(forKey: sql), let statement = entries.values[index].statements.popLast() else {
            return nil
        }
        count -= 1
        return statement
    }

    /// Keeps a statement that is reset; the one that was not used for longest makes room.
    mutating func give(_ statement: OpaquePointer, _ sql: SQL) {
        clock &+= 1
        if let index = entries.index(forKey: sql) {
            entries.values[index].statements.append(statement)
            entries.values[index].used = clock
        } else {
            entries[sql] = Entry(statements: [statement], used: clock)
        }
        count += 1
        if count > limit { evict() }
    }

    private mutating func evict() {
        let candidates = entries.lazy.filter { !$0.value.statements.isEmpty }
        guard let oldest = candidates.min(by: { $0.value.used < $1.value.used })?.key else { return }
        sqlite3_finalize(entries[oldest]?.statements.popLast())
        if entries[oldest]?.statements.isEmpty == true { entries[oldest] = nil }
        count -= 1
    }

    mutating func removeAll() {
        for entry in entries.values {
            for statement in entry.statements { sqlite3_finalize(statement) }
        }
        entries = [:]
        count = 0
    }
}
