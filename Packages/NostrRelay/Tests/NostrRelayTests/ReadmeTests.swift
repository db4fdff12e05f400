import Foundation
import NostrRelay
import NostrStore
import SQLite
import Sockets
import Testing

@Suite struct ReadmeTests {
    @Test func theExampleOfTheReadmeRuns() async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("relay-\(UUID()).db").path
        defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + end) } }

        let store = try await EventStore(.file(path))
        var options = RelayOptions()
        options.information.name = "my relay"
        options.authentication = .write
        let rate = RatePolicy(per: .author, perSecond: 10, burst: 100)
        let relay = try Relay(store: store, on: .ip(.loopback4, port: 0), options: options, policies: [rate])
        // relay.url is "ws://127.0.0.1:" and the port; relay.metrics tells what it does.
        #expect(relay.url != nil)
        #expect(relay.metrics.connections == 0)
        await relay.close()
        try await store.close()
    }
}
