import NostrCrypto
import NostrEvents
import SQLite

extension Writer {
    /// Stores one event as the rules for its kind say. To be called in a transaction.
    func store(_ event: Event, _ now: Int64) throws -> IngestOutcome {
        let isEphemeral = event.kind.retention == .ephemeral
        let expiration = Expiration.time(in: event.tags)
        // Those that are not stored anyway too: whatever is published after its time is dropped.
        if let expiration, expiration <= now { return .expired }
        if try hasVanished(event) { return .vanished }
        if isEphemeral { return .ephemeral }
        if try reader.row(of: event.id) != nil { return .duplicate }
        if try isDeleted(event, now) { return .deleted }
        if try !replaceOlder(event, now) { return .superseded }
        try append(event, expiration)
        switch event.kind {
        case .deletion: try delete(asAskedBy: event)
        case .requestToVanish where concernsUs(event): try vanish(event)
        default: break
        }
        return .stored
    }

    private func append(_ event: Event, _ expiration: Int64?) throws {
        let row = state.nextRow
        let packed = PackedEvent.pack(event, expiration: expiration)
        try connection.execute("INSERT INTO event(row, body) VALUES (?1, ?2)", row, lastly: packed.span.bytes)
        state.nextRow += 1
        for entry in keys.entries(of: event, row: row) { state.memory.active.entries.insert(entry) }
        state.memory.active.ids.insert(.id(keys.id(event.id), row: row))
        if let expiration {
            try connection.execute("INSERT INTO expiry(time, row) VALUES (?1, ?2)", expiration, row)
            state.nextExpiry = min(state.nextExpiry, expiration)
        }
        if options.searchKinds.contains(event.kind) { try SearchIndex(connection).add(event.content, row) }
    }

    /// Takes an event out of everything that knows of it.
    func remove(_ row: Int64) throws {
        let found = try reader.body(row, evenVanishing: true) { packed, bytes in
            (packed.expiration, try IndexReader.event(packed, bytes, row))
        }
        guard let (expiration, event) = found else { return }
        try connection.execute("DELETE FROM event WHERE row = ?1", row)
        if let expiration {
            try connection.execute("DELETE FROM expiry WHERE time = ?1 AND row = ?2", expiration, row)
        }
        if event.kind == .deletion {
            for target in DeletionTarget.all(in: event) {
                try connection.execute("DELETE FROM deletion WHERE key = ?1 AND row = ?2", target.key(keys), row)
            }
        }
        if options.searchKinds.contains(event.kind) { try SearchIndex(connection).remove(event.content, row) }
        state.removed.insert(row)
        guard row <= state.inTables else { return }
        for entry in keys.entries(of: event, row: row) {
            try connection.execute(
                "DELETE FROM index_key WHERE key = ?1 AND kind = ?2 AND age = ?3 AND tie = ?4 AND row = ?5",
                entry.key,
                entry.kind,
                entry.place.age,
                entry.place.tie,
                row
            )
        }
        try connection.execute("DELETE FROM id_key WHERE key = ?1 AND row = ?2", keys.id(event.id), row)
    }

    /// Calls `body` with each row under a key, newest first, until it returns false.
    func eachRow(
        _ key: Int64,
        _ kind: Int32,
        since newest: Int64? = nil,
        _ body: (Int64) throws -> Bool
    ) throws {
        var last: IndexEntry?
        let first = Place(age: newest.map { -$0 } ?? .min, tie: .min)
        while true {
            let page = try reader.entries(key, kind, after: last, from: first, oldest: .max, count: 64)
            for entry in page where try !body(entry.row) { return }
            guard page.count == 64 else { return }
            last = page.last
        }
    }

    // MARK: Replaceable and addressable events (NIP-01)

