import CommandKit
import ControlSocket
import LinkstrClient
import NostrCrypto
import NostrEvents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The way to the daemon that works on the same home, while one does.
enum DaemonLink {
    /// Connects to the daemon; nil where none runs.
    static func connect(_ call: Invocation) async throws -> ControlClient? {
        let home = try Work.home(call)
        let path = Environment.value("LINKSTRD_CONTROL_SOCKET") ?? home.socket
        guard access(path, F_OK) == 0 else { return nil }
        let client: ControlClient
        do {
            client = try await ControlClient.connect(to: path, home: home.data)
        } catch {
            if case .notRunning = error { return nil }
            throw error
        }
        return client
    }

    /// Works on the files of the home while the daemon leaves them alone and takes up afterwards what has changed.
    /// - Parameter key: An account that the daemon closes meanwhile.
    static func borrowHome<Result>(
        _ client: ControlClient,
        closing key: Bytes32?,
        _ body: @escaping () async throws -> Result
    ) async throws -> Result {
        var outcome: Swift.Result<Result, any Error>?
        let parameters = key.map { RawJSON(["account": .string($0.hex)]) }
        do {
            _ = try await client.call("home.lend", parameters) { notice, _ in
                guard notice == "lent", outcome == nil else { return }
                do { outcome = .success(try await body()) } catch { outcome = .failure(error) }
                try await client.takeBack()
            }
        } catch {
            await client.close()
            throw error
        }
        await client.close()
        guard let outcome else { throw ControlError.malformed("it did not lend the home") }
        return try outcome.get()
    }
}
