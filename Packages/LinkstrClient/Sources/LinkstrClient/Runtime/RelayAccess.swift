import NostrEvents
import NostrTransport

/// The relays of an account, and what it takes to publish over them.
struct RelayAccess: Sendable {
    let pool: RelayPool
    let relays: [RelayURL]
    let options: ClientOptions

    /// The relays whose word counts. One that others cannot reach does not tell whether they get something, so it decides only where
    /// there is no other.
    var deciding: [RelayURL] {
        let reachable = relays.filter { !options.unreachableRelays.contains($0) }
        return reachable.isEmpty ? relays : reachable
    }

    /// Waits until a relay that decides can take something.
    /// - Throws: ``ClientError/noRelayEnabled``, ``ClientError/noRelayReached(_:)``,
    ///   ``ClientError/onlyReadOnlyRelays(_:)``.
    func waitForRelay() async throws(ClientError) {
        guard !relays.isEmpty else { throw .noRelayEnabled }
        let updates = pool.statusUpdates()
        for relay in relays { pool.add(relay) }
        let wanted = Set(deciding)
        // Somebody waits for it now: no relay is left to its back-off.
        if !pool.statuses.values.contains(where: { $0.state.isWritable }) { await pool.networkChanged() }
        let isOpen = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                for await statuses in updates {
                    let own = statuses.filter { wanted.contains($0.key) }
                    if own.values.contains(where: { $0.state.isWritable }) { return true }
                    let isDecided = own.count == wanted.count && own.values.allSatisfy { $0.state.isReadOnly }
                    if isDecided { return false }
                }
                return false
            }
            group.addTask { [options] in
                let left = NetworkDeadline.current.map { ContinuousClock.now.duration(to: $0) }
                try? await options.sleep(left ?? options.gateTime)
                return false
            }
            let first = await group.next() ?? false
            group.cancelAll()
            return first
        }
        guard !isOpen else { return }
        let states = pool.statuses.filter { wanted.contains($0.key) }.mapValues(\.state)
        let reasons = states.mapValues(\.description)
        if !states.isEmpty, states.values.allSatisfy(\.isReadOnly) { throw .onlyReadOnlyRelays(reasons) }
        throw .noRelayReached(reasons)
    }

    /// Publishes to the relays that decide, and what they took to the others: these must not give back what was not sent.
    func publish(
        _ events: [Event],
        onOutcome: (@Sendable (EventID, RelayURL, PublishOutcome) -> Void)? = nil
    ) async -> PublishReceipt {
        let deciding = deciding
        let others = relays.filter { !deciding.contains($0) }
        let deadline = options.acceptanceTime
        let receipt = await pool.publish(events, to: deciding, deadline: deadline, onOutcome: onOutcome)
        let accepted = events.filter { receipt.isAccepted($0.id) }
        if !others.isEmpty, !accepted.isEmpty {
            _ = await pool.publish(accepted, to: others, deadline: deadline, onOutcome: onOutcome)
        }
        return receipt
    }

    /// Publishes events each of which a relay must take.
    /// - Throws: What ``waitForRelay()`` throws, or ``ClientError/notAccepted(_:)``.
    func publishAccepted(_ events: [Event]) async throws(ClientError) {
        if let failed = try await failures(publishing: events).first { throw .notAccepted(failed) }
    }

    /// Publishes events, and says what became of those that no relay took.
    /// - Throws: What ``waitForRelay()`` throws.
    func failures(publishing events: [Event]) async throws(ClientError) -> [[RelayURL: PublishOutcome]] {
        try await waitForRelay()
        let receipt = await publish(events)
        return events.filter { !receipt.isAccepted($0.id) }.map { receipt[$0.id] }
    }

    /// Waits a short while for the relays that still connect; those of the deciding ones that can be asked then.
    /// - Throws: What ``waitForRelay()`` throws.
    func reachable() async throws(ClientError) -> [RelayURL] {
        try await waitForRelay()
        let wanted = Set(deciding)
        let updates = pool.statusUpdates()
        await withTaskGroup { group in
            group.addTask {
                for await statuses in updates {
                    let isDecided = wanted.allSatisfy { relay in
                        switch statuses[relay]?.state {
                        case .connecting, .disconnected, nil: false
                        default: true
                        }
                    }
                    if isDecided { return }
                }
            }
            group.addTask { [options] in try? await options.sleep(Self.patience) }
            await group.next()
            group.cancelAll()
        }
        let statuses = pool.statuses
        return deciding.filter { statuses[$0]?.state.isOpen == true }
    }

    /// How long a relay that still connects is waited for when another one is there.
    private static let patience = Duration.seconds(3)

    /// Fetches what every reachable relay has.
    /// - Throws: What ``waitForRelay()`` throws, or ``ClientError/noAnswer(_:)`` when one of them gave no answer.
    func fetchFromAll(_ filters: [Filter]) async throws(ClientError) -> [Event] {
        let relays = try await reachable()
        var options = SubscriptionOptions.stored
        options.stallTime = .seconds(10)
        let result = await pool.fetch(filters, from: relays, options: options)
        guard result.isComplete, !relays.isEmpty else {
            throw .noAnswer(result.failures.mapValues(\.description))
        }
        return result.events
    }
}

extension RelayState {
    var isWritable: Bool {
        switch self {
        case .connected, .authenticating: true
        default: false
        }
    }

    var isReadOnly: Bool {
        if case .readOnly = self { true } else { false }
    }
}
