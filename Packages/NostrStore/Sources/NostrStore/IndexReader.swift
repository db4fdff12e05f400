import NostrCrypto
import NostrEvents
import SQLite

/// Finds events by their keys, in the tables and in memory together.
///
/// The memory part has to be taken before the first statement of the transaction: then what was merged meanwhile is found
/// twice, which is harmless, and never missed.
struct IndexReader {
    let connection: Connection
    let memory: Memtable
    let keys: IndexKeys

    /// Up to `count` entries under a key, in order, after `last` and no older than `oldest`.
    func entries(
        _ key: Int64,
        _ kind: Int32,
        after last: IndexEntry?,
        from first: Place,
        oldest: Int64,
        count: Int
    ) throws -> [IndexEntry] {
        let place = last?.place ?? first
        let row = last?.row ?? 0
        var found = try connection.all(
            """
            SELECT age, tie, row FROM index_key
            WHERE key = ?1 AND kind = ?2 AND (age, tie, row) > (?3, ?4, ?5) AND age <= ?6
            ORDER BY age, tie, row LIMIT ?7
            """,
            key,
            kind,
            place.age,
            place.tie,
            row,
            oldest,
            count
        ) { columns in
            IndexEntry(
                key: key,
                kind: kind,
                place: Place(age: try columns.integer(0), tie: try columns.get(1)),
                row: try columns.integer(2)
            )
        }
        let fromTables = found.count
        let lower = IndexEntry(key: key, kind: kind, place: place, row: row + 1)
        for part in memory.parts {
            part.entries.collect(
                from: lower,
                count: count,
                while: { $0.key == key && $0.kind == kind && $0.place.age <= oldest },
                into: &found
            )
        }
        if found.count == fromTables { return found }
        found.sort()
        var distinct: [IndexEntry] = []
        for entry in found where entry != distinct.last {
            distinct.append(entry)
            if distinct.count == count { break }
        }
        return distinct
    }

    /// The kinds that have entries under a key.
    func kinds(under key: Int64) throws -> [Int32] {
        var kinds: [Int32] = []
        var last: Int32 = -1
        while true {
            var next: Int32? = try connection.value(
                "SELECT kind FROM index_key WHERE key = ?1 AND kind > ?2 ORDER BY kind LIMIT 1",
                key,
                last
            )
            var found: [IndexEntry] = []
            let lower = IndexEntry(key: key, kind: last + 1, place: Place(age: .min, tie: .min), row: 0)
            for part in memory.parts {
                part.entries.collect(from: lower, count: 1, while: { $0.key == key }, into: &found)
            }
            for entry in found { next = min(next ?? entry.kind, entry.kind) }
            guard let next else { return kinds }
            kinds.append(next)
            last = next
        }
    }

    /// The rows that may hold the event with an id.
    func rows(of id: EventID) throws -> [Int64] {
        let key = keys.id(id)
        var rows = try connection.all("SELECT row FROM id_key WHERE key = ?1", key) { try $0.integer(0) }
        var found: [IndexEntry] = []
        for part in memory.parts {
            part.ids.collect(from: .id(key, row: 0), count: 8, while: { $0.key == key }, into: &found)
        }
        for entry in found where !rows.contains(entry.row) { rows.append(entry.row) }
        return rows
    }

    /// The row of the event with an id, if it is stored.
    func row(of id: EventID) throws -> Int64? {
        for row in try rows(of: id) where try head(row)?.id == id { return row }
        return nil
    }

    /// What a row holds, without tags and content; nil if the event is gone.
    func head(_ row: Int64) throws -> PackedEvent? {
        try body(row) { packed, _ in packed }
    }

    /// The event in a row; nil if it is gone.
    func event(_ row: Int64) throws -> WireEvent? {
        try body(row) { packed, bytes in try Self.event(packed, bytes, row) }
    }

    /// What `read` makes of the bytes in a row; nil if the event is gone, or if it is about to go.
    func body<Result>(
        _ row: Int64,
        evenVanishing: Bool = false,
        _ read: (PackedEvent, UnsafeRawBufferPointer) throws -> Result?
    ) throws -> Result? {
        let found = try connection.first("SELECT body FROM event WHERE row = ?1", row) { columns in
            try columns.withBytes(0) { span in
                try span.withUnsafeBytes { bytes -> Result? in
                    guard let packed = PackedEvent(bytes) else { throw StoreError.damagedEvent(row: row) }
                    if !evenVanishing, try isVanishing(packed, bytes, row) { return nil }
                    return try read(packed, bytes)
                }
            }
        }
        return found ?? nil
    }

    /// Whether the event is to be deleted because its author, or the addressee of a gift wrap, vanished.
    func isVanishing(_ packed: PackedEvent, _ bytes: UnsafeRawBufferPointer, _ row: Int64) throws -> Bool {
        if memory.vanishing.isEmpty { return false }
        func goes(_ key: Bytes32) -> Bool {
            memory.vanishing[key].map { packed.createdAt <= $0.time && packed.id != $0.request } ?? false
        }
        if goes(packed.pubkey) { return true }
        guard packed.kind == .giftWrap else { return false }
        return try Self.event(packed, bytes, row).tags.values(named: "p").contains { value in
            (try? Bytes32(hex: value)).map(goes) ?? false
        }
    }

    /// The event in a row, if it matches the filter, has not expired, and is one of those that `belongs` takes.
    func match(
        _ row: Int64,
        _ filter: Filter,
        now: Int64,
        wantsEvent: Bool,
        where belongs: (PackedEvent) -> Bool
    ) throws -> Match? {
        try body(row) { packed, bytes in
            guard !packed.hasExpired(at: now), packed.matches(filter), belongs(packed) else { return nil }
            guard wantsEvent || !filter.tags.isEmpty else {
                return Match(createdAt: packed.createdAt, id: packed.id, event: nil, size: bytes.count)
            }
            let event = try Self.event(packed, bytes, row)
            guard filter.matches(event) else { return nil }
            return Match(createdAt: packed.createdAt, id: packed.id, event: wantsEvent ? event : nil, size: bytes.count)
        }
    }

    static func event(_ packed: PackedEvent, _ bytes: UnsafeRawBufferPointer, _ row: Int64) throws -> WireEvent {
        do throws(EventError) {
            return try WireEvent(json: packed.json(bytes), limits: storedLimits)
        } catch {
            throw StoreError.damagedEvent(row: row)
        }
    }

    // What was stored was within the limits of that time.
    private static let storedLimits = EventLimits(
        size: .max,
        contentSize: .max,
        tags: .max,
        tagsOfKind: [:]
    )
}
