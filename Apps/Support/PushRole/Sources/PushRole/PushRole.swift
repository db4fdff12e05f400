internal import APNs
public import CommandKit
public import LinkstrPush
internal import SQLite
public import ServiceKit
internal import Sockets

/// A push gateway as one of the things that a service does: its configuration, its check, its start.
public struct PushRole: Sendable {
    /// Whether this build can speak to Apple: whether it was built with the package trait `Push`.
    public static var reachesApple: Bool {
        #if Push
            true
        #else
            false
        #endif
    }

    /// Whether a configuration wants the role beside others.
    public static func isWanted(_ settings: Settings) -> Bool { settings.text("push_listen") != nil }

    /// How the gateway works.
    public let options: PushSettings
    /// The path of the database.
    public let database: String

    private let settings: Settings

    /// Reads a configuration.
    ///
    /// - Parameter directory: where the database is unless the configuration says another place.
    /// - Throws: `CommandFailure` with ``ExitCode/configuration`` and everything that is missing.
    public init(_ settings: Settings, directory: String) throws(CommandFailure) {
        self.settings = settings
        database = settings.text("push_database") ?? directory + "/push.db"
        var options = PushSettings()
        if let address = settings.text("push_listen").flatMap({ SocketAddress(text: $0) }) { options.address = address }
        options.metricsAddress = settings.text("push_metrics_listen").flatMap { SocketAddress(text: $0) }
        options.pathPrefix = settings.text("push_path_prefix") ?? ""
        options.proxies = Set(settings.texts("push_proxies").compactMap { IPAddress($0) })
        options.isPrivate = settings.flag("push_private")
        options.concurrency = Int(settings.integer("push_concurrency"))
        options.limits.connections = Int(settings.integer("push_max_connections"))
        options.limits.storage = Int(settings.integer("push_max_storage")) << 20
        let (account, address) = (settings.integer("push_account_rate"), settings.integer("push_address_rate"))
        options.limits.perAccount = .init(burst: Double(account) * 10, perSecond: Double(account))
        options.limits.perAddress = .init(burst: Double(address) * 4, perSecond: Double(address))
        options.limits.storedPerAccount = .init(burst: Double(account) * 2_000, perSecond: Double(account))
        options.limits.storedPerAddress = .init(burst: Double(address) * 2_000, perSecond: Double(address))
        self.options = options
        guard settings.text("push_sender") != "log" else { return }
        guard Self.reachesApple else {
            throw CommandFailure(
                .configuration,
                "this build cannot speak to Apple's push service; install libnghttp2-dev and build with "
                    + "swift build --traits Push, or set push_sender to log to try the gateway without"
            )
        }
        let missing = ["push_topic", "push_key_id", "push_team_id", "push_key_file"].filter { settings.text($0) == nil }
        guard missing.isEmpty else {
            throw CommandFailure(.configuration, "the push gateway needs \(missing.joined(separator: ", "))")
        }
    }

    /// Opens the database and begins to listen and to send.
    ///
    /// - Throws: `CommandFailure` for a key that cannot be used, `SQLiteError` for a database, `SocketsError` for an address.
    public func start(_ log: Log) async throws -> PushService {
        let sender = try sender(log)
        let store = try await openStore()
        do {
            return try PushService(options, store: store, sender: sender, log: PushLog { log.warning($0) })
        } catch {
            await store.close()
            throw error
        }
    }

    /// Takes over the database of the earlier push service.
    ///
    /// - Throws: `PushImport.Failure`, `SQLiteError`.
    public func takeOver(_ path: String) async throws -> PushImport.Report {
        let store = try await openStore()
        do {
            let import_ = PushImport(into: store, isPrivate: options.isPrivate)
            let report = try await import_.run(.file(path), now: PushClock.system.milliseconds())
            await store.close()
            return report
        } catch {
            await store.close()
            throw error
        }
    }

    private func openStore() async throws -> SQLitePushStore {
        Folder.make(Folder.parent(of: database))
        return try await SQLitePushStore(
            .file(database),
            limits: options.limits,
            now: PushClock.system.milliseconds()
        )
    }

    private func sender(_ log: Log) throws(CommandFailure) -> any PushSender {
        #if Push
            if settings.text("push_sender") != "log" { return APNsSender(try client()) }
        #endif
        return LogSender { log.info($0) }
    }

    /// Asks Apple whether key, team and topic are right, on both hosts, with a token that no device has. Nothing is sent to
    /// anybody.
    ///
    /// - Returns: what is wrong, as sentences; nothing if all is well.
    public func check() async -> [String] {
        #if Push
            guard settings.text("push_sender") != "log" else { return [] }
            let client: APNsClient
            do throws(CommandFailure) {
                client = try self.client()
            } catch {
                return [error.message]
            }
            var problems: [String] = []
            for environment in APNsEnvironment.allCases {
                if let problem = await Self.problem(client, environment) {
                    problems.append("Apple's push service (\(environment.rawValue)): \(problem)")
                }
            }
            await client.close()
            return problems
        #else
            return []
        #endif
    }
}

#if Push
    extension PushRole {
        private func client() throws(CommandFailure) -> APNsClient {
            let path = settings.text("push_key_file") ?? ""
            let pem = try Files.readSecret(path, limit: 64 * 1024)
            do throws(APNsError) {
                let signer = try APNsTokenSigner(
                    key: APNsSigningKey(pem: pem),
                    keyID: settings.text("push_key_id") ?? "",
                    teamID: settings.text("push_team_id") ?? ""
                )
                var configuration = APNsConfiguration(
                    topic: settings.text("push_topic") ?? "",
                    signer: signer,
                    now: { PushClock.system.milliseconds() / 1000 }
                )
                for (environment, key) in [
                    (APNsEnvironment.production, "push_apns_production"), (.sandbox, "push_apns_sandbox"),
                ] {
                    guard let (name, port) = settings.text(key).flatMap({ Self.split($0) }) else { continue }
                    configuration.hosts[environment] = APNsHost(name: name, port: port)
                }
                configuration.extraAuthoritiesFile = settings.text("push_apns_ca")
                configuration.limit = options.concurrency * 2
                return try APNsClient(configuration)
            } catch {
                throw CommandFailure(.configuration, error.description)
            }
        }

        private static func problem(_ client: APNsClient, _ environment: APNsEnvironment) async -> String? {
            let nobody = APNsNotification(
                deviceToken: String(repeating: "0", count: 64),
                payload: Array(#"{"aps":{}}"#.utf8)
            )
            do throws(APNsError) {
                let response = try await client.send(nobody, to: environment, within: .seconds(15))
                switch response.verdict {
                // That the token is bad is looked at last.
                case .delivered, .deviceGone: return nil
                case .retryLater, .configuration:
                    return "it answers \(response.status) \(response.reason?.rawValue ?? "without a reason")"
                }
            } catch {
                return error.description
            }
        }
    }
#endif
