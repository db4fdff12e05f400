import LinkstrClient
import NostrCrypto
import NostrEvents
import NostrTransport

/// Somebody with a device.
final class Person {
    let temporary: TemporaryHome
    let keys: AccountKeys
    var key: Bytes32 { keys.publicKey.bytes }
    var publicKey: PublicKey { keys.publicKey }

    init(_ secretKey: SecretKey = .generate()) throws {
        temporary = try TemporaryHome()
        let accounts = temporary.accounts
        try accounts.add(secretKey, isImported: false, now: 1)
        keys = try accounts.open(secretKey.publicKey.bytes)
    }

    /// Another device of the same person.
    func secondDevice() throws -> Person {
        try Person(keys.keyPair.secretKey)
    }

    func runtime(_ relays: [RelayURL], gate: Duration = .seconds(12)) async throws -> AccountRuntime {
        var options = ClientOptions()
        options.gateTime = gate
        options.transport.information = nil
        return try await AccountRuntime.open(keys, home: temporary.home, relays: relays, options: options)
    }

    /// A runtime that receives and has read what there was.
    func live(
        _ relays: [RelayURL],
        _ change: (inout ClientOptions) -> Void = { _ in }
    ) async throws -> (AccountRuntime, Listener) {
        var options = ClientOptions()
        options.transport.information = nil
        options.historyRetryTime = .milliseconds(50)
        options.transport.backoff.first = .milliseconds(20)
        options.transport.backoff.longest = .milliseconds(50)
        change(&options)
        let runtime = try await AccountRuntime.open(keys, home: temporary.home, relays: relays, options: options)
        var listener = Listener(runtime)
        await runtime.start()
        try await listener.restored()
        return (runtime, listener)
    }
}
