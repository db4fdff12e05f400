import CommandKit
import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import ServiceKit
import SQLite
import Sockets

/// The options of `relay serve`.
enum RelayOptionsOfCommand {
    static let listen = DefaultedOption(
        "listen",
        .socketAddress,
        default: SocketAddress.ip(.loopback4, port: 7447),
        "The address and port to listen on; port 0 is any free one"
    )
    static let metrics = Option("metrics", .seconds, "Print the relay's counters as a JSON line every SECONDS")

    private static let urls = RepeatedOption("url", .relay, "An address under which clients know the relay")
    private static let durability = DefaultedOption(
        "durability",
        .choice(["full", "normal"]),
        default: "full",
        "What an acknowledged event survives: a power cut (full), or the end of the program only (normal)"
    )
    private static let search = RepeatedOption(
        "search",
        .kind,
        "Index the contents of events of this kind, so that they can be searched (NIP-50)"
    )
    private static let auth = DefaultedOption(
        "auth",
        .choice(["off", "read", "write", "both"]),
        default: "off",
        "What clients must be authenticated for (NIP-42)"
    )
    private static let protectWraps = Flag(
        "protect-wraps",
        "Give gift wraps (NIP-59) only to their authenticated addressees"
    )
    private static let members = RepeatedOption("member", .publicKey, "Serve only clients authenticated as this key")
    private static let authors = RepeatedOption(
        "author",
        .publicKey,
        "Take only events of this author, and gift wraps for it"
    )
    private static let kinds = RepeatedOption("kind", .kind, "Take only events of this kind")
    private static let blockedKinds = RepeatedOption("block-kind", .kind, "Take no events of this kind")
    private static let work = DefaultedOption(
        "min-pow",
        .integer(in: 0...256),
        default: 0,
        "Leading zero bits that ids must have (NIP-13)"
    )
    private static let past = Option(
        "max-past",
        .integer(in: 0...Int64.max),
        placeholder: "SECONDS",
        "Take no older events; gift wraps are dated back by up to two days"
    )
    private static let future = Option(
        "max-future",
        .integer(in: 0...Int64.max),
        placeholder: "SECONDS",
        "Take no events whose time lies further ahead"
    )
    private static let rate = Option(
        "rate",
        .integer(in: 1...1_000_000),
        "Take N events a second of one connection, and ten times as many at once after a silence"
    )
    private static let authorRate = Option(
        "author-rate",
        .integer(in: 1...1_000_000),
        "Take N events a second of one author, and ten times as many at once after a silence"
    )
    private static let connections = count("max-connections", 10_000, "Connections at the same time")
    private static let perAddress = Option(
        "max-connections-per-ip",
        .integer(in: 1...1_000_000),
        "Connections at the same time from one IP address"
    )
    private static let connectionRate = count("max-connection-rate", 500, "Connections taken in a second; more wait")
    private static let messageSize = count("max-message", 1 << 20, "Bytes of one message")
    private static let subscriptions = count("max-subscriptions", 100, "Subscriptions of one connection")
    private static let filters = count("max-filters", 32, "Filters of one request")
    private static let limit = count("max-limit", 5_000, "Stored events that one filter gets")
    private static let unread = count("max-unread", 4 << 20, "Bytes that may wait for a client that does not read")
    private static let allUnread = count("max-unread-all", 256 << 20, "Bytes that may wait for all clients together")
    private static let stall = DefaultedOption(
        "stall",
        .seconds,
        default: Duration.seconds(30),
        "Drop a client that reads nothing of what waits for it for SECONDS"
    )
    private static let tags = count("max-tags", 2_000, "Tags of one event")
    private static let admins = RepeatedOption("admin", .publicKey, "Who may manage the relay over HTTP (NIP-86)")
    private static let managementFile = Option(
        "management",
        .file,
        "Where decisions of administrators are kept; beside the database if it is left out"
    )
    private static let name = Option("name", .text, "The relay's name (NIP-11)")
    private static let description = Option("description", .text, "What the relay is for (NIP-11)")
    private static let contact = Option("contact", .text, placeholder: "URI", "How to reach the operator (NIP-11)")
    private static let compress = Flag("compress", "Compress messages for clients that ask for it")
    private static let certificate = Option("certificate", .file, "The certificate chain as PEM, to speak wss")
    private static let certificateKey = Option("certificate-key", .file, "The key of the certificate as PEM")

