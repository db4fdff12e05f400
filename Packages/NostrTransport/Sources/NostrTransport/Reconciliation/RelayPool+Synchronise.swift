public import Negentropy
public import NostrEvents

/// Which way events go when two sides are brought to the same state.
public enum SynchronisationDirection: Sendable, Equatable {
    /// From the relay to here.
    case down
    /// From here to the relay.
    case up
    /// Both.
    case both
}

/// What was exchanged with a relay.
public struct Synchronisation: Sendable {
    /// What was found to differ.
    public internal(set) var difference = Reconciliation()
    /// Events that came from the relay and were verified.
    public internal(set) var received = 0
    /// Events that the relay had named and did not send.
    public internal(set) var missing = 0
    /// What the relay did with the events that it lacked; nil if none were sent.
    public internal(set) var receipt: PublishReceipt?
}

extension RelayPool {
    private static let idsPerRequest = 250

    /// Brings a relay and this side to the same state for one filter, sending little more than what differs (NIP-77).
    ///
    /// - Parameters:
    ///   - filter: which events it is about.
    ///   - items: what is here of them.
    ///   - relay: the relay; added if it is not in the pool.
    ///   - direction: which way events go.
    ///   - receive: takes verified events that were missing here, in portions; the next portion waits for it.
    ///   - load: gives the events of some ids that the relay lacks; those that it leaves out are not sent.
    /// - Throws: as ``RelayConnection/reconcile(_:with:limit:)``, and what keeps the relay from sending.
    public func synchronise(
        _ filter: Filter,
        with items: some NegentropySet & Sendable,
        on relay: RelayURL,
        direction: SynchronisationDirection = .both,
        receive: ([Event]) async -> Void,
        load: (ArraySlice<EventID>) async -> [Event]
    ) async throws(TransportError) -> Synchronisation {
        var result = Synchronisation()
        result.difference = try await add(relay).reconcile(filter, with: items)
        if direction != .up {
            for ids in Self.portions(result.difference.need) {
                let fetched = try await fetch(ids, from: relay)
                result.received += fetched.count
                result.missing += ids.count - fetched.count
                await receive(fetched)
            }
        }
        if direction != .down {
            for ids in Self.portions(result.difference.have) {
                let receipt = await publish(load(ids), to: [relay], acceptance: .all)
                if result.receipt == nil {
                    result.receipt = receipt
                } else {
                    result.receipt?.outcomes.merge(receipt.outcomes) { $1 }
                }
                if Task.isCancelled { throw .cancelled }
            }
        }
        return result
    }

    /// Fetches events by their ids from one relay.
    func fetch(_ ids: some Sequence<EventID>, from relay: RelayURL) async throws(TransportError) -> [Event] {
        let fetched = await fetch([Filter(ids: Set(ids))], from: [relay])
        if let error = fetched.failures[relay] { throw error }
        return fetched.events
    }

    static func portions(_ ids: [EventID]) -> [ArraySlice<EventID>] {
        stride(from: 0, to: ids.count, by: idsPerRequest).map { ids[$0..<min($0 + idsPerRequest, ids.count)] }
    }
}
