import CommandKit
import LinkstrClient
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import WebSocket

/// How commands talk to relays.
enum Network {
    static let relays = VariadicArgument("RELAY", .relay, minimum: 1, "The relays, like wss://relay.example.com")

    static let authenticationHelp =
        "With a secret key, given by --sec or LINKSTR_SECRET, a relay that refuses to answer strangers is told who asks "
        + "(NIP-42)."

    /// Makes connections go as the device's settings say, through their proxy and with their issuers, and within `--timeout`.
    /// - Parameter relays: Those that were typed.
    static func apply(_ call: Invocation, to connector: inout Connector, reaching relays: [RelayURL] = []) throws {
        if let home = try? Work.home(call) {
            try home.networkSettings().apply(to: &connector, reaching: relays)
        }
        if let timeout = call[GlobalOptions.timeout] { connector.timeout = timeout }
    }

    /// A pool that keeps to `--timeout` and answers challenges with the secret key, if there is one.
    static func pool(_ call: Invocation, for relays: [RelayURL], reconnects: Bool) throws -> RelayPool {
        var options = TransportOptions()
        options.information = nil
        options.reconnects = reconnects
        try apply(call, to: &options.webSocket.connector, reaching: relays)
        if let timeout = call[GlobalOptions.timeout] { options.stallTime = timeout }
        if let source = call[Secret.option] {
            let keys = KeyPair(try Secret.key(source, call))
            options.authenticator = RelayAuthenticator(keys: [keys])
        }
        return try RelayPool(options: options)
    }

    /// Runs work with a pool, which is shut down in any case; Ctrl-C cancels the work.
    static func withPool(
        _ call: Invocation,
        for relays: [RelayURL],
        reconnects: Bool = false,
        _ work: @escaping @Sendable (RelayPool) async throws -> Void
    ) async throws {
        let pool = try pool(call, for: relays, reconnects: reconnects)
        do {
            try await Interruption.cancelling { try await work(pool) }
        } catch {
            await pool.shutDown()
            throw error
        }
        await pool.shutDown()
    }

    /// Says why relays failed. Throws when none has done what was asked: with ``ExitCode/timedOut`` if all ran out of time.
    static func report(_ failures: [RelayURL: TransportError], of count: Int, _ console: Console) throws {
        for (relay, error) in failures.sorted(by: { $0.key.text < $1.key.text }) {
            console.warn("\(relay): \(TerminalText.safe(error.sentence, width: 500))")
        }
        guard failures.count == count else { return }
        let timedOut = failures.values.allSatisfy { $0.exitCode == .timedOut }
        throw CommandFailure(
            timedOut ? .timedOut : .unavailable,
            timedOut ? "no relay answered in time" : "no relay answered"
        )
    }
}
