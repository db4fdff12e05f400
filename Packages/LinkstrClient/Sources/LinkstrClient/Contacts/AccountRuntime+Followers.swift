import NostrContacts
import NostrCrypto
import NostrEvents
import NostrTransport

/// Finding out who follows the account.
extension AccountRuntime {
    /// The followers that are known here, the newest list first.
    public func followersKnown() async -> [Follower] {
        await listed(Array(followers.values))
    }

    /// Asks the relays who follows the account: the newest lists that name it, and for each author the newest list of all, since an
    /// old one says nothing.
    /// - Parameter pages: How many pages of 200 lists are asked of each relay.
    /// - Throws: ``ClientError/noRelayReached(_:)`` and the like.
    public func discoverFollowers(pages: Int = 1) async throws(ClientError) -> FollowerList {
        let reachable = try await access.reachable()
        let discovery = DiscoveryRun(
            FollowerDiscovery(owner: account, records: Array(followers.values)),
            pool: pool,
            relays: reachable
        )
        let result = await discovery.run(pages: max(1, pages))
        for record in result.allRecords {
            if let known = followers[record.author], known.version >= record.version { continue }
            followers[record.author] = record
        }
        try await save(FollowerDocument.name, FollowerDocument.json(followers))
        return FollowerList(
            followers: await listed(Array(followers.values)),
            isPartial: result.isPartial || reachable.count < access.deciding.count,
            canLoadMore: result.canLoadMore
        )
    }

    private func listed(_ records: [FollowerRecord]) async -> [Follower] {
        let contacts = await editor.state.list?.keys ?? []
        return records.filter { $0.followsOwner && $0.author != account }.sorted { $0.version > $1.version }.map {
            Follower(key: $0.author, since: $0.version.createdAt, isContact: contacts.contains($0.author))
        }
    }
}

/// Carries out what ``FollowerDiscovery`` asks for, until nothing more is under way.
private actor DiscoveryRun {
    private var discovery: FollowerDiscovery
    private let pool: RelayPool
    private let relays: [String: RelayURL]
    private let clock = ContinuousClock()
    private let start: ContinuousClock.Instant
    private var queries: [Query] = []

    init(_ discovery: FollowerDiscovery, pool: RelayPool, relays: [RelayURL]) {
        self.discovery = discovery
        self.pool = pool
        self.relays = Dictionary(relays.map { ($0.text, $0) }) { first, _ in first }
        start = clock.now
    }

    private var now: Int64 { Int64((clock.now - start) / .milliseconds(1)) }

    func run(pages: Int) async -> FollowerDiscovery {
        note(discovery.open(relays: Set(relays.keys), now: now))
        // Those who are known may have taken it back; their newest lists do not name the account then.
        discovery.show(Set(discovery.followers.map(\.author)), now: now)
        note(discovery.advance(to: now + FollowerDiscovery.debounce))
        for page in 1...pages {
            if page > 1 { note(discovery.loadMore(now: now)) }
            while !queries.isEmpty, !Task.isCancelled {
                let batch = queries
                queries = []
                await withTaskGroup { group in
                    for query in batch { group.addTask { await self.ask(query) } }
                }
            }
            guard discovery.canLoadMore else { break }
        }
        return discovery
    }

    private func note(_ actions: [QueryAction]) {
        for case .open(let query) in actions {
            // New lists are received for good elsewhere.
            guard query.filter.limit != 0 else { continue }
            queries.append(query)
        }
    }

    private func ask(_ query: Query) async {
        let asked = query.relay.map { [$0] } ?? Array(relays.keys)
        await withTaskGroup { group in
            for relay in asked { group.addTask { await self.ask(query, of: relay) } }
        }
    }

    private func ask(_ query: Query, of relay: String) async {
        guard let url = relays[relay] else {
            note(discovery.fail(query.id, from: relay, now: now))
            return
        }
        var options = SubscriptionOptions.stored
        options.name = "linkstr-contacts-"
        options.stallTime = .milliseconds(FollowerDiscovery.timeout)
        let subscription = pool.subscribe([query.filter], to: [url], options: options)
        while let updates = await subscription.nextBatch() {
            for update in updates {
                switch update {
                case .event(let event, _): _ = discovery.receive(event, for: query.id, from: relay)
                case .endOfStoredEvents: note(discovery.finish(query.id, from: relay, now: now))
                case .closed(_, .some): note(discovery.fail(query.id, from: relay, now: now))
                case .closed(_, nil), .interrupted: break
                }
            }
        }
    }
}
