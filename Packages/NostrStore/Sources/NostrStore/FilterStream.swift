import NostrEvents
import SQLite

/// A stored event that matches.
struct Match {
    let createdAt: Int64
    let id: EventID
    /// The event, where events are wanted.
    let event: WireEvent?
    /// Bytes of the event as it is stored.
    let size: Int

    var place: Place { Place(createdAt, id) }
}

/// The events of one filter, newest first, fetched as they are asked for.
final class FilterStream {
    private struct List {
        let key: Int64
        let kind: Int32
        var entries: ArraySlice<IndexEntry> = []
        var last: IndexEntry?
        var pageSize = 8
        var isExhausted = false
    }

    private let filter: Filter
    private let reader: IndexReader
    private let now: Int64
    private let start: QueryPosition?
    private let wantsEvents: Bool
    private let first: Place
    private let oldest: Int64

    private var lists: [List] = []
    /// Indices of lists that have entries, as a heap by their next entry.
    private var heap: [Int] = []
    /// Candidates by id, sorted so that the next one is last.
    private var known: [(place: Place, id: EventID, row: Int64)] = []
    /// Events at one place in the order, sorted so that the next one is last.
    private var tied: [Match] = []
    /// How many are still wanted.
    private(set) var remaining: Int
    /// Where it has stopped because it has looked at as many events as it may; the place itself is done with.
    private(set) var pausedAt: Place?
    private let budget: Int
    private var looked = 0
    private var lastPlace: Place?

    init(
        _ filter: Filter,
        _ reader: IndexReader,
        now: Int64,
        after start: QueryPosition?,
        remaining: Int,
        budget: Int,
        wantsEvents: Bool
    ) throws {
        self.filter = filter
        self.reader = reader
        self.now = now
        self.start = start
        self.remaining = remaining
        self.budget = budget
        self.wantsEvents = wantsEvents
        let newest = Place(age: filter.until.map { -max($0, 0) } ?? .min, tie: .min)
        first = max(newest, start?.place ?? newest)
        oldest = filter.since.map { -max($0, 0) } ?? 0
        guard remaining > 0, (filter.until ?? 0) >= 0 else { return }
        switch try FilterPlan(filter, reader, from: first, oldest: oldest) {
        case .nothing: break
        case .ids(let ids): try find(ids)
        case .lists(let plan):
            lists = plan.map { List(key: $0.key, kind: $0.kind) }
            for index in lists.indices {
                try fill(index)
                if !lists[index].entries.isEmpty { push(index) }
            }
        }
    }

    /// The next event; nil after the last, when as many as wanted were given, or when it pauses.
    func next() throws -> Match? {
        guard remaining > 0, pausedAt == nil else { return nil }
        while tied.isEmpty {
            // At least one place further, or whoever goes on would come here again.
            if looked >= budget, let lastPlace, lastPlace != start?.place, peek() != nil {
                pausedAt = lastPlace
                return nil
            }
            guard try gatherTied() else { return nil }
        }
        remaining -= 1
        return tied.popLast()
    }

    /// Collects the events at the next place, usually one, or none if it is gone; false after the last place.
    private func gatherTied() throws -> Bool {
        guard let place = peek()?.place else { return false }
        lastPlace = place
        var lastRow: Int64?
        while let (next, row) = peek(), next == place {
            try drop()
            guard row != lastRow else { continue }
            lastRow = row
            looked += 1
            if looked.isMultiple(of: 64) { try reader.connection.checkLimits() }
            if let match = try match(row), !tied.contains(where: { $0.id == match.id }) { tied.append(match) }
        }
        if tied.count > 1 { tied.sort { $0.id > $1.id } }
        return true
    }

    private func match(_ row: Int64) throws -> Match? {
        try reader.match(row, filter, now: now, wantsEvent: wantsEvents) { packed in
            start?.isBefore(packed.createdAt, packed.id) ?? true
        }
    }

    // MARK: Where the next candidate comes from

    private func find(_ ids: [EventID]) throws {
        for id in ids {
            for row in try reader.rows(of: id) {
                guard let head = try reader.head(row), head.id == id else { continue }
                known.append((Place(head.createdAt, id), id, row))
            }
        }
        known.sort { $0.place != $1.place ? $0.place > $1.place : $0.id > $1.id }
    }

    private func peek() -> (place: Place, row: Int64)? {
        if let next = known.last { return (next.place, next.row) }
        guard let index = heap.first, let entry = lists[index].entries.first else { return nil }
        return (entry.place, entry.row)
    }

    private func drop() throws {
        if known.popLast() != nil { return }
        guard let index = heap.first else { return }
        lists[index].entries.removeFirst()
        if lists[index].entries.isEmpty { try fill(index) }
        if lists[index].entries.isEmpty {
            heap[0] = heap[heap.count - 1]
            heap.removeLast()
        }
        siftDown()
    }

    private func fill(_ index: Int) throws {
        guard !lists[index].isExhausted else { return }
        let list = lists[index]
        let page = try reader.entries(
            list.key,
            list.kind,
            after: list.last,
            from: first,
            oldest: oldest,
            count: list.pageSize
        )
        lists[index].isExhausted = page.count < list.pageSize
        lists[index].last = page.last
        lists[index].entries = page[...]
        lists[index].pageSize = min(list.pageSize * 4, 512)
    }

    private func isBefore(_ a: Int, _ b: Int) -> Bool {
        guard let first = lists[a].entries.first, let second = lists[b].entries.first else { return false }
        return first.place != second.place ? first.place < second.place : first.row < second.row
    }

    private func push(_ index: Int) {
        heap.append(index)
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(heap[child], heap[parent]) else { return }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    private func siftDown() {
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && isBefore(heap[child], heap[smallest]) {
                smallest = child
            }
            if smallest == parent { return }
            heap.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
