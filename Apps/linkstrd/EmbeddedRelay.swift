import LinkstrClient
import NostrEvents
import NostrRelay
import NostrStore
import SQLite
import ServiceKit
import Sockets

/// The relay inside the daemon.
struct EmbeddedRelay: Sendable {
    let relay: Relay
    let store: EventStore

    /// Opens the database and begins to serve; nil where the configuration wants none.
    /// - Parameter descriptor: A socket that the service manager has opened for it, instead of an address.
    static func open(_ launch: Launch, adopting descriptor: Int32?) async throws -> EmbeddedRelay? {
        let configuration = launch.configuration
        guard descriptor != nil || configuration.relayAddress != nil else { return nil }
        let location: Location
        if configuration.settings.flag("relay_in_memory") {
            location = .memory
        } else {
            location = .file(configuration.settings.text("relay_database") ?? launch.home.data + "/relay.db")
        }
        let store = try await EventStore(location, options: configuration.store)
        do {
            return EmbeddedRelay(relay: try serve(store, configuration, descriptor), store: store)
        } catch {
            try await store.close()
            throw error
        }
    }

    private static func serve(
        _ store: EventStore,
        _ configuration: DaemonConfiguration,
        _ descriptor: Int32?
    ) throws -> Relay {
        if let descriptor { return try Relay(store: store, adopting: descriptor, options: configuration.relay) }
        let address = configuration.relayAddress ?? .ip(.loopback4, port: 0)
        return try Relay(store: store, on: address, options: configuration.relay)
    }

    /// The address under which this process reaches it; nil for a Unix socket.
    var ownAddress: RelayURL? {
        guard case .ip(let address, let port) = relay.address else { return nil }
        // A relay that listens everywhere listens here.
        let host: IPAddress =
            switch address {
            case .v4(0): .loopback4
            case .v6(0, 0, _): .loopback6
            default: address
            }
        return try? RelayURL("ws://\(SocketAddress.ip(host, port: port))")
    }

    func close() async {
        await relay.close(within: .seconds(1))
        // What was acknowledged is committed; a failure here loses nothing.
        try? await store.close()
    }
}
