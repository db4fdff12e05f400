import LinkstrSessions
import NostrContacts
public import NostrCrypto
import NostrEvents
import NostrTransport

/// What people call themselves (kind 0).
extension AccountRuntime {
    /// How a key is shown: what the person calls it, else what it calls itself, else its npub.
    public func displayName(of key: Bytes32) -> String {
        alias(of: key) ?? profiles.name(of: key) ?? key.npub
    }

    /// What a key calls itself, as far as it is known here.
    public func publishedName(of key: Bytes32) -> String? {
        profiles.name(of: key)
    }

    /// Looks up what keys call themselves: up to 50 in one query, two queries at a time, each tried up to three times. Keys that were
    /// looked up without success less than five minutes ago are left out.
    /// - Parameter isForced: Looks up known ones too, and those that were not found lately.
    /// - Returns: The names that are known then.
    /// - Throws: ``ClientError/noRelayReached(_:)`` and the like.
    @discardableResult
    public func lookUpNames(
        of keys: some Collection<Bytes32> & Sendable,
        isForced: Bool = false
    ) async throws(ClientError) -> [Bytes32: String] {
        let now = options.now()
        let wanted = keys.filter { key in
            isForced || profiles.record(of: key) == nil && !profiles.isPaused(key, now: now)
        }
        if !wanted.isEmpty {
            let relays = try await access.reachable()
            var batches = stride(from: 0, to: wanted.count, by: ProfileLookup.batchSize).map { first in
                Set(wanted[first..<min(first + ProfileLookup.batchSize, wanted.count)])
            }
            while !batches.isEmpty {
                let two = batches.prefix(2)
                batches.removeFirst(two.count)
                await withTaskGroup { group in
                    for batch in two { group.addTask { await self.lookUp(batch, relays) } }
                }
            }
            try await saveProfiles()
        }
        var names: [Bytes32: String] = [:]
        for key in keys { names[key] = profiles.name(of: key) }
        return names
    }

    /// Sets the own name, or with nil removes it. Other members of the profile stay as they are.
    /// - Parameter isFirst: The key is new, so that relays need not be asked for a profile that is to be kept.
    /// - Throws: ``ClientError/contacts(_:)`` where the name has more than 80 characters, ``ClientError/profileConflict`` where
    ///   another device has changed the profile meanwhile, ``ClientError/noAnswer(_:)`` where it is not known what the profile is; and what publishing throws.
    public func setProfile(name: String?, isFirst: Bool = false) async throws(ClientError) {
        if let name, (ProfileMetadata.cleaned(name)?.count ?? 0) > ProfileMetadata.maximumNameLength {
            throw .contacts(.nameTooLong(limit: ProfileMetadata.maximumNameLength))
        }
        if !isFirst {
            let filter = Filter(authors: [account], kinds: [.metadata], limit: 1)
            for event in try await access.fetchFromAll([filter]) { _ = noteProfile(event) }
        }
        let base = profiles.record(of: account)?.version
        let event: Event
        do throws(ContactsError) {
            // A profile that is no JSON object has nothing to keep.
            var metadata = profiles.ownContent.flatMap { try? ProfileMetadata(content: $0) } ?? ProfileMetadata()
            try metadata.setName(name ?? "")
            event = try metadata.event(replacing: base, now: options.now(), signedBy: keys.keyPair)
        } catch {
            throw .contacts(error)
        }
        try await access.publishAccepted([event])
        let now = profiles.record(of: account)?.version
        guard now == base || now == ReplaceableVersion(event) else { throw .profileConflict }
        _ = noteProfile(event)
        try await saveProfiles()
    }

    /// Takes a profile that came as a record of this account.
    func take(profile event: Event) async throws(SessionStoreError) {
        guard noteProfile(event) else { return }
        try await vault.save([ProfileShelf.document: profiles.json(keeping: keptProfiles())])
    }

    private func noteProfile(_ event: Event) -> Bool {
        guard event.kind == .metadata, profiles.apply(event) else { return false }
        if event.pubkey == account { profiles.ownContent = event.content }
        return true
    }

    private func keptProfiles() async -> Set<Bytes32> {
        (await editor.state.list?.keys ?? []).union([account])
    }

    private func saveProfiles() async throws(ClientError) {
        try await save(ProfileShelf.document, profiles.json(keeping: await keptProfiles()))
    }

    /// Asks for the profiles of some keys, longer each time.
    private func lookUp(_ keys: Set<Bytes32>, _ relays: [RelayURL]) async {
        var missing = keys
        for timeout in ProfileLookup.timeouts where !missing.isEmpty && !Task.isCancelled {
            var options = SubscriptionOptions.stored
            options.name = "linkstr-profile-lookup-"
            options.stallTime = .milliseconds(timeout)
            let result = await pool.fetch(
                [Filter(authors: missing, kinds: [.metadata])],
                from: relays,
                limit: 8 * missing.count * max(1, relays.count),
                options: options
            )
            for event in result.events where keys.contains(event.pubkey) {
                _ = noteProfile(event)
                missing.remove(event.pubkey)
            }
            // Relays that have answered have no more.
            if !result.pages.isEmpty { break }
        }
        profiles.pause(missing, now: options.now())
    }
}
