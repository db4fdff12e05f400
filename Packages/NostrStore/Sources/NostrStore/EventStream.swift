public import NostrEvents

/// The answer to a query, part by part. Nothing is held between two parts.
public struct EventStream: AsyncSequence, Sendable {
    /// A part of the answer.
    public typealias Element = [WireEvent]

    let store: EventStore
    let filters: [Filter]
    let partSize: Int

    /// Fetches one part after another.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let stream: EventStream
        private var state: QueryState?
        private var isDone = false

        init(stream: EventStream) {
            self.stream = stream
        }

        /// The next part, never empty; nil after the last.
        public mutating func next() async throws(StoreError) -> [WireEvent]? {
            while !isDone {
                let part = try await stream.store.page(matching: stream.filters, from: state, count: stream.partSize)
                state = part.next
                isDone = part.next == nil
                if !part.events.isEmpty { return part.events }
            }
            return nil
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(stream: self)
    }
}
