public import NostrCrypto
public import NostrEvents

/// Finds who follows the owner of an account: by follow lists with the owner in them, which relays keep in pages, and by asking for
/// the newest list of everybody found, because an old one says nothing.
///
/// It does no input or output and has no clock: each call takes the time in milliseconds, of any clock that only goes forward, and
/// returns what to send. What is missing sets ``isPartial``; nobody is taken for somebody who unfollowed because a relay failed.
public struct FollowerDiscovery: Sendable {
    /// Authors in one check.
    public static let checkSize = 50
    /// Checks at a time.
    public static let maximumChecks = 2
    /// Milliseconds for each query and relay.
    public static let timeout: Int64 = 10_000
    /// Milliseconds until a change of the visible rows counts.
    public static let debounce: Int64 = 100
    /// Visible rows that are followed live.
    public static let maximumVisible = 500
    /// Records that are kept.
    public static let maximumRecords = 50_000

    private enum Purpose: Sendable {
        case live, page(String), check, visible
    }

    private struct Open: Sendable {
        let query: Query
        let purpose: Purpose
        /// Relays that have not sent everything.
        var waiting: Set<String>
        let deadline: Int64?
        var ids: Set<EventID> = []
        var oldest: Int64?
    }

    private let owner: Bytes32
    private let names: QueryNames
    private var relays: Set<String> = []
    private var isOpen = false
    private var active: [String: Open] = [:]
    private var paging: [String: HistoryPaging] = [:]
    private var unchecked: [Bytes32] = []
    private var checked: Set<Bytes32> = []
    private var visible: Set<Bytes32> = []
    private var visibleAt: Int64?
    private var records: [Bytes32: FollowerRecord]
    /// Whether something is missing: a relay failed, or has more than can be asked for.
    public private(set) var isPartial = false

    /// - Parameters:
    ///   - records: What was stored.
    ///   - random: Gives 32 hexadecimal digits for a subscription id.
    public init(
        owner: Bytes32,
        records: [FollowerRecord] = [],
        random: @escaping @Sendable () -> String = { Hex.encode(SecureRandom.bytes(16)) }
    ) {
        self.owner = owner
        self.records = Dictionary(records.map { ($0.author, $0) }) { $0.version < $1.version ? $1 : $0 }
        names = QueryNames(random)
    }

    /// Those who follow the owner, the newest list first.
    public var followers: [FollowerRecord] {
        records.values.filter(\.followsOwner).sorted { $0.version > $1.version }
    }

    /// The record of one author, to be stored when ``receive(_:for:from:)`` has said that it changed.
    public func record(of author: Bytes32) -> FollowerRecord? { records[author] }

    /// All records, of those who follow no longer too, for storing.
    public var allRecords: [FollowerRecord] { Array(records.values) }

    /// Whether ``loadMore(now:)`` has something to ask for.
    public var canLoadMore: Bool {
        isOpen && relays.contains { !isPaging($0) && paging[$0]?.isFinished == false }
    }

    /// When ``advance(to:)`` has something to do; nil if nothing is waited for.
    public var nextDeadline: Int64? {
        (active.values.compactMap { $0.waiting.isEmpty ? nil : $0.deadline } + [visibleAt].compactMap(\.self)).min()
    }

    // MARK: What the caller wants

    /// Starts to look: for new lists from now on, and the first page of each relay's history.
    public mutating func open(relays: Set<String>, now: Int64) -> [QueryAction] {
        let closed = close()
        isOpen = true
        self.relays = relays
        return closed + restart(now)
    }

    /// Starts the history again, for a pull or after a reconnect.
    public mutating func refresh(now: Int64) -> [QueryAction] {
        guard isOpen else { return [] }
        return closeAll() + restart(now)
    }

    /// The next page of each relay that has more.
    public mutating func loadMore(now: Int64) -> [QueryAction] {
        guard isOpen else { return [] }
        return relays.sorted().flatMap { openPage($0, now) }
    }

