public import NostrCrypto

/// What a client asks a relay for (NIP-01). An event matches if it meets every condition that is there; a condition
/// that is nil is met by all, a list without values by none.
///
/// ```swift
/// var filter = Filter(authors: [author], kinds: [.textNote], since: yesterday, limit: 100)
/// filter.tags[.t] = ["nostr"]
/// filter.matches(event)
/// ```
public struct Filter: Sendable, Equatable {
    /// Ids, whole ones.
    public var ids: Set<EventID>?
    /// Public keys, as 32 bytes each. They need not be on the curve.
    public var authors: Set<Bytes32>?
    /// Kinds of events.
    public var kinds: Set<Kind>?
    /// For each letter the values of which an event's tags must have one.
    public var tags: [TagLetter: TagValues]
    /// Seconds since 1970; the event is of this time or later.
    public var since: Int64?
    /// Seconds since 1970; the event is of this time or earlier.
    public var until: Int64?
    /// How many of the newest stored events are wanted. It says nothing of a single event.
    public var limit: Int?
    /// What to search for (NIP-50). What matches it is up to the relay.
    public var search: String?

    /// A filter of the conditions that are given.
    public init(
        ids: Set<EventID>? = nil,
        authors: Set<Bytes32>? = nil,
        kinds: Set<Kind>? = nil,
        tags: [TagLetter: TagValues] = [:],
        since: Int64? = nil,
        until: Int64? = nil,
        limit: Int? = nil,
        search: String? = nil
    ) {
        self.ids = ids
        self.authors = authors
        self.kinds = kinds
        self.tags = tags
        self.since = since
        self.until = until
        self.limit = limit
        self.search = search
    }

    public static func == (left: Filter, right: Filter) -> Bool {
        left.ids == right.ids && left.authors == right.authors && left.kinds == right.kinds
            && left.tags == right.tags && left.since == right.since && left.until == right.until
            && left.limit == right.limit && left.search.map(ExactText.init) == right.search.map(ExactText.init)
    }
}

extension Filter {
    /// Whether an event meets all conditions but ``limit`` and ``search``, which no single event can be held against.
    public func matches(_ event: Event) -> Bool {
        matches(event.id, event.body)
    }

    /// Whether an event, if it is what it claims to be, meets all conditions but ``limit`` and ``search``.
    public func matches(_ event: WireEvent) -> Bool {
        matches(event.id, event.body)
    }

    private func matches(_ id: EventID, _ body: EventBody) -> Bool {
        if let since, body.createdAt < since { return false }
        if let until, body.createdAt > until { return false }
        if let kinds, !kinds.contains(body.kind) { return false }
        if let authors, !authors.contains(body.pubkey) { return false }
        if let ids, !ids.contains(id) { return false }
        return tags.isEmpty || matchesTags(of: body)
    }

    /// One walk over the event's tags strikes off each letter of the filter that is met.
    private func matchesTags(of body: EventBody) -> Bool {
        var wanted: UInt64 = 0
        for letter in tags.keys { wanted |= letter.bit }
        return body.tags.containsIndexed { letter, value, bytes in
            guard wanted & letter.bit != 0, let values = tags[letter], values.contains(value, bytes) else {
                return false
            }
            wanted &= ~letter.bit
            return wanted == 0
        }
    }
}

extension TagLetter {
    /// A bit of its own for each letter: the lower six bits of ASCII letters differ.
    fileprivate var bit: UInt64 { 1 << UInt64(ascii & 0x3F) }
}

extension Sequence<Filter> {
    /// Whether an event matches one of the filters: what a subscription of them delivers.
    public func match(_ event: Event) -> Bool {
        contains { $0.matches(event) }
    }

    /// Whether an event, if it is what it claims to be, matches one of the filters.
    public func match(_ event: WireEvent) -> Bool {
        contains { $0.matches(event) }
    }
}
