import LinkstrSessions
import Locking
import NostrContacts
import NostrCrypto
import NostrEvents
import NostrGiftWrap
import NostrPreferences
import NostrTransport

/// The account's own public and encrypted records: profile, follow list, inbox relays, preferences; and the follow lists of others
/// that name it.
extension AccountRuntime {
    private static let recordKinds: Set<Kind> = [
        .metadata, .followList, .directMessageRelays, .applicationData, .requestToVanish,
    ]

    /// What new records are subscribed to.
    nonisolated func recordFilters() -> [Filter] {
        [
            Filter(
                authors: [account],
                kinds: Self.recordKinds,
                since: max(0, options.now() - 60),
                limit: ClientOptions.liveLimit
            ),
            Filter(kinds: [.followList], tags: [.p: [account.hex]], limit: 0),
        ]
    }

    /// Walks through everything that a relay has of this account's records.
    nonisolated func readRecords(of relay: RelayURL, seen: SeenEvents) async -> HistoryResult {
        await pool.history(
            of: Filter(authors: [account], kinds: Self.recordKinds),
            from: relay,
            name: Self.historyName,
            seen: seen,
            stallTime: options.stallTime
        ) { events in await self.take(records: events) }
    }

    /// The records that are here and need not come again. Those that wait to be uploaded may: then they need not.
    func seenRecords() -> SeenEvents {
        let seen = SeenEvents()
        for record in preferences.records {
            guard let stored = preferences.stored(record.itemKey), !stored.isPending else { continue }
            seen.insert(stored.preference.event)
        }
        return seen
    }

    /// Takes in records.
    func take(records: [Event]) async {
        var arePreferencesChanged = false
        var archived: [LinkstrPreference] = []
        do throws(SessionStoreError) {
            for event in records {
                switch event.kind {
                case .applicationData:
                    // What is not for this purpose is somebody else's.
                    guard let receipt = try? preferences.receive(event), receipt != .stale else { continue }
                    arePreferencesChanged = true
                    if case .applied(let record) = receipt { archived.append(record) }
                case .followList: await takeFollowList(event)
                case .metadata: try await take(profile: event)
                case .directMessageRelays: try await take(inbox: event)
                case .requestToVanish: try await take(farewell: event)
                default: break
                }
            }
            if arePreferencesChanged {
                try await vault.save([PreferenceDocument.name: preferences.json])
                try await apply(archived)
            }
        } catch {
            storeFailure = error.description
        }
    }

    /// Notes which relays have told all records. Those that cannot be reached do not count, as long as one has.
    func noteRecordHistory(_ answers: [(relay: RelayURL, isComplete: Bool)]) {
        let statuses = pool.statuses
        let deciding = Set(access.deciding)
        let asked = answers.filter { deciding.contains($0.relay) }
        let isComplete =
            asked.contains { $0.isComplete }
            && asked.allSatisfy { $0.isComplete || statuses[$0.relay]?.state.isOpen != true }
        if isComplete { isRecordHistoryComplete.withLock { $0 = true } }
    }

    /// Once the records are here: what is there already becomes records, and sessions by strangers are told from others.
    func settleRecords() async throws(SessionStoreError) {
        guard isRecordHistoryComplete.withLock({ $0 }) else { return }
        if await !editor.isListKnown { try? await editor.load() }
        guard !isSeeded else { return }
        try await seedPreferences()
        try await reviewAllRequests()
        isSeeded = true
    }
}
