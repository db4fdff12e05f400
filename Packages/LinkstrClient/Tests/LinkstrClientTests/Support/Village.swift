import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import SQLite
import Sockets
import Testing

/// A real relay on this machine, and people who use it.
final class Village {
    let store: EventStore
    let relay: Relay
    let url: RelayURL

    init(policies: [any RelayPolicy] = []) async throws {
        store = try await EventStore(.memory)
        relay = try Relay(store: store, on: .ip(.loopback4, port: 0), policies: policies)
        url = try #require(relay.url)
    }

    func close() async throws {
        await relay.close()
        try await store.close()
    }

    /// How many gift wraps for somebody are on the relay.
    func count(of key: Bytes32) async throws -> Int {
        var filter = Filter(kinds: [.giftWrap])
        filter.tags[.p] = [key.hex]
        return try await store.events(matching: [filter]).count
    }

    /// The newest event of a kind by somebody on the relay.
    func newest(_ kind: Kind, by author: Bytes32) async throws -> Event? {
        let found = try await store.events(matching: [Filter(authors: [author], kinds: [kind], limit: 1)])
        return try found.first.map { try Event(verifying: $0) }
    }
}
