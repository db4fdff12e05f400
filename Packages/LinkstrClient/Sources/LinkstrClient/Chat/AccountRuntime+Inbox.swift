import LinkstrSessions
import NostrContacts
public import NostrCrypto
public import NostrEvents
public import NostrGiftWrap
import NostrTransport

/// Where people receive direct messages (kind 10050).
extension AccountRuntime {
    /// Where this account receives messages, as far as it is known here; nil where it has named nothing.
    public var inboxRelays: InboxRelays? { ownInbox }

    /// Publishes where this account receives messages.
    /// - Parameter urls: One to three relays that others can reach; they should be among the ones that are connected to here.
    /// - Throws: ``ClientError/unreachableInbox(_:)`` for a relay that only this machine reaches, and what publishing throws.
    public func publishInboxRelays(_ urls: [RelayURL]) async throws(ClientError) {
        if let own = urls.first(where: options.unreachableRelays.contains) { throw .unreachableInbox(own) }
        let filter = Filter(authors: [account], kinds: [.directMessageRelays], limit: 1)
        for event in try await access.fetchFromAll([filter]) { try await keep(inbox: event) }
        let now = options.now()
        guard let time = ReplaceableVersion.time(after: ownInbox?.version.createdAt, now: now, tolerance: 600) else {
            throw .contacts(.clockBehind(seconds: (ownInbox?.version.createdAt ?? now) - now))
        }
        let event = InboxRelays.event(urls.map(\.text), createdAt: time, signedBy: keys.keyPair)
        try await access.publishAccepted([event])
        try await keep(inbox: event)
    }

    /// Where people receive messages, as the relays know it.
    /// - Throws: ``ClientError/noRelayReached(_:)`` and the like.
    public func lookUpInboxes(of people: [Bytes32]) async throws(ClientError) -> [Bytes32: InboxRelays] {
        let relays = try await access.reachable()
        var options = SubscriptionOptions.stored
        options.stallTime = .seconds(10)
        let filter = Filter(authors: Set(people), kinds: [.directMessageRelays])
        let result = await pool.fetch([filter], from: relays, limit: 1_000, options: options)
        var inboxes: [Bytes32: InboxRelays] = [:]
        for event in result.events {
            if event.pubkey == account { try await keep(inbox: event) }
            guard let inbox = InboxRelays(event) else { continue }
            if let known = inboxes[event.pubkey], known.version >= inbox.version { continue }
            inboxes[event.pubkey] = inbox
        }
        if let ownInbox { inboxes[account] = ownInbox }
        return inboxes
    }

    /// Takes the own list that a relay sent.
    func take(inbox event: Event) async throws(SessionStoreError) {
        guard event.pubkey == account, let inbox = InboxRelays(event) else { return }
        if let known = ownInbox, known.version >= inbox.version { return }
        ownInbox = inbox
        try await vault.save([Self.inboxDocument: event.json])
    }

    private func keep(inbox event: Event) async throws(ClientError) {
        do throws(SessionStoreError) { try await take(inbox: event) } catch { throw .store(error) }
    }

    static var inboxDocument: String { "inbox-relays" }
}
