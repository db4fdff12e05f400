public import NostrCrypto
public import NostrEvents

/// Which relays to talk to about whom (NIP-65).
public enum RelayRouting {
    /// Where to ask for events by some authors: few relays that together hold every author so many times where possible.
    ///
    /// - Parameters:
    ///   - lists: the authors and their lists.
    ///   - copies: relays to ask for each author.
    ///   - limit: relays in all.
    /// - Returns: for each relay the authors to ask it for, the relay with most of them first; authors without a list, or
    ///   for whom there was no room, are in none.
    public static func reading(
        _ lists: [Bytes32: RelayList],
        copies: Int = 2,
        limit: Int = 20
    ) -> [(relay: RelayURL, authors: Set<Bytes32>)] {
        var candidates: [RelayURL: Set<Bytes32>] = [:]
        for (author, list) in lists {
            for relay in list.write { candidates[relay, default: []].insert(author) }
        }
        var wanted = lists.mapValues { min(copies, Set($0.write).count) }.filter { $0.value > 0 }
        var chosen: [(relay: RelayURL, authors: Set<Bytes32>)] = []
        while chosen.count < limit, !wanted.isEmpty {
            let gains = candidates.mapValues { authors in authors.filter { wanted[$0] != nil } }
            // The address decides between equals, so that the choice is the same every time.
            guard let best = gains.max(by: { ($0.value.count, $1.key.text) < ($1.value.count, $0.key.text) }),
                !best.value.isEmpty
            else { break }
            candidates[best.key] = nil
            chosen.append((best.key, best.value))
            for author in best.value {
                wanted[author] = wanted[author].flatMap { $0 > 1 ? $0 - 1 : nil }
            }
        }
        return chosen
    }

    /// Where to publish an event: where its author writes, and where those whom it mentions read.
    ///
    /// - Parameters:
    ///   - author: the author's list.
    ///   - mentioned: the lists of those in its `p` tags.
    ///   - perPerson: relays of one person at most; lists should be short, and those that are not cost everybody.
    ///   - limit: relays in all; the author's come first.
    public static func publishing(
        author: RelayList,
        mentioned: [RelayList] = [],
        perPerson: Int = 4,
        limit: Int = 30
    ) -> [RelayURL] {
        var relays: [RelayURL] = []
        for relay in author.write.prefix(perPerson) + mentioned.flatMap({ $0.read.prefix(perPerson) })
        where relays.count < limit && !relays.contains(relay) {
            relays.append(relay)
        }
        return relays
    }
}
