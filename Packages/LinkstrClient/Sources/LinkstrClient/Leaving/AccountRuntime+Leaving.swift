import LinkstrSessions
import NostrContacts
import NostrCrypto
public import NostrEvents
import NostrTransport

/// The ways out: taking the account off this device, and asking relays to forget it.
extension AccountRuntime {
    /// What came of asking relays to forget an account.
    public struct Farewell: Sendable {
        /// Relays that have not confirmed that they forget it, and what each said.
        public internal(set) var unconfirmed: [RelayURL: String] = [:]
        /// Why the account's data could not be removed from this device entirely; nil where it was.
        public internal(set) var leftovers: String?
        /// Devices that a push service may go on waking, because it did not confirm that it will not.
        public internal(set) var devices: [PushRegistrations.Device] = []

        /// What the person should know, in a sentence.
        public static let sentence = """
            The key can be used again; messages of the next 48 hours may be lost then on relays that forget the account, since \
            they are dated back.
            """
    }

    /// Takes the account off this device, and its devices from their push service if that answers in time. Relays are told nothing. The
    /// runtime is closed whatever happens.
    /// - Parameter clearsData: Removes its data too; otherwise they stay, sealed, for when the secret key returns.
    /// - Returns: The devices that a push service may go on waking.
    /// - Throws: ``ClientError/files(_:)`` where something is left over.
    @discardableResult
    public func logOut(
        clearsData: Bool,
        from accounts: Accounts
    ) async throws(ClientError) -> [PushRegistrations.Device] {
        let devices = await leavePushServices()
        try await leave(clearsData: clearsData, from: accounts)
        return devices
    }

    private func leave(clearsData: Bool, from accounts: Accounts) async throws(ClientError) {
        await close()
        do throws(IdentityError) {
            try accounts.remove(account, clearsData: clearsData)
        } catch {
            throw .files(error)
        }
    }

    /// Deletes the account: publishes an empty follow list, then asks the relays to forget everything of it (NIP-62), and only when
    /// both were accepted removes it from this device, and its devices from their push service if that answers. It cannot be taken
    /// back.
    /// - Throws: ``ClientError``; then the account and all its data are still here.
    public func deleteAccount(from accounts: Accounts) async throws(ClientError) -> Farewell {
        try await access.waitForRelay()
        try await publishEmptyFollowList()
        var farewell = try await askToBeForgotten()
        farewell.devices = await leavePushServices()
        do throws(ClientError) {
            try await leave(clearsData: true, from: accounts)
        } catch {
            farewell.leftovers = error.description
        }
        return farewell
    }

    /// The newest request of this account to be forgotten that a relay still shows, for instance when a key is brought here.
    /// - Throws: ``ClientError/noRelayReached(_:)`` and the like.
    public func requestToVanish() async throws(ClientError) -> Event? {
        let relays = try await access.reachable()
        let filter = Filter(authors: [account], kinds: [.requestToVanish], limit: 1)
        let result = await pool.fetch([filter], from: relays)
        return result.events.max { $0.createdAt < $1.createdAt }
    }

    static var vanishedDocument: String { "vanished-at" }

    /// Takes an own request to be forgotten: own copies are not dated back beyond it.
    func take(farewell event: Event) async throws(SessionStoreError) {
        guard event.pubkey == account, event.createdAt > vanishedAt ?? 0, event.createdAt <= options.now() else {
            return
        }
        vanishedAt = event.createdAt
        try await vault.save([Self.vanishedDocument: Array(String(event.createdAt).utf8)])
    }

    private func publishEmptyFollowList() async throws(ClientError) {
        let confirming: FollowListEditor.Confirmation = [.shrink, .firstList]
        let outcome = try await edit { try await $0.clear(confirming: confirming) }
        guard outcome == .unchanged else { return }
        // What is empty already is published all the same, in case a relay has an older one.
        let last = await editor.state.watermark?.createdAt
        let now = options.now()
        guard let time = ReplaceableVersion.time(after: last, now: now, tolerance: FollowListEditor.clockTolerance)
        else {
            throw .contacts(.clockBehind(seconds: (last ?? now) - now))
        }
        try await access.publishAccepted([
            Event(kind: .followList, content: "", createdAt: time, signedBy: keys.keyPair)
        ])
    }

    private func askToBeForgotten() async throws(ClientError) -> Farewell {
        // What is not reachable by others is not told to others.
        let named = Set(access.relays.filter { !options.unreachableRelays.contains($0) }.map(\.text)).sorted()
        let tags = named.isEmpty ? [Tag("relay", "ALL_RELAYS")] : named.map { Tag("relay", $0) }
        // What is younger than the request stays, and the empty follow list may have to be younger than this second.
        let last = await editor.state.watermark?.createdAt ?? 0
        let event = Event(
            kind: .requestToVanish,
            content: "",
            tags: tags,
            createdAt: max(options.now(), last),
            signedBy: keys.keyPair
        )
        let receipt = await pool.publish(
            [event],
            to: access.relays,
            acceptance: .all,
            deadline: options.acceptanceTime
        )
        let outcomes = receipt[event.id]
        guard access.deciding.contains(where: { outcomes[$0]?.isAccepted == true }) else {
            throw .notAccepted(outcomes)
        }
        var farewell = Farewell()
        for relay in access.relays where outcomes[relay]?.isAccepted != true {
            farewell.unconfirmed[relay] = outcomes[relay]?.description ?? "no answer"
        }
        return farewell
    }
}
