import NostrCrypto
import NostrEvents
import NostrStore

/// The rules written a second time, as plainly as possible: a list of events, looked through from end to end. Texts are
/// compared as bytes, because `String` calls some equal that are not.
actor ModelStore: AnyStore {
    private var stored: [Event] = []
    private var vanished: [Bytes32: Int64] = [:]
    private let now: @Sendable () -> Int64

    init(now: @escaping @Sendable () -> Int64) {
        self.now = now
    }

    func ingest(_ events: [Event]) -> [IngestOutcome] {
        events.map(ingest)
    }

    func sweep() {
        stored.removeAll { Self.expiration($0).map { $0 <= now() } ?? false }
    }

    func ids(_ filters: [Filter]) -> [EventID] {
        sweep()
        var found: Set<EventID> = []
        for filter in filters {
            let matching = stored.filter { Self.matches(filter, $0) }.sorted(by: Self.isBefore)
            for event in matching.prefix(filter.limit ?? .max) { found.insert(event.id) }
        }
        return stored.filter { found.contains($0.id) }.sorted(by: Self.isBefore).map(\.id)
    }

    /// The same in the order of NIP-77.
    func oldestFirst(_ filters: [Filter]) -> [EventID] {
        let found = Set(ids(filters))
        return stored.filter { found.contains($0.id) }
            .sorted { $0.createdAt != $1.createdAt ? $0.createdAt < $1.createdAt : $0.id.hex < $1.id.hex }
            .map(\.id)
    }

    func number(_ filters: [Filter]) -> Int {
        sweep()
        return stored.count { event in filters.contains { Self.matches($0, event) } }
    }

    private func ingest(_ event: Event) -> IngestOutcome {
        sweep()
        let number = event.kind.rawValue
        let isEphemeral = number >= 20_000 && number < 30_000
        if let end = Self.expiration(event), end <= now() { return .expired }
        if stored.contains(where: { $0.id == event.id }) { return .duplicate }
        var owners = [Array(event.pubkey.hex.utf8)]
        if number == 1059 || number == 21_059 { owners += Self.values(event, "p") }
        for (key, time) in vanished where owners.contains(Array(key.hex.utf8)) && event.createdAt <= time {
            return .vanished
        }
        if isEphemeral { return .ephemeral }
        if number != 5, number != 62, stored.contains(where: { Self.deletes($0, event) }) { return .deleted }
        if let address = Self.address(event) {
            let versions = stored.filter { Self.address($0) == address }
            if versions.contains(where: { Self.isBefore($0, event) }) { return .superseded }
            stored.removeAll { Self.address($0) == address }
        }
        stored.append(event)
        if number == 5 {
            stored.removeAll { $0.kind.rawValue != 5 && $0.kind.rawValue != 62 && Self.deletes(event, $0) }
        }
        if number == 62, Self.values(event, "relay").contains(Array("ALL_RELAYS".utf8)) {
            vanished[event.pubkey] = max(vanished[event.pubkey] ?? 0, event.createdAt)
            stored.removeAll { other in
                other.id != event.id && other.createdAt <= event.createdAt
                    && (other.pubkey == event.pubkey
                        || other.kind.rawValue == 1059
                            && Self.values(other, "p").contains(Array(event.pubkey.hex.utf8)))
            }
        }
        return .stored
    }

    private static func deletes(_ request: Event, _ event: Event) -> Bool {
        guard request.kind.rawValue == 5 else { return false }
        let isNamed = values(request, "e").contains(Array(event.id.hex.utf8))
        if isNamed, event.kind.rawValue == 1059, values(event, "p").contains(Array(request.pubkey.hex.utf8)) {
            return true
        }
        guard request.pubkey == event.pubkey else { return false }
        if isNamed { return true }
        guard let address = address(event), event.createdAt <= request.createdAt else { return false }
        return values(request, "a").contains(address)
    }

    private static func address(_ event: Event) -> [UInt8]? {
        let number = event.kind.rawValue
        switch number {
        case 0, 3, 10_000..<20_000: return Array("\(number):\(event.pubkey.hex):".utf8)
        case 30_000..<40_000:
            let identifier =
                event.tags.first { $0.elements[0] == "d" }.map { $0.elements.dropFirst().first ?? "" } ?? ""
            return Array("\(number):\(event.pubkey.hex):\(identifier)".utf8)
        default: return nil
        }
    }

    private static func expiration(_ event: Event) -> Int64? {
        event.tags.first { $0.elements[0] == "expiration" }.flatMap { $0.value }.flatMap { Int64($0) }
    }

    private static func values(_ event: Event, _ name: String) -> [[UInt8]] {
        event.tags.filter { $0.elements[0] == name && $0.elements.count > 1 }.map { Array($0.elements[1].utf8) }
    }

    private static func isBefore(_ a: Event, _ b: Event) -> Bool {
        a.createdAt != b.createdAt ? a.createdAt > b.createdAt : a.id.hex < b.id.hex
    }

    private static func matches(_ filter: Filter, _ event: Event) -> Bool {
        if let ids = filter.ids, !ids.contains(event.id) { return false }
        if let authors = filter.authors, !authors.contains(event.pubkey) { return false }
        if let kinds = filter.kinds, !kinds.contains(event.kind) { return false }
        if let since = filter.since, event.createdAt < since { return false }
        if let until = filter.until, event.createdAt > until { return false }
        for (letter, wanted) in filter.tags {
            if Set(values(event, letter.description)).isDisjoint(with: wanted.map { Array($0.utf8) }) { return false }
        }
        return true
    }
}
