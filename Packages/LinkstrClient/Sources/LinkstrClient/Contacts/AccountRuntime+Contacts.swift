import LinkstrSessions
public import NostrContacts
public import NostrCrypto
import NostrEvents
import NostrPreferences

/// Whom the account follows, what the person calls them, and the way back to an earlier list.
extension AccountRuntime {
    /// The contacts as they are known here.
    public func contacts() async -> ContactList {
        let list = await editor.state.list
        let isKnown = await editor.isListKnown
        let contacts = (list?.follows ?? []).map { follow in
            Contact(
                key: follow.key,
                alias: alias(of: follow.key),
                publishedName: profiles.name(of: follow.key),
                petname: follow.petname,
                relayHint: follow.relayHint
            )
        }
        return ContactList(contacts: contacts, isKnown: isKnown)
    }

    /// Asks the relays for the follow list, unless they have told it in this run.
    /// - Throws: ``ClientError/noAnswer(_:)`` where one of them gave no answer, and what connecting throws.
    public func loadContacts() async throws(ClientError) {
        _ = try await edit { editor in
            try await editor.load()
            return .unchanged
        }
    }

    /// Follows somebody, and remembers what the person calls them.
    /// - Parameters:
    ///   - alias: A name for this account alone; nil leaves it as it is.
    ///   - confirming: What the person says yes to.
    /// - Returns: Whether a new follow list was published; false where the key was followed already.
    /// - Throws: ``ClientError/contacts(_:)`` and what publishing throws; nothing is changed then.
    @discardableResult
    public func addContact(
        _ key: PublicKey,
        alias: String? = nil,
        relayHint: String? = nil,
        confirming: FollowListEditor.Confirmation = []
    ) async throws(ClientError) -> Bool {
        try await prepareEditing(confirming)
        let outcome = try await edit { try await $0.add([Follow(key, relayHint: relayHint)], confirming: confirming) }
        if let alias { try await setAlias(alias, of: key) }
        return outcome != .unchanged
    }

    /// Follows somebody no longer. Sessions and posts stay; what the person called them is cleared.
    /// - Returns: Whether a new follow list was published; false where the key was not followed.
    /// - Throws: As ``addContact(_:alias:relayHint:confirming:)``.
    @discardableResult
    public func removeContact(
        _ key: PublicKey,
        confirming: FollowListEditor.Confirmation = []
    ) async throws(ClientError) -> Bool {
        try await prepareEditing(confirming)
        let outcome = try await edit { try await $0.remove([key.bytes], confirming: confirming) }
        if outcome != .unchanged, alias(of: key.bytes) != nil { try await setAlias(nil, of: key) }
        return outcome != .unchanged
    }

    /// Follow lists that were replaced and are kept here, the newest first.
    public func contactHistory() async -> [ContactVersion] {
        let events = await editor.history.events
        var next = await editor.state.list
        var versions: [ContactVersion] = []
        for (index, event) in events.reversed().enumerated() {
            guard let list = FollowList(event) else { continue }
            let after = next?.keys ?? []
            versions.append(
                ContactVersion(
                    stepsBack: index + 1,
                    createdAt: event.createdAt,
                    count: list.keys.count,
                    removedAfter: list.keys.subtracting(after).sorted(),
                    addedAfter: after.subtracting(list.keys).sorted()
                )
            )
            next = list
        }
        return versions
    }

    /// Publishes an earlier follow list again.
    /// - Parameter stepsBack: 1 for the list before the current.
    /// - Throws: As ``addContact(_:alias:relayHint:confirming:)``.
    @discardableResult
    public func undoContacts(
        _ stepsBack: Int = 1,
        confirming: FollowListEditor.Confirmation = []
    ) async throws(ClientError) -> Bool {
        // What relays have not told yet was never replaced here.
        guard await !editor.history.events.isEmpty else { throw .contacts(.nothingReplaced) }
        try await prepareEditing(confirming)
        return try await edit { try await $0.undo(stepsBack, confirming: confirming) } != .unchanged
    }

    /// Whether the account follows a key.
    public func isContact(_ key: Bytes32) async -> Bool {
        await editor.state.list?.contains(key) ?? false
    }

    /// Makes sure that the current list is known before it is changed.
    private func prepareEditing(_ confirming: FollowListEditor.Confirmation) async throws(ClientError) {
        guard await !editor.isListKnown, !confirming.contains(.firstList) else { return }
        try await loadContacts()
    }

    func edit(
        _ body: (FollowListEditor) async throws -> FollowListEditor.Outcome
    ) async throws(ClientError) -> FollowListEditor.Outcome {
        let outcome: FollowListEditor.Outcome
        do {
            outcome = try await body(editor)
        } catch let error as ClientError {
            throw error
        } catch let error as ContactsError {
            throw .contacts(error)
        } catch let error as SessionStoreError {
            throw .store(error)
        } catch {
            throw .contacts(.closed)
        }
        if outcome != .unchanged { await contactsChanged() }
        return outcome
    }

    func contactsChanged() async {
        hub.tell(.contactsChanged)
        do throws(SessionStoreError) {
            try await reviewAllRequests()
        } catch {
            storeFailure = error.description
        }
    }

    // MARK: What relays send

    /// Takes a follow list: the own one, or one that names this account.
    func takeFollowList(_ event: Event) async {
        guard event.pubkey == account else {
            await takeFollower(event)
            return
        }
        let outcome = try? await editor.receive(event)
        if outcome == .applied { await contactsChanged() }
        guard live != nil, await editor.needsSettling else { return }
        Task { [editor] in _ = try? await editor.settle() }
    }

    private func takeFollower(_ event: Event) async {
        guard event.kind == .followList, let list = FollowList(event) else { return }
        let version = ReplaceableVersion(event)
        if let known = followers[event.pubkey], known.version >= version { return }
        guard followers[event.pubkey] != nil || followers.count < FollowerDiscovery.maximumRecords else { return }
        let isNew = followers[event.pubkey]?.followsOwner != true
        let record = FollowerRecord(author: event.pubkey, version: version, followsOwner: list.contains(account))
        followers[event.pubkey] = record
        try? await vault.save([FollowerDocument.name: FollowerDocument.json(followers)])
        if isNew, record.followsOwner {
            let isContact = await isContact(event.pubkey)
            hub.tell(.followed(Follower(key: event.pubkey, since: event.createdAt, isContact: isContact)))
        }
    }
}

/// How records of followers are kept.
enum FollowerDocument {
    static let name = "followers"

    static func read(_ json: [UInt8]) -> [Bytes32: FollowerRecord] {
        guard let rows = (try? JSONValue(json: json, limits: JSONLimits(size: 64 << 20)))?.array else { return [:] }
        var records: [Bytes32: FollowerRecord] = [:]
        for row in rows {
            guard let author = row["author"]?.string.flatMap({ try? Bytes32(hex: $0) }),
                let id = row["id"]?.string.flatMap({ try? EventID(hex: $0) }), let time = row["time"]?.integer,
                let follows = row["follows"]?.bool
            else { continue }
            let version = ReplaceableVersion(createdAt: time, id: id)
            records[author] = FollowerRecord(author: author, version: version, followsOwner: follows)
        }
        return records
    }

    static func json(_ records: [Bytes32: FollowerRecord]) -> [UInt8] {
        let rows = records.values.sorted { $0.author < $1.author }.map { record -> JSONValue in
            [
                "author": .string(record.author.hex), "id": .string(record.version.id.hex),
                "time": .integer(record.version.createdAt), "follows": .bool(record.followsOwner),
            ]
        }
        return JSONValue.array(rows).json
    }
}
