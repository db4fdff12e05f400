import LinkstrLinks
public import LinkstrSessions
public import NostrCrypto
import NostrEvents
import NostrPreferences
import NostrTransport

/// What follows the account from device to device, encrypted to itself: aliases and which sessions are archived.
extension AccountRuntime {
    /// How many private records there are, and how many of them no relay has confirmed yet.
    public var preferenceCounts: (records: Int, pending: Int) {
        (preferences.records.count, preferences.pending.count)
    }

    /// What the person calls a key.
    public func alias(of key: Bytes32) -> String? {
        guard case .alias(_, let name) = preferences["alias:" + key.hex] else { return nil }
        return name
    }

    /// Every alias, by key; those of people who are no contacts too.
    public var aliases: [Bytes32: String] {
        var found: [Bytes32: String] = [:]
        for case .alias(let key, let name?) in preferences.records { found[key.bytes] = name }
        return found
    }

    /// Says what the person calls a key; nil or a blank name clears it. It is kept at once and uploaded when a relay is there.
    /// - Throws: ``ClientError/preferences(_:)``, ``ClientError/store(_:)``.
    public func setAlias(_ alias: String?, of key: PublicKey) async throws(ClientError) {
        let name = alias.map(\.linkstrTrimmed).flatMap { $0.isEmpty ? nil : $0 }
        guard name != self.alias(of: key.bytes) else { return }
        try await record(.alias(key, name: name))
        hub.tell(.contactsChanged)
    }

    /// Archives a session or takes it back, on all devices of the account.
    /// - Throws: ``ClientError/store(_:)``, ``ClientError/preferences(_:)``.
    public func setArchived(_ isArchived: Bool, _ id: SessionID) async throws(ClientError) {
        try await record(.archive(sessionID: id.text, isArchived: isArchived))
        do throws(SessionStoreError) {
            try await store.setArchived(isArchived, id)
            if let summary = try await store.session(id) { hub.tell(.sessionChanged(summary)) }
        } catch {
            throw .store(error)
        }
    }

    private func record(_ record: LinkstrPreference) async throws(ClientError) {
        do throws(PreferencesError) {
            guard try preferences.set(record, now: options.now(), random: options.random) != nil else { return }
        } catch {
            throw .preferences(error)
        }
        try await save(PreferenceDocument.name, preferences.json)
        uploadPreferencesSoon()
        if case .archive = record { syncArchiveSoon() }
    }

    // MARK: Uploading

    /// Uploads while receiving; otherwise ``catchUp(_:progress:)`` or ``uploadPreferences()`` will.
    func uploadPreferencesSoon() {
        guard live != nil, uploadTask == nil, !preferences.pending.isEmpty else { return }
        uploadTask = Task {
            await self.uploadPreferences()
            self.uploadTask = nil
        }
    }

    /// Uploads the records that wait, one at a time. What no relay takes waits for the next time.
    /// - Returns: How many still wait.
    @discardableResult
    public func uploadPreferences() async -> Int {
        while let event = preferences.startUpload() {
            let isAccepted: Bool
            do throws(ClientError) {
                try await access.publishAccepted([event])
                isAccepted = true
            } catch {
                isAccepted = false
            }
            preferences.finishUpload(of: event.id, isAccepted: isAccepted)
            guard isAccepted else { break }
            try? await vault.save([PreferenceDocument.name: preferences.json])
        }
        return preferences.pending.count
    }

    /// Asks every relay that can be reached for the records.
    /// - Returns: Whether all of them have told all they have.
    /// - Throws: ``ClientError/noRelayReached(_:)`` and the like, ``ClientError/store(_:)``.
    @discardableResult
    public func downloadPreferences() async throws(ClientError) -> Bool {
        let relays = try await access.reachable()
        let seen = seenRecords()
        let answers = await withTaskGroup(of: (relay: RelayURL, isComplete: Bool).self) { group in
            for relay in relays {
                group.addTask { (relay, await self.readRecords(of: relay, seen: seen).isComplete) }
            }
            var answers: [(relay: RelayURL, isComplete: Bool)] = []
            for await answer in group { answers.append(answer) }
            return answers
        }
        noteRecordHistory(answers)
        do throws(SessionStoreError) { try await settleRecords() } catch { throw .store(error) }
        syncArchiveSoon()
        return answers.allSatisfy(\.isComplete)
    }

    // MARK: Records and sessions

    /// Applies records that came.
    func apply(_ records: [LinkstrPreference]) async throws(SessionStoreError) {
        var hasAliases = false
        for record in records {
            switch record {
            case .alias: hasAliases = true
            case .archive(let text, let isArchived):
                guard let id = SessionID(text) else { continue }
                let before = try await store.session(id, countingUnreadUpTo: 0)
                guard before?.isArchived != isArchived, before != nil || isArchived else { continue }
                try await store.setArchived(isArchived, id)
                if let summary = try await store.session(id) { hub.tell(.sessionChanged(summary)) }
            }
        }
        if hasAliases { hub.tell(.contactsChanged) }
        if live != nil, records.contains(where: { if case .archive = $0 { true } else { false } }) { syncArchiveSoon() }
    }

    /// Applies the record of a session that is shown for the first time.
    func applyArchiveRecords(after effects: [SessionEffect]) async throws(SessionStoreError) {
        for case .appeared(let id) in effects {
            guard let record = preferences["archive:" + id.text] else { continue }
            try await apply([record])
        }
    }

    /// Once all relays have told what they have: what they told counts, and what was chosen here before becomes records.
    func seedPreferences() async throws(SessionStoreError) {
        try await apply(preferences.records)
        var choices: [(record: LinkstrPreference, since: Int64)] = []
        for session in try await store.sessions(countingUnreadUpTo: 0) where session.isArchived {
            let record = LinkstrPreference.archive(sessionID: session.id.text, isArchived: true)
            guard preferences[record.itemKey] == nil else { continue }
            choices.append((record, try await store.log(session.id)?.log.first?.moment.time ?? 1))
        }
        guard !choices.isEmpty else { return }
        guard let events = try? preferences.seed(choices, isHistoryComplete: true, random: options.random),
            !events.isEmpty
        else { return }
        try await vault.save([PreferenceDocument.name: preferences.json])
    }
}

/// Where the private records are kept.
enum PreferenceDocument {
    static let name = "preferences"
}
