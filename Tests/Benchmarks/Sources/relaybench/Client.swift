import NostrEvents
import WebSocket

/// A connection to the relay that is measured.
struct Client {
    let connection: WebSocketConnection

    init(_ url: String) async throws {
        var client = WebSocketClient()
        client.compressionOffer = nil
        connection = try await client.connect(to: url)
    }

    func send(_ messages: some Sequence<[UInt8]>) async throws {
        try await connection.send(contentsOf: messages.map { WebSocketMessage(kind: .text, bytes: $0) })
    }

    /// All messages that are there.
    func receive() async throws -> [WebSocketMessage] {
        let batch = try await connection.receiveBatch()
        if batch.isEmpty { throw WebSocketError.cancelled }
        return batch
    }

    /// Publishes with so many events in flight; returns how many were accepted.
    func publish(_ messages: ArraySlice<[UInt8]>, window: Int) async throws -> Int {
        var rest = messages
        var (inFlight, accepted) = (0, 0)
        while inFlight > 0 || !rest.isEmpty {
            let next = rest.prefix(window - inFlight)
            if !next.isEmpty {
                rest = rest.dropFirst(next.count)
                inFlight += next.count
                try await send(next)
            }
            for message in try await receive() where RelayMessagePreview(message.bytes)?.label == .ok {
                inFlight -= 1
                if case .ok(_, true, _) = try RelayMessage(json: message.bytes) { accepted += 1 }
            }
        }
        return accepted
    }
}
