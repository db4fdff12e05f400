import NostrCrypto
import NostrEvents

/// The entries of a key and a kind.
struct KeyList: Hashable {
    let key: Int64
    let kind: Int32
}

/// The way to the events of a filter.
enum FilterPlan {
    /// By their ids.
    case ids([EventID])
    /// By walking lists which together hold every match.
    case lists([KeyList])
    /// There can be no match.
    case nothing

    /// Chooses the way on which the fewest entries have to be looked at.
    init(_ filter: Filter, _ reader: IndexReader, from newest: Place, oldest: Int64) throws {
        guard newest.age <= oldest, filter.kinds?.isEmpty != true, filter.authors?.isEmpty != true,
            filter.ids?.isEmpty != true, !filter.tags.values.contains(where: \.isEmpty)
        else {
            self = .nothing
            return
        }
        if let ids = filter.ids {
            self = .ids(Array(ids))
            return
        }
        var ways: [[Int64]] = []
        for (letter, values) in filter.tags { ways.append(values.map { reader.keys.tag(letter, $0) }) }
        if let authors = filter.authors { ways.append(authors.map { reader.keys.author($0) }) }
        guard !ways.isEmpty else {
            guard let kinds = filter.kinds else {
                self = .lists([KeyList(key: IndexKeys.all, kind: 0)])
                return
            }
            self = .lists(kinds.map { KeyList(key: IndexKeys.kind, kind: Int32($0.rawValue)) })
            return
        }
        // Several ways: look how long their lists are, further each time they all turn out long.
        var lists = try ways.map { try Self.lists($0, filter.kinds, reader) }
        for depth in [32, 1_024] where lists.count > 1 {
            let lengths = try lists.map { try Self.length($0, reader, newest, oldest, depth) }
            let shortest = lengths.min() ?? 0
            lists = zip(lists, lengths).filter { $0.1 == shortest }.map(\.0)
            if shortest < depth { break }
        }
        self = .lists(lists.first ?? [])
    }

    /// The lists of some keys, for all kinds that are asked for or stored.
    static func lists(
        _ keys: [Int64],
        _ kinds: Set<Kind>?,
        _ reader: IndexReader
    ) throws -> [KeyList] {
        // For a few kinds asking for each costs less than finding out which there are.
        if let kinds, kinds.count <= 4 {
            return keys.flatMap { key in kinds.map { KeyList(key: key, kind: Int32($0.rawValue)) } }
        }
        var lists: [KeyList] = []
        for key in keys {
            for kind in try reader.kinds(under: key) {
                if let kinds {
                    guard let number = UInt16(exactly: kind), kinds.contains(Kind(rawValue: number)) else { continue }
                }
                lists.append(KeyList(key: key, kind: kind))
            }
        }
        return lists
    }

    /// How many entries the lists have together, estimated from some of them, counted no further than `depth`.
    private static func length(
        _ lists: [KeyList],
        _ reader: IndexReader,
        _ newest: Place,
        _ oldest: Int64,
        _ depth: Int
    ) throws -> Int {
        let samples = lists.prefix(16)
        guard !samples.isEmpty else { return 0 }
        var count = 0
        for list in samples {
            let rest = depth - count
            guard rest > 0 else { return depth }
            count += try reader.entries(list.key, list.kind, after: nil, from: newest, oldest: oldest, count: rest)
                .count
        }
        return min(depth, count * lists.count / samples.count)
    }
}
