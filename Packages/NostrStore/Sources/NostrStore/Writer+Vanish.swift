import NostrCrypto
import NostrEvents
import SQLite

/// Requests to vanish (NIP-62).
///
/// A request hides everything at once, in the commit that stores it; what is hidden is then deleted in slices, because it
/// may be very much.
extension Writer {
    func concernsUs(_ request: Event) -> Bool {
        let relays = request.tags.values(named: "relay")
        return relays.contains("ALL_RELAYS") || relays.contains(where: addresses.contains)
    }

    /// Whether an event may not come because of a request.
    func hasVanished(_ event: Event) throws -> Bool {
        guard state.hasVanished else { return false }
        var keys = [event.pubkey]
        if event.kind == .giftWrap || event.kind == .ephemeralGiftWrap {
            keys += event.tags.values(named: "p").compactMap { try? Bytes32(hex: $0) }
        }
        for key in keys {
            let time: Int64? = try connection.value("SELECT time FROM vanished WHERE pubkey = ?1", key.array)
            // The request itself is of that time and is a duplicate.
            if let time, event.createdAt <= time { return try reader.row(of: event.id) == nil }
        }
        return false
    }

    func vanish(_ request: Event) throws {
        // What has vanished before cannot come again, so a request that is stored is the latest of its key.
        try connection.execute(
            "INSERT OR REPLACE INTO vanished(pubkey, time, request) VALUES (?1, ?2, ?3)",
            request.pubkey.array,
            request.createdAt,
            request.id.bytes.array
        )
        state.hasVanished = true
        state.memory.vanishing[request.pubkey] = Vanishing(time: request.createdAt, request: request.id)
    }

    /// Deletes up to `limit` of the events that are hidden. To be called in a transaction.
    func deleteVanished(limit: Int) throws {
        var left = limit
        for (pubkey, vanishing) in state.memory.vanishing {
            func delete(_ row: Int64) throws -> Bool {
                let goes = try reader.body(row, evenVanishing: true) { packed, bytes in
                    try reader.isVanishing(packed, bytes, row)
                }
                guard goes == true else { return true }
                try remove(row)
                left -= 1
                return left > 0
            }
            let author = keys.author(pubkey)
            for kind in try reader.kinds(under: author) where left > 0 {
                try eachRow(author, kind, since: vanishing.time, delete)
            }
            if left > 0 {
                let wraps = keys.tag(.p, pubkey.hex)
                try eachRow(wraps, Int32(Kind.giftWrap.rawValue), since: vanishing.time, delete)
            }
            guard left > 0 else { return }
            try connection.execute("UPDATE vanished SET request = NULL WHERE pubkey = ?1", pubkey.array)
            state.memory.vanishing[pubkey] = nil
        }
    }
}
