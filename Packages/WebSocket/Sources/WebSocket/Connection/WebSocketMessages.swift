/// The messages of a connection as a sequence. Ends after a closing handshake, throws when the connection breaks.
///
/// Messages come over in batches, so that most of them cost no hop from the loop. Leaving the loop early does not close
/// the connection; cancelling the task does.
public struct WebSocketMessages: AsyncSequence, Sendable {
    /// What iterating gives.
    public typealias Element = WebSocketMessage
    /// What iterating may throw.
    public typealias Failure = WebSocketError

    let connection: WebSocketConnection

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(connection: connection)
    }

    /// Reads one message after another.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let connection: WebSocketConnection
        private var batch: [WebSocketMessage] = []
        private var index = 0

        fileprivate init(connection: WebSocketConnection) {
            self.connection = connection
        }

        /// The next message, nil after a closing handshake.
        public mutating func next() async throws(WebSocketError) -> WebSocketMessage? {
            try await next(isolation: nil)
        }

        /// The next message, nil after a closing handshake.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(WebSocketError) -> WebSocketMessage? {
            if index == batch.count {
                batch = try await connection.receiveBatch()
                index = 0
            }
            guard index < batch.count else { return nil }
            defer { index += 1 }
            return batch[index]
        }
    }
}
