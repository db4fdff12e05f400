import NostrEvents
import NostrStore
import SQLite

/// A request that is answered from the database part by part. A value: each part gives the query for the next.
struct StoredQuery: Sendable {
    /// A part of the answer.
    struct Part: Sendable {
        var messages: [[UInt8]] = []
        var ids: [EventID] = []
        /// Set after the last part.
        var end: EndOfStoredEventsHints?
    }

    private let filters: [Filter]
    private let rights: ReadRights
    private let needsCheck: Bool
    private let head: [UInt8]
    private let patience: Duration
    /// When the next event has to be found, set while none was.
    private var deadline: ContinuousClock.Instant?
    /// Where one filter is asked for: how many events it still gets, beyond which one more tells that there are more.
    private var remaining: Int?
    private var state: QueryState?
    private var sent = 0
    private var isCut = false
    private var partSize = StoredQuery.firstPart

    /// The first part is small so that it comes soon.
    private static let firstPart = 32
    private static let mostEvents = 256
    /// A part is fetched when the client has read the one before, so this is about what a client that does not read costs.
    private static let partBytes = 128 << 10

    init(
        _ filters: [Filter],
        for subscription: SubscriptionID,
        rights: ReadRights,
        needsCheck: Bool,
        limits: RelayLimits
    ) {
        self.rights = rights
        self.needsCheck = needsCheck
        head = Shard.head(subscription)
        patience = limits.queryTime
        let limited = filters.map { filter in
            var filter = filter
            filter.limit = min(max(0, filter.limit ?? .max), limits.eventsPerFilter)
            return filter
        }
        if limited.count == 1, limited[0].search == nil, let limit = limited[0].limit, limit > 0 {
            remaining = limit
            var only = limited[0]
            // Events that the client may not see do not count, so their number is not known beforehand.
            only.limit = needsCheck ? nil : limit + 1
            self.filters = [only]
        } else {
            self.filters = limited.filter { $0.limit != 0 }
        }
    }

    /// Whether nothing was fetched yet.
    var isFirst: Bool { partSize == Self.firstPart }

    /// Fetches the next part, off the loop.
    func next(from store: EventStore) async throws(StoreError) -> (part: Part, query: StoredQuery) {
        var query = self
        var part = Part()
        guard !filters.isEmpty else {
            part.end = []
            return (part, query)
        }
        let deadline = deadline ?? .now + patience
        if deadline <= .now { throw .database(.deadlineExceeded) }
        let page = try await store.page(
            matching: filters,
            from: state,
            count: partSize,
            bytes: Self.partBytes,
            deadline: deadline
        )
        for event in page.events {
            if needsCheck, !rights.mayRead(event) { continue }
            if query.remaining == 0 {
                query.isCut = true
                break
            }
            query.remaining = query.remaining.map { $0 - 1 }
            var message = head
            event.appendJSON(to: &message)
            message.append(UInt8(ascii: "]"))
            part.messages.append(message)
            part.ids.append(event.id)
        }
        query.deadline = part.messages.isEmpty ? deadline : nil
        query.sent += part.messages.count
        query.state = page.next
        query.partSize = Self.mostEvents
        if query.isCut || page.next == nil { part.end = query.hints }
        return (part, query)
    }

    /// What is known about events that were not sent (NIP-67).
    private var hints: EndOfStoredEventsHints {
        if remaining != nil || isCut { return isCut ? .more : .finish }
        // With several filters nobody knows which one has reached its limit, unless none can have.
        let least = filters.compactMap(\.limit).min() ?? 0
        return sent < least && filters.allSatisfy { $0.search == nil } ? .finish : []
    }
}
