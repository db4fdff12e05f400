import LinkstrClient
import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import PushRole
import SQLite
import ServiceKit
import Sockets

/// The configuration of a daemon, by the meaning of its keys.
struct DaemonConfiguration: Sendable {
    let settings: Settings

    init(_ settings: Settings) {
        self.settings = settings
    }

    static let declared = own + PushRole.settings

    private static let own: [Setting] = [
        Setting("home", .text, "Where everything is kept, instead of the XDG directories"),
        Setting(
            "control_socket",
            .text,
            "The path of the socket for linkstr; run/linkstrd.sock of the home if left out",
            check: { SocketAddress.problem(withPath: $0.description) }
        ),
        Setting(
            "accounts",
            .texts,
            fallback: .texts([]),
            isReloadable: true,
            "The accounts to keep connected, by npub or hex; all if left out",
            check: all {
                (try? PublicKey(typed: $0)) == nil ? "names \(TypedText.repeated($0)), which is no public key" : nil
            }
        ),
        Setting("http_listen", .text, "Where /healthz and /metrics are served; nowhere if left out", check: address),
        Setting(
            "log_level",
            .choice(Log.Level.allCases.map(\.name)),
            fallback: .text("info"),
            isReloadable: true,
            "What matters less is not logged"
        ),
        Setting(
            "log_format",
            .choice(Log.Form.allCases.map(\.rawValue)),
            fallback: .text("lines"),
            isReloadable: true,
            "What a line of the log looks like"
        ),
        Setting("relay_listen", .text, "Where the daemon is a relay itself; nowhere if left out", check: address),
        Setting("relay_database", .text, "The relay's database; relay.db of the home if left out"),
        Setting("relay_in_memory", .flag, fallback: .flag(false), "Keep the relay's events in memory only"),
        Setting(
            "relay_durability",
            .choice(["full", "normal"]),
            fallback: .text("full"),
            "What an acknowledged event survives: a power cut, or the end of the program only"
        ),
        Setting(
            "relay_urls",
            .texts,
            fallback: .texts([]),
            "The addresses under which clients know the relay",
            check: all {
                (try? RelayURL($0)) == nil ? "names \(TypedText.repeated($0)), which is no relay address" : nil
            }
        ),
        Setting("relay_name", .text, fallback: .text("linkstrd"), "The relay's name (NIP-11)"),
        Setting("relay_description", .text, "What the relay is for (NIP-11)"),
        Setting("relay_contact", .text, "How to reach the operator (NIP-11)"),
        Setting(
            "relay_auth",
            .choice(["off", "read", "write", "both"]),
            fallback: .text("off"),
            "What clients of the relay must be authenticated for (NIP-42)"
        ),
        Setting(
            "relay_protect_wraps",
            .flag,
            fallback: .flag(false),
            "Give gift wraps (NIP-59) only to their authenticated addressees"
        ),
        Setting(
            "relay_max_connections",
            .integer(1...1_000_000),
            fallback: .integer(10_000),
            "Connections to the relay at the same time"
        ),
        Setting("relay_max_message", .integer(1024...1 << 30), fallback: .integer(1 << 20), "Bytes of one message"),
        Setting(
            "relay_max_subscriptions",
            .integer(1...1_000_000),
            fallback: .integer(100),
            "Subscriptions of one connection"
        ),
        Setting(
            "relay_max_limit",
            .integer(1...1_000_000),
            fallback: .integer(5_000),
            "Stored events that one filter gets"
        ),
    ]

    private static let address: @Sendable (SettingValue) -> String? = { value in
        SocketAddress.problem(withText: value.description)
    }

    private static func all(_ check: @escaping @Sendable (String) -> String?) -> @Sendable (SettingValue) -> String? {
        { value in
            guard case .texts(let texts) = value else { return nil }
            return texts.lazy.compactMap(check).first
        }
    }

    /// The accounts to keep connected; nil for all.
    var accounts: Set<Bytes32>? {
        let keys = settings.texts("accounts").compactMap { try? PublicKey(typed: $0).bytes }
        return keys.isEmpty ? nil : Set(keys)
    }

    var logLevel: Log.Level { settings.text("log_level").flatMap { Log.Level($0) } ?? .info }
    var logForm: Log.Form { settings.text("log_format").flatMap { Log.Form(rawValue: $0) } ?? .lines }
    var httpAddress: SocketAddress? { settings.text("http_listen").flatMap { SocketAddress(text: $0) } }
    var relayAddress: SocketAddress? { settings.text("relay_listen").flatMap { SocketAddress(text: $0) } }

    /// How the relay serves.
    var relay: RelayOptions {
        var options = RelayOptions()
        options.urls = settings.texts("relay_urls").compactMap { try? RelayURL($0) }
        switch settings.text("relay_auth") {
        case "read": options.authentication = .read
        case "write": options.authentication = .write
        case "both": options.authentication = [.read, .write]
        default: break
        }
        options.protectsGiftWraps = settings.flag("relay_protect_wraps")
        options.information.name = settings.text("relay_name")
        options.information.description = settings.text("relay_description")
        options.information.contact = settings.text("relay_contact")
        options.information.version = Linkstrd.version
        options.limits.connections = Int(settings.integer("relay_max_connections"))
        options.limits.messageSize = Int(settings.integer("relay_max_message"))
        options.limits.contentSize = Int(settings.integer("relay_max_message"))
        options.limits.subscriptions = Int(settings.integer("relay_max_subscriptions"))
        options.limits.eventsPerFilter = Int(settings.integer("relay_max_limit"))
        return options
    }

    /// How the relay's database works.
    var store: StoreOptions {
        var urls = Set(settings.texts("relay_urls").compactMap { try? RelayURL($0).text })
        if urls.isEmpty, let address = relayAddress { urls.insert("ws://\(address)") }
        return StoreOptions(
            synchronous: settings.text("relay_durability") == "normal" ? .normal : .full,
            writerCacheBytes: 8 << 20,
            readerCacheBytes: 2 << 20,
            serviceURLs: urls
        )
    }
}
