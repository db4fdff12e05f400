import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrGiftWrap

extension AccountRuntime {
    /// Opens gift wraps, stores what they say, and tells it. Those that were stored in this or an earlier run cost a look-up.
    /// - Parameter coverage: Told which rumors were met.
    /// - Throws: ``SessionStoreError``; then nothing of the batch counts as known.
    func ingest(
        _ wraps: [(wrap: Event, source: Source)],
        coverage: Coverage? = nil
    ) async throws(SessionStoreError) -> (opened: Int, refused: Int, effects: [SessionEffect]) {
        let known = try await vault.rumors(in: wraps.map(\.wrap.id))
        coverage?.met(known.values)
        counters.known += known.count
        let new = known.isEmpty ? wraps : wraps.filter { known[$0.wrap.id] == nil }
        guard !new.isEmpty, let outcomes = try? await reader.open(new.map(\.wrap)) else { return (0, 0, []) }
        var arrivals: [Arrival] = []
        var messages: [OpenedGiftWrap] = []
        var chats: [(opened: OpenedGiftWrap, source: Source)] = []
        var refused = 0
        for (outcome, entry) in zip(outcomes, new) {
            switch outcome {
            case .opened(let message), .repeated(let message):
                guard unfinished[message.rumor.id] == nil else {
                    // It is decided anew once it was sent.
                    reader.forget(message)
                    continue
                }
                if Self.chatKinds.contains(message.rumor.kind) {
                    chats.append((message, entry.source))
                    continue
                }
                guard let fact = try? Fact(message.rumor, sender: message.sender.bytes) else {
                    refused += 1
                    continue
                }
                messages.append(message)
                arrivals.append(
                    Arrival(
                        fact,
                        source: entry.source,
                        wraps: [WrapReference(id: message.wrapID, recipient: account)],
                        seal: fact.isKeptOnRelays ? message.seal.json : []
                    )
                )
            case .known: counters.known += 1
            case .failed: refused += 1
            }
        }
        var opened = try await ingest(chats)
        counters.refused += refused
        guard !arrivals.isEmpty else { return (opened, refused, []) }
        let applied: Applied
        do throws(SessionStoreError) {
            applied = try await store.apply(arrivals, now: options.now())
        } catch {
            // What is not stored must not count as known.
            for message in messages { reader.forget(message) }
            throw error
        }
        counters.opened += messages.count
        coverage?.met(messages.map(\.rumor.id))
        await remember(messages, applied)
        try await follow(applied.effects)
        opened += messages.count
        return (opened, refused, applied.effects)
    }

    /// What goes to the chat.
    private static let chatKinds: Set<Kind> = [.chatMessage, .fileMessage, .reaction]

    private func ingest(_ chats: [(opened: OpenedGiftWrap, source: Source)]) async throws(SessionStoreError) -> Int {
        guard !chats.isEmpty else { return 0 }
        do throws(SessionStoreError) {
            let count = try await take(chats)
            for (message, _) in chats {
                reader.confirm(message)
                newWraps.append(Vault.KnownWrap(id: message.wrapID, rumor: message.rumor.id, time: message.wrapTime))
            }
            counters.opened += count
            return count
        } catch {
            for (message, _) in chats { reader.forget(message) }
            throw error
        }
    }

    /// Takes note of which gift wraps need not be opened again.
    private func remember(_ messages: [OpenedGiftWrap], _ applied: Applied) async {
        for (message, outcome) in zip(messages, applied.outcomes) {
            if outcome == .refused {
                // It is decided anew when it comes with the history.
                reader.forget(message)
            } else {
                reader.confirm(message)
                newWraps.append(Vault.KnownWrap(id: message.wrapID, rumor: message.rumor.id, time: message.wrapTime))
            }
        }
        await forget(applied.forgotten)
        if newWraps.count >= 512 { await saveWraps() }
    }

    /// Rumors that a bound has dropped are to be taken in again when they come.
    func forget(_ rumors: [EventID]) async {
        guard !rumors.isEmpty else { return }
        let forgotten = Set(rumors)
        newWraps.removeAll { forgotten.contains($0.rumor) }
        try? await vault.forget(rumors: rumors)
        // What the reader remembers cannot be taken back one by one, and the vault knows the rest.
        await saveWraps()
        reader = GiftWrapReader(opener: reader.opener)
    }

    /// Tells the vault which gift wraps are known. It only saves work, so that a failure costs nothing else.
    func saveWraps() async {
        guard !newWraps.isEmpty else { return }
        let wraps = newWraps
        newWraps = []
        try? await vault.remember(wraps)
    }

    /// What follows from what a batch did: requests, duties, and what listeners are told, in this order.
    func follow(_ effects: [SessionEffect]) async throws(SessionStoreError) {
        guard !effects.isEmpty else { return }
        try await reviewRequests(after: effects)
        try await applyArchiveRecords(after: effects)
        try await noteDuties(effects)
        await tell(effects)
        await fetchMetadata(after: effects)
        if effects.contains(where: { if case .closed = $0 { true } else { false } }) { syncArchiveSoon() }
    }
}

extension Fact {
    /// Whether later posts depend on it, so that relays must not lose it: member lists and deletes.
    var isKeptOnRelays: Bool {
        switch statement {
        case .snapshot, .sessionDelete, .rootDelete: true
        case .root, .reaction: false
        }
    }
}