    /// Says whose rows can be seen now: their lists are followed live.
    public mutating func show(_ authors: Set<Bytes32>, now: Int64) {
        guard isOpen else { return }
        visible = Set(authors.sorted().prefix(Self.maximumVisible))
        visibleAt = now + Self.debounce
    }

    /// Stops to look. Nothing that comes later counts.
    public mutating func close() -> [QueryAction] {
        isOpen = false
        visible = []
        relays = []
        return closeAll()
    }

    // MARK: What the relays say

    /// Takes a checked event.
    /// - Returns: Whether a record changed.
    public mutating func receive(_ event: Event, for query: String, from relay: String) -> Bool {
        guard isOpen, var open = active[query], relays.contains(relay), open.query.filter.matches(event),
            open.query.relay.map({ $0 == relay }) ?? true
        else { return false }
        if case .page = open.purpose {
            guard open.waiting.contains(relay), open.ids.count < open.query.filter.limit ?? 0 else { return false }
            open.ids.insert(event.id)
            open.oldest = min(open.oldest ?? event.createdAt, event.createdAt)
            active[query] = open
        }
        guard event.pubkey != owner else { return false }
        if case .page = open.purpose, checked.insert(event.pubkey).inserted { unchecked.append(event.pubkey) }
        return keep(FollowerRecord(event, owner: owner))
    }

    /// A relay has sent everything for a query (EOSE).
    public mutating func finish(_ query: String, from relay: String, now: Int64) -> [QueryAction] {
        guard var open = active[query], open.waiting.remove(relay) != nil else { return [] }
        active[query] = open
        if case .page(let relay) = open.purpose {
            paging[relay]?.finishPage(count: open.ids.count, oldest: open.oldest)
            if paging[relay]?.isCut == true { isPartial = true }
        }
        return finished(open) + startChecks(now)
    }

    /// A relay has refused a query (CLOSED).
    public mutating func fail(_ query: String, from relay: String, now: Int64) -> [QueryAction] {
        guard var open = active[query], open.query.relay.map({ $0 == relay }) ?? relays.contains(relay) else {
            return []
        }
        isPartial = true
        open.waiting.remove(relay)
        active[query] = open
        return finished(open) + startChecks(now)
    }

    /// A relay is there, again or for the first time.
    public mutating func connect(_ relay: String, now: Int64) -> [QueryAction] {
        guard isOpen, relays.insert(relay).inserted else { return [] }
        var actions: [QueryAction] = []
        for open in active.values.sorted(by: { $0.query.id < $1.query.id }) {
            switch open.purpose {
            case .live, .visible:
                var query = open.query
                query.relay = relay
                active[query.id]?.waiting.insert(relay)
                actions.append(.open(query))
            case .page, .check: break
            }
        }
        paging[relay] = HistoryPaging()
        return actions + openPage(relay, now)
    }

    /// A relay has gone: what it had not sent is missing.
    public mutating func disconnect(_ relay: String, now: Int64) -> [QueryAction] {
        guard isOpen, relays.contains(relay) else { return [] }
        let affected = active.values.filter { $0.waiting.contains(relay) }.map(\.query.id).sorted()
        let actions = affected.flatMap { fail($0, from: relay, now: now) }
        relays.remove(relay)
        paging[relay] = nil
        isPartial = true
        return actions
    }

    /// Lets time pass.
    public mutating func advance(to now: Int64) -> [QueryAction] {
        guard isOpen else { return [] }
        var actions: [QueryAction] = []
        let late = active.values.filter { open in open.deadline.map { $0 <= now } ?? false && !open.waiting.isEmpty }
        for open in late.sorted(by: { $0.query.id < $1.query.id }) {
            isPartial = true
            var open = open
            open.waiting = []
            active[open.query.id] = open
            actions += finished(open)
        }
        if let at = visibleAt, at <= now {
            visibleAt = nil
            actions += followVisible()
        }
        return actions + startChecks(now)
    }

