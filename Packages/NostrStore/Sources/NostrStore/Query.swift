import NostrEvents

/// A place in the answer to a query: behind the event with this time and id.
struct QueryPosition: Hashable, Sendable {
    /// Seconds since 1970.
    let createdAt: Int64
    let id: EventID

    var place: Place { Place(createdAt, id) }

    /// Whether an event comes after this place: it is older, or of the same time with a higher id.
    func isBefore(_ createdAt: Int64, _ id: EventID) -> Bool {
        createdAt != self.createdAt ? createdAt < self.createdAt : id > self.id
    }
}

/// Where a query that was answered in part goes on.
public struct QueryState: Hashable, Sendable {
    let position: QueryPosition?
    /// For each filter, how many events it may still give.
    let remaining: [Int]
    /// What was found by searching and has not been given yet; nil before the search.
    let found: ArraySlice<Finding>?
    /// All events that were found by searching; they come first, out of order.
    let searched: Set<EventID>

    static func start(_ filters: [Filter]) -> QueryState {
        QueryState(position: nil, remaining: filters.map { max(0, $0.limit ?? .max) }, found: nil, searched: [])
    }
}

/// Several filters, one of which an event has to match.
///
/// What searches (NIP-50) comes first, best match first; then the others, newest first. No event comes twice.
struct Query {
    private let filters: [Filter]
    private let reader: IndexReader
    private let now: Int64
    private let wantsEvents: Bool
    private var found: ArraySlice<Finding>
    private var searched: Set<EventID>
    private var streams: [FilterStream?] = []
    private var heads: [Match?] = []
    private var position: QueryPosition?

    init(
        _ filters: [Filter],
        _ reader: IndexReader,
        now: Int64,
        from state: QueryState,
        budget: Int = .max,
        wantsEvents: Bool = true
    ) throws {
        self.filters = filters
        self.reader = reader
        self.now = now
        self.wantsEvents = wantsEvents
        found = state.found ?? []
        searched = state.searched
        position = state.position
        for (number, (filter, remaining)) in zip(filters, state.remaining).enumerated() {
            if let query = filter.search.flatMap(SearchIndex.query) {
                if state.found == nil {
                    let findings = try reader.search(filter, number: number, query, now: now, remaining: remaining)
                    found.append(contentsOf: findings.filter { searched.insert($0.id).inserted })
                }
                streams.append(nil)
                heads.append(nil)
                continue
            }
            let stream = try FilterStream(
                filter,
                reader,
                now: now,
                after: state.position,
                remaining: remaining,
                budget: max(1, budget / filters.count),
                wantsEvents: wantsEvents
            )
            streams.append(stream)
            heads.append(try stream.next())
        }
    }

    /// The next event; nil after the last, or when one of the filters has looked at as many events as `budget` allows: then
    /// ``state`` tells where to go on.
    mutating func next() throws -> Match? {
        while let finding = found.popFirst() {
            // It may have gone since it was found.
            let match = try reader.match(finding.row, filters[finding.filter], now: now, wantsEvent: wantsEvents) {
                $0.id == finding.id
            }
            if let match { return match }
        }
        while let best = newest() {
            if let pausedAt, best.place > pausedAt { return nil }
            for index in heads.indices where heads[index]?.id == best.id { heads[index] = try streams[index]?.next() }
            guard !searched.contains(best.id) else { continue }
            position = QueryPosition(createdAt: best.createdAt, id: best.id)
            return best
        }
        return nil
    }

    /// Beyond this place not every filter has looked.
    private var pausedAt: Place? { streams.compactMap { $0?.pausedAt }.min() }

    private func newest() -> Match? {
        var best: Match?
        for case let head? in heads {
            guard let current = best else {
                best = head
                continue
            }
            if QueryPosition(createdAt: head.createdAt, id: head.id).isBefore(current.createdAt, current.id) {
                best = head
            }
        }
        return best
    }

    /// Where to go on after what was given; nil if it was everything.
    var state: QueryState? {
        let pausedAt = pausedAt
        guard !found.isEmpty || pausedAt != nil || heads.contains(where: { $0 != nil }) else { return nil }
        // An event that waits at the head of a stream was counted but not given.
        let remaining = zip(streams, heads).map { ($0?.remaining ?? 0) + ($1 == nil ? 0 : 1) }
        var position = position
        if found.isEmpty, let pausedAt, newest().map({ $0.place > pausedAt }) ?? true { position = pausedAt.last }
        return QueryState(position: position, remaining: remaining, found: found, searched: searched)
    }
}
