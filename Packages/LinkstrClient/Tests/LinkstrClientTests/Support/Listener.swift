import LinkstrClient
import LinkstrSessions
import NostrEvents

/// Reads a stream of events up to one that fits.
struct Listener {
    private var events: AsyncStream<AccountEvent>.Iterator

    init(_ runtime: AccountRuntime, buffering capacity: Int = 1_024) {
        events = runtime.events(buffering: capacity).makeAsyncIterator()
    }

    /// The first event of which `body` makes something.
    mutating func first<Result>(_ body: (AccountEvent) -> Result?) async throws -> Result {
        while let event = await events.next() {
            if let result = body(event) { return result }
        }
        throw StreamEnded()
    }

    /// Waits until history was read.
    mutating func restored() async throws {
        try await first { if case .restored = $0.kind { () } else { nil } }
    }

    /// The next post.
    mutating func post() async throws -> (id: EventID, delivery: SessionEffect.Delivery, item: FeedItem?, isWorth: Bool)
    {
        try await first { event in
            guard case .posted(_, let id, _, let delivery, let item) = event.kind else { return nil }
            return (id, delivery, item, event.isWorthNotifying)
        }
    }

    struct StreamEnded: Error {}
}