    static let all: [any CommandKit.Parameter] = [
        listen, RelayPlace.database, RelayPlace.inMemory, urls, durability, search, auth, protectWraps, members,
        authors,
        kinds, blockedKinds, work, past, future, rate, authorRate, connections, perAddress, connectionRate, messageSize,
        subscriptions,
        filters, limit, unread, allUnread, stall, tags, admins, managementFile, name, description, contact, compress,
        certificate, certificateKey,
        metrics,
    ]

    private static func count(_ name: String, _ fallback: Int, _ help: String) -> DefaultedOption<Int> {
        DefaultedOption(name, .integer(in: 1...1_000_000_000), default: fallback, help)
    }

    static func store(_ call: Invocation) -> StoreOptions {
        StoreOptions(
            synchronous: call[durability] == "full" ? .full : .normal,
            searchKinds: Set(call[search])
        )
    }

    static func relay(_ call: Invocation) -> RelayOptions {
        var options = RelayOptions()
        options.urls = call[urls]
        switch call[auth] {
        case "read": options.authentication = .read
        case "write": options.authentication = .write
        case "both": options.authentication = [.read, .write]
        default: break
        }
        options.protectsGiftWraps = call[protectWraps]
        options.minimumDifficulty = call[work]
        options.administrators = Set(call[admins].map(\.bytes))
        if let file = call[managementFile] {
            options.managementFile = file
        } else if !call[admins].isEmpty, let location = try? RelayPlace.location(call), case .file(let path) = location
        {
            options.managementFile = path + ".management.json"
        }
        options.supportsSearch = !call[search].isEmpty
        options.compresses = call[compress]
        options.information.name = call[name]
        options.information.description = call[description]
        options.information.contact = call[contact]
        options.information.pubkey = call[admins].first?.bytes
        options.information.version = Linkstr.version
        options.limits.connections = call[connections]
        options.limits.connectionsPerAddress = call[perAddress]
        options.limits.connectionsPerSecond = call[connectionRate]
        options.limits.messageSize = call[messageSize]
        options.limits.contentSize = call[messageSize]
        options.limits.subscriptions = call[subscriptions]
        options.limits.filters = call[filters]
        options.limits.eventsPerFilter = call[limit]
        options.limits.outgoingBytes = call[unread]
        options.limits.allOutgoingBytes = call[allUnread]
        options.limits.stallTime = call[stall]
        options.limits.tags = call[tags]
        return options
    }

    static func policies(_ call: Invocation) -> [any RelayPolicy] {
        var policies: [any RelayPolicy] = []
        if !call[kinds].isEmpty { policies.append(KindPolicy(only: Set(call[kinds]))) }
        if !call[blockedKinds].isEmpty { policies.append(KindPolicy(allBut: Set(call[blockedKinds]))) }
        if !call[authors].isEmpty { policies.append(AuthorPolicy(only: Set(call[authors].map(\.bytes)))) }
        if !call[members].isEmpty { policies.append(MemberPolicy(Set(call[members].map(\.bytes)))) }
        if call[past] != nil || call[future] != nil {
            policies.append(TimePolicy(past: call[past], future: call[future]) { Clock.now })
        }
        if let rate = call[rate] {
            policies.append(RatePolicy(per: .connection, perSecond: Double(rate), burst: 10 * rate))
        }
        if let rate = call[authorRate] {
            policies.append(RatePolicy(per: .author, perSecond: Double(rate), burst: 10 * rate))
        }
        return policies
    }

    static func tls(_ call: Invocation) throws -> TLSServer? {
        switch (call[certificate], call[certificateKey]) {
        case (nil, nil): return nil
        case (let chain?, let key?): return try TLSServer(certificateChainFile: chain, privateKeyFile: key)
        default: throw CommandFailure(.usage, "--certificate and --certificate-key belong together")
        }
    }
}
