public import LinkstrSessions
import Locking
public import NostrCrypto
import NostrEvents
import NostrGiftWrap
import NostrTransport

extension AccountRuntime {
    /// What became of a sending that succeeded.
    public struct Sent: Sendable {
        /// What was sent.
        public let outgoing: Outgoing
        /// The wraps that relays took.
        public let wraps: [WrapReference]
        /// Whose copies decided nothing and were taken by no relay.
        public let missed: [Bytes32]
        /// What changed here.
        public let effects: [SessionEffect]
    }

    /// Sends a statement, waits until every copy that decides was taken by at least one relay, and only then stores it.
    ///
    /// The same statement given again after a failure is completed: only the copies go out that no relay had taken.
    /// - Throws: ``ClientError``; nothing is stored then.
    public func send(_ outgoing: Outgoing) async throws(ClientError) -> Sent {
        try await waitForRelay()
        let earlier = unfinished[outgoing.rumor.id] ?? [:]
        let (ownSeal, events) = try await wrap(outgoing, without: Set(earlier.keys))
        let clock = ContinuousClock()
        let started = clock.now
        let answers = Locked<[RelayURL: Duration]>([:])
        // A relay gives copies back at once, and they must not count before the others are taken.
        unfinished[outgoing.rumor.id] = earlier
        let receipt = await access.publish(events.map(\.event)) { _, relay, outcome in
            if outcome.isAccepted { answers.withLock { $0[relay] = clock.now - started } }
        }
        acceptanceTimes.merge(answers.withLock { $0 }) { $1 }
        let deciding = Set(outgoing.recipients)
        var taken = earlier
        for copy in events where receipt.isAccepted(copy.event.id) { taken[copy.recipient.bytes] = copy.event.id }
        let failed = events.filter { !receipt.isAccepted($0.event.id) }
        let lost = failed.filter { deciding.contains($0.recipient.bytes) }
        guard lost.isEmpty else {
            unfinished[outgoing.rumor.id] = taken
            counters.failedSendings += 1
            throw Self.failure(lost, receipt)
        }
        defer { unfinished[outgoing.rumor.id] = nil }
        acceptanceTime = clock.now - started
        counters.sent += 1
        await announce(outgoing)
        let wraps = taken.map { WrapReference(id: $0.value, recipient: $0.key) }
        let arrival = Arrival(
            outgoing.fact,
            source: .live,
            wraps: wraps,
            isMadeHere: true,
            seal: outgoing.fact.isKeptOnRelays ? ownSeal.json : []
        )
        do throws(SessionStoreError) {
            let applied = try await store.apply([arrival], now: options.now())
            if let own = events.first(where: { $0.recipient == keys.publicKey })?.event {
                newWraps.append(Vault.KnownWrap(id: own.id, rumor: outgoing.rumor.id, time: own.createdAt))
            }
            try await accept(outgoing.fact)
            try await follow(applied.effects)
            return Sent(
                outgoing: outgoing,
                wraps: wraps,
                missed: failed.map(\.recipient.bytes),
                effects: applied.effects
            )
        } catch {
            throw .store(error)
        }
    }

    /// Waits until a relay can take something.
    /// - Throws: ``ClientError/noRelayEnabled``, ``ClientError/noRelayReached(_:)``,
    ///   ``ClientError/onlyReadOnlyRelays(_:)``.
    public nonisolated func waitForRelay() async throws(ClientError) {
        try await access.waitForRelay()
    }

    private struct Copy {
        let recipient: PublicKey
        let event: Event
    }

    /// The own copy first, then the others that decide, then the rest.
    private func wrap(
        _ outgoing: Outgoing,
        without done: Set<Bytes32>
    ) async throws(ClientError) -> (ownSeal: Event, [Copy]) {
        var others: [PublicKey] = []
        for bytes in outgoing.recipients + outgoing.bestEffort where bytes != account && !done.contains(bytes) {
            do throws(CryptoError) { others.append(try PublicKey(bytes)) } catch { throw .invalidKey(bytes) }
        }
        let now = options.now()
        let own = keys.publicKey
        do {
            let seal = try wrapper.seal(outgoing.rumor, for: own, now: now)
            var copies: [Copy] = []
            if !done.contains(account) {
                copies.append(Copy(recipient: own, event: try await wrapper.wrap(seal: seal, for: own, now: now)))
            }
            if !others.isEmpty {
                let wraps = try await wrapper.wrap(outgoing.rumor, for: others, ownCopy: .omitted, now: now)
                copies += wraps.map { Copy(recipient: $0.recipient, event: $0.event) }
            }
            return (seal, copies)
        } catch {
            // The planner measured the rumor, so only a cancelled task or a failing library comes here.
            throw .unconfirmed(outgoing.recipients)
        }
    }

    private static func failure(_ lost: [Copy], _ receipt: PublishReceipt) -> ClientError {
        let members = lost.map(\.recipient.bytes)
        for copy in lost {
            let outcomes = receipt[copy.event.id].values
            let refusals = outcomes.compactMap { outcome -> String? in
                switch outcome {
                case .rejected(let status): status.text
                case .tooLarge: outcome.description
                default: nil
                }
            }
            if !outcomes.isEmpty, refusals.count == outcomes.count { return .refused(members, refusals[0]) }
        }
        return .unconfirmed(members)
    }
}
