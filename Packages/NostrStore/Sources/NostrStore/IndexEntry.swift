import NostrCrypto
import NostrEvents

/// Where an event stands in the order of NIP-01: newest first, at the same time lowest id first.
///
/// The id counts with its first 24 bits; where those are equal too the events themselves decide.
struct Place: Hashable, Comparable, Sendable {
    /// The negated time, so that everything sorts upward.
    var age: Int64
    /// The first 24 bits of the id, shifted into a signed number: SQLite stores that in three bytes.
    var tie: Int32

    init(age: Int64, tie: Int32) {
        self.age = age
        self.tie = tie
    }

    init(_ createdAt: Int64, _ id: EventID) {
        age = -createdAt
        let first = UInt64(bigEndian: id.bytes.words.0) >> 40
        tie = Int32(truncatingIfNeeded: first) - (1 << 23)
    }

    /// The place's last possible event.
    var last: QueryPosition {
        let prefix = UInt64(Int64(tie) + (1 << 23)) << 40
        let id = Bytes32(words: (prefix | ((1 << 40) - 1)).bigEndian, .max, .max, .max)
        return QueryPosition(createdAt: -age, id: EventID(id))
    }

    static func < (a: Place, b: Place) -> Bool {
        a.age != b.age ? a.age < b.age : a.tie < b.tie
    }
}

/// One entry of the index: an event under one of its keys. All indexes but that of the ids are one table.
struct IndexEntry: Hashable, Comparable, Sendable {
    let key: Int64
    let kind: Int32
    let place: Place
    let row: Int64

    static func < (a: IndexEntry, b: IndexEntry) -> Bool {
        if a.key != b.key { return a.key < b.key }
        if a.kind != b.kind { return a.kind < b.kind }
        if a.place != b.place { return a.place < b.place }
        return a.row < b.row
    }

    /// An event under its id.
    static func id(_ key: Int64, row: Int64) -> IndexEntry {
        IndexEntry(key: key, kind: 0, place: Place(age: 0, tie: 0), row: row)
    }
}

/// Entries in order, made for many insertions: a short array takes them, which now and then goes into a longer one, and that
/// into the longest. A copy that readers hold costs the writer no more than the short one.
struct SortedEntries: Sendable {
    private var long: [IndexEntry]
    private var middle: [IndexEntry] = []
    private var short: [IndexEntry] = []

    // Moving this much costs less than finding the place.
    private static let shortCount = 128
    private static let middleCount = 4_096

    var count: Int { long.count + middle.count + short.count }

    mutating func insert(_ entry: IndexEntry) {
        short.insert(entry, at: Self.firstIndex(short, notBelow: entry))
        guard short.count >= Self.shortCount else { return }
        middle = Self.merged(middle, short)
        short = []
        guard middle.count >= Self.middleCount else { return }
        long = Self.merged(long, middle)
        middle = []
    }

    /// Everything in order.
    var all: [IndexEntry] { Self.merged(long, Self.merged(middle, short)) }

    /// Sorts many at once.
    init(_ entries: [IndexEntry] = []) {
        long = entries.sorted()
    }

    /// Takes entries that are in order.
    init(sorted entries: [IndexEntry]) {
        long = entries
    }

    private static func merged(_ first: [IndexEntry], _ second: [IndexEntry]) -> [IndexEntry] {
        if first.isEmpty { return second }
        if second.isEmpty { return first }
        return [IndexEntry](unsafeUninitializedCapacity: first.count + second.count) { buffer, count in
            var (a, b) = (0, 0)
            while a < first.count, b < second.count {
                if first[a] < second[b] {
                    buffer.initializeElement(at: a + b, to: first[a])
                    a += 1
                } else {
                    buffer.initializeElement(at: a + b, to: second[b])
                    b += 1
                }
            }
            while a < first.count {
                buffer.initializeElement(at: a + b, to: first[a])
                a += 1
            }
            while b < second.count {
                buffer.initializeElement(at: a + b, to: second[b])
                b += 1
            }
            count = a + b
        }
    }

    /// Appends up to `count` entries not below `lower` for which `belongs` holds, from each array.
    func collect(
        from lower: IndexEntry,
        count: Int,
        while belongs: (IndexEntry) -> Bool,
        into result: inout [IndexEntry]
    ) {
        for part in [long, middle, short] {
            let start = Self.firstIndex(part, notBelow: lower)
            for entry in part[start...].prefix(count) {
                guard belongs(entry) else { break }
                result.append(entry)
            }
        }
    }

    private static func firstIndex(_ entries: [IndexEntry], notBelow entry: IndexEntry) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle] < entry { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
