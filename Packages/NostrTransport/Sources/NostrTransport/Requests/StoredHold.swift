package import NostrEvents

/// Keeps the newest stored events of a filter that was cut into pieces until all have come: its limit is for all pieces
/// together, so which events are wanted is known only then.
package struct StoredHold {
    private struct Entry {
        let id: EventID
        let time: Int64
        /// Nil: its consumer has it already.
        let event: Event?
        let bytes: Int
    }

    /// A greater limit is cut to this, as relays do.
    package static let greatestLimit = 10_000

    private let limit: Int
    private let bytesLimit: Int
    private var entries: [Entry] = []
    private var ids: Set<EventID> = []
    private var bytes = 0
    /// What is older may be missing.
    private var floor = Int64.min
    private var hints: EndOfStoredEventsHints = .finish
    private var newest: Int64?

    /// - Parameters:
    ///   - limit: of the filter.
    ///   - bytesLimit: of messages; beyond, the oldest go.
    package init(limit: Int, bytesLimit: Int) {
        self.limit = min(max(0, limit), Self.greatestLimit)
        self.bytesLimit = bytesLimit
    }

    /// Takes a verified event, or one that is known, which counts towards the limit all the same.
    package mutating func add(_ id: EventID, createdAt time: Int64, event: Event?, bytes size: Int) {
        newest = max(newest ?? time, time)
        guard time >= floor, ids.insert(id).inserted else { return }
        entries.append(Entry(id: id, time: time, event: event, bytes: size))
        bytes += size
        if entries.count >= max(64, 2 * limit) || bytes > bytesLimit { cut(bytes: bytesLimit / 2) }
    }

    /// A piece has come to its end of stored events.
    ///
    /// - Parameter relayLimit: to what the relay cuts limits (NIP-11), if it says so.
    package mutating func pieceEnded(_ page: StoredPage, relayLimit: Int?) {
        let isCut =
            page.hints.contains(.more)
            || (!page.hints.contains(.finish) && page.received >= min(limit, relayLimit ?? .max))
        if !page.hints.contains(.finish) { hints.remove(.finish) }
        guard isCut else { return }
        hints = .more
        // Of this piece older ones are missing, so older ones of others would leave a gap.
        if let oldest = page.oldest { floor = max(floor, oldest) }
    }

    /// The events that are wanted, newest first, and what their page looks like.
    package mutating func release() -> (events: [(event: Event, bytes: Int)], page: StoredPage) {
        entries.removeAll { $0.time < floor }
        cut(bytes: .max)
        var page = StoredPage()
        page.received = entries.count
        page.valid = entries.count
        page.oldest = entries.last?.time
        page.newest = newest
        page.hints = hints
        return (entries.compactMap { entry in entry.event.map { ($0, entry.bytes) } }, page)
    }

    /// Leaves what the limits allow, in order (NIP-01: newest first, then by id).
    private mutating func cut(bytes most: Int) {
        entries.sort { ($1.time, $0.id) < ($0.time, $1.id) }
        var kept = 0
        var size = 0
        while kept < min(limit, entries.count), kept == 0 || size + entries[kept].bytes <= most {
            size += entries[kept].bytes
            kept += 1
        }
        guard kept < entries.count else { return }
        for entry in entries[kept...] { ids.remove(entry.id) }
        entries.removeSubrange(kept...)
        bytes = size
        if let last = entries.last { floor = max(floor, last.time) }
        hints = .more
    }
}
