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
        for path in places(home) where access(path, F_OK) == 0 {
            do {
                return try await ControlClient.connect(to: path, home: home.data)
            } catch ControlError.notRunning {
                continue
            }
        }
        return nil
    }

    /// Where a daemon may listen: where the one that holds the home says, which may have been started with another environment or
    /// configuration, or else where one is expected.
    private static func places(_ home: Home) -> [String] {
        if let told = Environment.value("LINKSTRD_CONTROL_SOCKET") { return [told] }
        guard let announced = HomeLock.socket(announcedIn: home), announced != home.socket else { return [home.socket] }
        return [announced, home.socket]
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
