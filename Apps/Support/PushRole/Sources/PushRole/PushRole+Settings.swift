internal import LinkstrPush
public import ServiceKit
internal import Sockets

extension PushRole {
    /// The keys of the configuration that belong to the role.
    public static let settings: [Setting] = [
        Setting(
            "push_listen",
            .text,
            "Where the push gateway listens; nowhere in linkstrd run, and 0.0.0.0:8787 in linkstrd push, if left out",
            check: address
        ),
        Setting(
            "push_metrics_listen",
            .text,
            "Where the push gateway serves /metrics; nowhere if left out",
            check: address
        ),
        Setting("push_database", .text, "The push gateway's database; push.db of the home if left out"),
        Setting(
            "push_sender",
            .choice(["apns", "log"]),
            fallback: .text("apns"),
            "Who brings notifications to devices: Apple, or nobody, and only the log tells"
        ),
        Setting("push_topic", .text, "The bundle id of the app that notifications are for"),
        Setting("push_key_id", .text, "The id of the key for Apple's push service"),
        Setting("push_team_id", .text, "The id of the team that the key belongs to"),
        Setting("push_key_file", .text, "The key itself: a .p8 file that its owner alone can read"),
        Setting(
            "push_private",
            .flag,
            fallback: .flag(false),
            "Notifications tell neither what happened nor where; apps then open without going to the post"
        ),
        Setting(
            "push_path_prefix",
            .text,
            "What stands before /v1 in the address that apps use; it is part of what they sign",
            check: { value in
                let text = value.description
                let isPath = text.isEmpty || (text.hasPrefix("/") && !text.hasSuffix("/") && !text.contains("?"))
                return isPath ? nil : "is not of the form /push"
            }
        ),
        Setting(
            "push_proxies",
            .texts,
            fallback: .texts([]),
            "Addresses of proxies whose X-Forwarded-For is believed",
            check: { value in
                guard case .texts(let texts) = value else { return nil }
                return texts.first { IPAddress($0) == nil }.map {
                    "names \($0.debugDescription), which is no IP address"
                }
            }
        ),
        Setting(
            "push_concurrency",
            .integer(1...10_000),
            fallback: .integer(1_000),
            "Notifications that are being sent at the same time"
        ),
        Setting(
            "push_max_connections",
            .integer(1...1_000_000),
            fallback: .integer(1_000),
            "Connections to the push gateway at the same time"
        ),
        Setting(
            "push_max_storage",
            .integer(1...1_000_000_000),
            fallback: .integer(4096),
            "Mebibytes of the push gateway's database in use, beyond which devices and notifications are refused"
        ),
        Setting(
            "push_account_rate",
            .integer(1...1_000_000),
            fallback: .integer(10),
            "Requests a second of one account, ten times as many at once after a silence; what it may have stored follows from it"
        ),
        Setting(
            "push_address_rate",
            .integer(1...1_000_000),
            fallback: .integer(100),
            "Requests a second from one address, four times as many at once after a silence; what it may have stored follows from it"
        ),
        Setting("push_apns_production", .text, "Another host:port than Apple's for production", check: host),
        Setting("push_apns_sandbox", .text, "Another host:port than Apple's for the sandbox", check: host),
        Setting("push_apns_ca", .text, "A file of certificates that are trusted for these hosts beside the system's"),
    ]

    private static let address: @Sendable (SettingValue) -> String? = { value in
        SocketAddress.problem(withText: value.description)
    }

    private static let host: @Sendable (SettingValue) -> String? = { value in
        split(value.description) == nil ? "is not of the form push.example:443" : nil
    }

    static func split(_ text: String) -> (name: String, port: UInt16)? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port != 0
        else {
            return nil
        }
        let name = String(text[..<colon])
        return name.isEmpty ? nil : (name, port)
    }
}
