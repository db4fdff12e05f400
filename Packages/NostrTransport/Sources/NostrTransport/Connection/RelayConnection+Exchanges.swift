public import NostrEvents
import Sockets

/// A question that has one answer: a count, or one step of a reconciliation.
final class Exchange {
    enum Answer: Sendable {
        case count(EventCount)
        case reconciliation([UInt8])
    }

    typealias Outcome = Result<Answer, TransportError>

    var timer: LoopTimer?
    var waiter: CheckedContinuation<Outcome, Never>?
    /// What the relay is told when it is given up; nil: nothing.
    let closing: [UInt8]?

    init(closing: [UInt8]?) {
        self.closing = closing
    }

    func resume(_ outcome: Outcome) {
        timer?.cancel()
        timer = nil
        waiter.take()?.resume(returning: outcome)
    }
}

extension RelayConnection {
    /// Asks how many events match (NIP-45).
    ///
    /// - Parameter filters: one at least.
    /// - Throws: ``TransportError/refused(_:)`` and whatever keeps the relay from answering.
    public func count(_ filters: [Filter]) async throws(TransportError) -> EventCount {
        try await authenticatingIfRequired { connection throws(TransportError) in
            guard let name = connection.newWireID("count") else { throw .badAnswer }
            let closing = ClientMessage.close(name).json
            let question = ClientMessage.count(name, filters).json
            let answer = try await connection.ask(name, question, Exchange(closing: closing))
            connection.exchanges[name.text] = nil
            guard case .count(let count) = answer else { throw .badAnswer }
            return count
        }
    }

    /// Asks once more when the relay refuses until it knows who asks.
    func authenticatingIfRequired<Value: Sendable>(
        _ operation: (isolated RelayConnection) async throws(TransportError) -> Value
    ) async throws(TransportError) -> Value {
        try await waitUntilOpen()
        let successes = authentication.successes
        do throws(TransportError) {
            return try await operation(self)
        } catch {
            guard case .refused(let status) = error, status.prefix == .authenticationRequired else { throw error }
            if authentication.successes == successes {
                guard await authenticated(for: status) else { throw error }
            }
            return try await operation(self)
        }
    }

    /// Sends a question and waits for its answer. After an answer the exchange stays open for the next question; after
    /// an error it is closed.
    func ask(
        _ name: SubscriptionID,
        _ question: [UInt8],
        _ exchange: Exchange
    ) async throws(TransportError) -> Exchange.Answer {
        guard socket != nil else { throw .stopped }
        guard question.count <= largestMessage else {
            throw .tooLarge(bytes: question.count, limit: largestMessage)
        }
        exchanges[name.text] = exchange
        send(question)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else {
                    continuation.resume(returning: Exchange.Outcome.failure(.cancelled))
                    return
                }
                exchange.waiter = continuation
                exchange.timer = loop.schedule(after: options.stallTime) { [weak self] in
                    self?.assumeIsolated { connection in
                        let error = TransportError.noAnswer(notice: connection.statistics.lastNotice)
                        connection.exchanges[name.text]?.resume(.failure(error))
                    }
                }
            }
        } onCancel: {
            loop.execute {
                self.assumeIsolated { $0.exchanges[name.text]?.resume(.failure(.cancelled)) }
            }
        }
        do throws(TransportError) {
            return try outcome.get()
        } catch {
            if case .refused = error { exchanges[name.text] = nil } else { closeExchange(name.text) }
            throw error
        }
    }

    /// An answer came, or a refusal.
    func answer(_ name: SubscriptionID, _ outcome: Exchange.Outcome) {
        guard let exchange = exchanges[name.text] else {
            statistics.unrequested += 1
            return
        }
        exchange.resume(outcome)
    }

    func closeExchange(_ name: String) {
        guard let exchange = exchanges.removeValue(forKey: name) else { return }
        if let closing = exchange.closing { send(closing) }
        exchange.resume(.failure(.stopped))
    }

    /// The connection is gone.
    func failExchanges(_ error: TransportError) {
        let open = exchanges
        exchanges = [:]
        for exchange in open.values { exchange.resume(.failure(error)) }
    }
}
