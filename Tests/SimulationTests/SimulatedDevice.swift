import Foundation
import LinkstrClient
import LinkstrSessions
import Locking
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import TestSupport

/// A device with a home on disk and a clock of its own.
final class SimulatedDevice {
    let name: String
    let key: Bytes32
    private(set) var runtime: AccountRuntime
    /// What could not be sent yet, oldest first.
    var waiting: [Outgoing] = []
    var isLive = false

    private let path: String
    private let home: Home
    private let keys: AccountKeys
    private let relays: [RelayURL]
    private let options: ClientOptions

    /// - Parameter options: Its relays, loop and clock.
    init(_ name: String, _ secretKey: SecretKey, relays: [RelayURL], options: ClientOptions) async throws {
        self.name = name
        self.relays = relays
        self.options = options
        path = NSTemporaryDirectory() + "linkstr-simulation-\(UUID().uuidString)"
        home = try Home(directory: path, environment: [:])
        let accounts = Accounts(home, keyStore: FileKeyStore(home, logN: 2))
        try accounts.add(secretKey, isImported: false, now: 1)
        keys = try accounts.open(secretKey.publicKey.bytes)
        key = keys.publicKey.bytes
        runtime = try await AccountRuntime.open(keys, home: home, relays: relays, options: options)
        try await runtime.changeSettings { $0.requestsByStrangers = false }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func restart() async throws {
        isLive = false
        await runtime.close()
        runtime = try await AccountRuntime.open(keys, home: home, relays: relays, options: options)
    }
}