    /// Removes the older version of an event that replaces; false if the event itself is the older one.
    private func replaceOlder(_ event: Event, _ now: Int64) throws -> Bool {
        guard let address = Address(event) else { return true }
        var isNewest = true
        try eachVersion(of: address) { row, other in
            guard !other.hasExpired(at: now),
                QueryPosition(createdAt: other.createdAt, id: other.id).isBefore(event.createdAt, event.id)
            else {
                try remove(row)
                return true
            }
            isNewest = false
            return false
        }
        return isNewest
    }

    /// Calls `body` with each stored version at an address, until it returns false.
    private func eachVersion(
        of address: Address,
        _ body: (Int64, PackedEvent) throws -> Bool
    ) throws {
        let key =
            address.kind.retention == .addressable
            ? keys.address(address.pubkey, address.identifier) : keys.author(address.pubkey)
        try eachRow(key, Int32(address.kind.rawValue)) { row in
            let version = try reader.body(row) { packed, bytes -> PackedEvent? in
                guard packed.pubkey == address.pubkey, packed.kind == address.kind else { return nil }
                guard address.kind.retention == .addressable else { return packed }
                let event = try IndexReader.event(packed, bytes, row)
                return ExactText(event.tags.identifier) == ExactText(address.identifier) ? packed : nil
            }
            guard let version else { return true }
            return try body(row, version)
        }
    }

    // MARK: Deletion (NIP-09)

    private func isDeleted(_ event: Event, _ now: Int64) throws -> Bool {
        guard state.hasDeletions, event.kind != .deletion, event.kind != .requestToVanish else { return false }
        var targets = [DeletionTarget.id(event.pubkey, event.id)]
        if let address = Address(event) { targets.append(.address(address)) }
        if event.kind == .giftWrap { targets += Self.addressees(event.tags).map { .id($0, event.id) } }
        for target in targets {
            let rows = try connection.all("SELECT row FROM deletion WHERE key = ?1", target.key(keys)) {
                try $0.integer(0)
            }
            for row in rows {
                let request = try reader.body(row) { packed, bytes in
                    packed.hasExpired(at: now) ? nil : try IndexReader.event(packed, bytes, row)
                }
                guard let request, DeletionTarget.all(in: request).contains(target) else { continue }
                switch target {
                case .id: return true
                case .address where event.createdAt <= request.createdAt: return true
                case .address: continue
                }
            }
        }
        return false
    }

    private func delete(asAskedBy request: Event) throws {
        let row = state.nextRow - 1
        for target in DeletionTarget.all(in: request) {
            try connection.execute("INSERT OR IGNORE INTO deletion(key, row) VALUES (?1, ?2)", target.key(keys), row)
            state.hasDeletions = true
            switch target {
            case .id(let author, let id):
                guard let found = try reader.row(of: id), let head = try reader.head(found),
                    head.kind != .deletion, head.kind != .requestToVanish
                else { continue }
                // The key that signed a gift wrap is random; it belongs to its addressee (NIP-59).
                if head.pubkey != author {
                    guard head.kind == .giftWrap, let wrap = try reader.event(found),
                        Self.addressees(wrap.tags).contains(author)
                    else { continue }
                }
                try remove(found)
            case .address(let address):
                try eachVersion(of: address) { row, version in
                    if version.createdAt <= request.createdAt { try remove(row) }
                    return true
                }
            }
        }
    }

    private static func addressees(_ tags: Tags) -> [Bytes32] {
        tags.values(named: "p").compactMap { try? Bytes32(hex: $0) }
    }

    // MARK: Expiration (NIP-40)

    /// Deletes up to `limit` expired events. To be called in a transaction.
    func sweep(_ now: Int64, limit: Int) throws -> Int {
        let rows = try connection.all(
            "SELECT row FROM expiry WHERE time <= ?1 ORDER BY time LIMIT ?2",
            now,
            limit
        ) { try $0.integer(0) }
        for row in rows { try remove(row) }
        state.nextExpiry = try connection.value("SELECT time FROM expiry ORDER BY time LIMIT 1") ?? .max
        return rows.count
    }
}
