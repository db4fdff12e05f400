import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import SQLite
import Sockets
import WebSocket

/// A client of a relay, as plain as can be.
final class TestClient: Sendable {
    struct Failure: Error, Equatable, CustomStringConvertible {
        let description: String
    }

    let connection: WebSocketConnection
    private let inbox = Inbox()

    private actor Inbox {
        var messages: [RelayMessage] = []
        func append(_ message: RelayMessage) { messages.append(message) }
        func pop() -> RelayMessage? { messages.isEmpty ? nil : messages.removeFirst() }
    }

    init(_ relay: Relay) async throws {
        guard let url = relay.url else { throw Self.failure("the relay has no address") }
        connection = try await WebSocketClient().connect(to: url.text)
    }

    private static func failure(_ text: String) -> Failure { Failure(description: text) }

    func send(_ message: ClientMessage) async throws {
        try await connection.send(.text(message.description))
    }

    func send(_ text: String) async throws {
        try await connection.send(.text(text))
    }

    /// The next message; throws when none comes within ten seconds or the connection ends.
    func next() async throws -> RelayMessage {
        if let message = await inbox.pop() { return message }
        let batch = try await within(.seconds(10)) { [connection] in try await connection.receiveBatch() }
        guard !batch.isEmpty else { throw Self.failure("the connection was closed") }
        for message in batch { await inbox.append(try RelayMessage(json: message.bytes)) }
        return try await next()
    }

    /// Publishes; returns whether it was accepted and what was said.
    @discardableResult
    func publish(_ event: Event) async throws -> (accepted: Bool, status: String) {
        try await send(.event(event.wire))
        return try await ok(event.id)
    }

    /// The next OK, which must be about this event.
    func ok(_ id: EventID) async throws -> (accepted: Bool, status: String) {
        while true {
            switch try await next() {
            case .ok(id, let accepted, let status): return (accepted, status.text)
            case .challenge: continue
            case let other: throw Self.failure("no OK but \(other)")
            }
        }
    }

    /// The stored events for filters, then the subscription is closed.
    func fetch(_ filters: Filter...) async throws -> [EventID] {
        try await stored(filters).ids
    }

    func stored(_ filters: [Filter], named name: String = "fetch", closes: Bool = true) async throws
        -> (ids: [EventID], hints: EndOfStoredEventsHints)
    {
        let id = try SubscriptionID(name)
        try await send(.request(id, filters))
        var ids: [EventID] = []
        while true {
            switch try await next() {
            case .event(id, let event): ids.append(event.id)
            case .challenge: continue
            case .endOfStoredEvents(id, let hints):
                if closes { try await send(.close(id)) }
                return (ids, hints)
            case .closed(_, let status): throw Self.failure(status.text)
            case let other: throw Self.failure("unexpected: \(other)")
            }
        }
    }

    /// The challenge of the relay, which must come next.
    func challenge() async throws -> String {
        let message = try await next()
        guard case .challenge(let text) = message else { throw Self.failure("no challenge but \(message)") }
        return text
    }

    func authenticate(_ keys: KeyPair, _ challenge: String, _ relay: Relay, at time: Int64 = StoreClock.seconds())
        async throws -> (accepted: Bool, status: String)
    {
        guard let url = relay.url else { throw Self.failure("the relay has no address") }
        let event = RelayAuthentication.event(challenge: challenge, relay: url, createdAt: time, signedBy: keys)
        try await send(.authenticate(event.wire))
        return try await ok(event.id)
    }

    func close() async {
        await connection.close()
    }
}

/// Runs work with a deadline.
func within<Result: Sendable>(
    _ time: Duration,
    _ work: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result?.self) { group in
        group.addTask { try await work() }
        group.addTask {
            try await Task.sleep(for: time)
            return nil
        }
        defer { group.cancelAll() }
        guard let first = try await group.next(), let result = first else {
            throw TestClient.Failure(description: "nothing came in time")
        }
        return result
    }
}

/// A relay over a database in memory, for one test.
func withRelay(
    _ options: RelayOptions = RelayOptions(),
    policies: [any RelayPolicy] = [],
    _ body: (Relay, EventStore) async throws -> Void
) async throws {
    let store = try await EventStore(.memory)
    let relay = try Relay(store: store, on: .ip(.loopback4, port: 0), options: options, policies: policies)
    do {
        try await body(relay, store)
    } catch {
        await relay.close(within: .seconds(1))
        try await store.close()
        throw error
    }
    await relay.close(within: .seconds(1))
    try await store.close()
}

func note(_ content: String, by keys: KeyPair, kind: Kind = .textNote, tags: [Tag] = [], at time: Int64 = 1_700_000_000)
    -> Event
{
    Event(kind: kind, content: content, tags: tags, createdAt: time, signedBy: keys)
}
