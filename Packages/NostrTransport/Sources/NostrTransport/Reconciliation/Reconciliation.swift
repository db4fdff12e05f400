public import Negentropy
public import NostrEvents

/// What one side has and the other lacks (NIP-77).
public struct Reconciliation: Sendable, Equatable {
    /// Events that are here and not on the relay.
    public internal(set) var have: [EventID] = []
    /// Events that the relay says it has and that are not here.
    public internal(set) var need: [EventID] = []
}

extension RelayConnection {
    /// Finds out which events the relay and this side do not share (NIP-77). The computing is done in the caller's task.
    ///
    /// - Parameters:
    ///   - filter: which events it is about.
    ///   - items: what is here of them.
    ///   - limit: ids that may be found in all.
    /// - Throws: ``TransportError/refused(_:)``, for instance from a relay that has too many records;
    ///   ``TransportError/reconciliation(_:)`` when the relay breaks the protocol, ``TransportError/tooMuch(limit:)``,
    ///   and whatever keeps the relay from answering.
    public nonisolated func reconcile(
        _ filter: Filter,
        with items: some NegentropySet & Sendable,
        limit: Int = 1_000_000
    ) async throws(TransportError) -> Reconciliation {
        var isSecondAttempt = false
        while true {
            do throws(TransportError) {
                return try await reconcileOnce(filter, items, limit)
            } catch {
                guard case .refused(let status) = error, status.prefix == .authenticationRequired, !isSecondAttempt,
                    await authenticated(for: status)
                else { throw error }
                isSecondAttempt = true
            }
        }
    }

    private nonisolated func reconcileOnce(
        _ filter: Filter,
        _ items: some NegentropySet & Sendable,
        _ limit: Int
    ) async throws(TransportError) -> Reconciliation {
        try await waitUntilOpen()
        let frameSize = await reconciliationFrameSize
        var client = try Self.translating { try NegentropyClient(items, frameSizeLimit: frameSize) }
        var result = Reconciliation()
        guard let name = await newWireID("sync") else { throw .badAnswer }
        var question: [UInt8]? = ClientMessage.reconcile(name, filter, client.openingMessage).json
        while let next = question {
            let answer = try await askReconciliation(name, next)
            do throws(TransportError) {
                let step = try Self.translating { try client.receive(answer) }
                guard result.have.count + result.need.count + step.have.count + step.need.count <= limit else {
                    throw .tooMuch(limit: limit)
                }
                result.have += step.have
                result.need += step.need
                question = step.next.map { ClientMessage.reconciliation(name, $0).json }
            } catch {
                await closeExchange(name.text)
                throw error
            }
        }
        await closeExchange(name.text)
        return result
    }

    /// A frame is written as hex, between brackets and quotes.
    private var reconciliationFrameSize: Int {
        min(NegentropyFrame.defaultSize, max(NegentropyFrame.minimumSize, (largestMessage - 256) / 2))
    }

    private func askReconciliation(_ name: SubscriptionID, _ question: [UInt8]) async throws(TransportError) -> [UInt8]
    {
        let exchange = Exchange(closing: ClientMessage.closeReconciliation(name).json)
        guard case .reconciliation(let message) = try await ask(name, question, exchange) else { throw .badAnswer }
        return message
    }

    private static func translating<Value>(_ body: () throws -> Value) throws(TransportError) -> Value {
        do {
            return try body()
        } catch let error as NegentropyError {
            throw .reconciliation(error)
        } catch {
            // What the caller's own set throws.
            throw .badAnswer
        }
    }
}