    // MARK: How it goes on

    private mutating func restart(_ now: Int64) -> [QueryAction] {
        isPartial = false
        checked = []
        unchecked = []
        paging = [:]
        for relay in relays { paging[relay] = HistoryPaging() }
        let live = Query(
            id: names.name("linkstr-contact-new-"),
            relay: nil,
            filter: Filter(kinds: [.followList], tags: [.p: [owner.hex]], limit: 0)
        )
        if !visible.isEmpty { visibleAt = now + Self.debounce }
        return [open(live, .live, relays, deadline: nil)] + relays.sorted().flatMap { openPage($0, now) }
    }

    private mutating func open(
        _ query: Query,
        _ purpose: Purpose,
        _ relays: Set<String>,
        deadline: Int64?
    ) -> QueryAction {
        active[query.id] = Open(query: query, purpose: purpose, waiting: relays, deadline: deadline)
        return .open(query)
    }

    private func isPaging(_ relay: String) -> Bool {
        active.values.contains { if case .page(relay) = $0.purpose { true } else { false } }
    }

    private mutating func openPage(_ relay: String, _ now: Int64) -> [QueryAction] {
        guard let page = paging[relay], !page.isFinished, !isPaging(relay) else { return [] }
        let query = Query(
            id: names.name("linkstr-contacts-"),
            relay: relay,
            filter: Filter(kinds: [.followList], tags: [.p: [owner.hex]], until: page.until, limit: page.limit)
        )
        return [open(query, .page(relay), [relay], deadline: now + Self.timeout)]
    }

    private mutating func startChecks(_ now: Int64) -> [QueryAction] {
        var actions: [QueryAction] = []
        var running = active.values.count { if case .check = $0.purpose { true } else { false } }
        while isOpen, running < Self.maximumChecks, !unchecked.isEmpty, !relays.isEmpty {
            let authors = Set(unchecked.prefix(Self.checkSize))
            unchecked.removeFirst(authors.count)
            let query = Query(
                id: names.name("linkstr-contacts-"),
                relay: nil,
                filter: Filter(authors: authors, kinds: [.followList], limit: 2 * authors.count)
            )
            actions.append(open(query, .check, relays, deadline: now + Self.timeout))
            running += 1
        }
        return actions
    }

    private mutating func followVisible() -> [QueryAction] {
        let before = active.values.first { if case .visible = $0.purpose { true } else { false } }
        guard before?.query.filter.authors ?? [] != visible else { return [] }
        var actions: [QueryAction] = []
        if let before {
            active[before.query.id] = nil
            actions.append(.close(before.query))
        }
        guard !visible.isEmpty else { return actions }
        let query = Query(
            id: names.name("linkstr-contact-live-"),
            relay: nil,
            filter: Filter(authors: visible, kinds: [.followList], limit: 2 * visible.count)
        )
        return actions + [open(query, .visible, relays, deadline: nil)]
    }

    /// Pages and checks end when no relay is waited for; the others stay.
    private mutating func finished(_ open: Open) -> [QueryAction] {
        switch open.purpose {
        case .page, .check:
            guard open.waiting.isEmpty else { return [] }
            active[open.query.id] = nil
            return [.close(open.query)]
        case .live, .visible: return []
        }
    }

    private mutating func closeAll() -> [QueryAction] {
        let open = active.values.map(\.query).sorted { $0.id < $1.id }
        active = [:]
        visibleAt = nil
        unchecked = []
        return open.map(QueryAction.close)
    }

    private mutating func keep(_ record: FollowerRecord) -> Bool {
        if let known = records[record.author] {
            guard record.version > known.version else { return false }
        } else if records.count >= Self.maximumRecords {
            isPartial = true
            return false
        }
        records[record.author] = record
        return true
    }
}
