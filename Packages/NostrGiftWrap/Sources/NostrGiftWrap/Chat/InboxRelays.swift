public import NostrCrypto
public import NostrEvents

/// Where somebody receives direct messages: the relays of their kind 10050 (NIP-17). Who has none is not ready to receive any.
public struct InboxRelays: Sendable, Equatable {
    /// Who receives there.
    public let owner: Bytes32
    /// In the order of the event, without repetition; only ws and wss URLs.
    public let urls: [String]
    /// Which version of the list it is: of several events the one with the greatest counts.
    public let version: ReplaceableVersion

    /// More than this many are not read; NIP-17 asks for one to three.
    public static let maximumCount = 16

    /// Reads a checked event; nil for another kind.
    public init?(_ event: Event) {
        guard event.kind == .directMessageRelays else { return nil }
        owner = event.pubkey
        version = ReplaceableVersion(event)
        urls = Self.usable(event.tags.values(named: "relay"))
    }

    /// The event that publishes a list.
    public static func event(_ urls: [String], createdAt: Int64, signedBy keys: KeyPair) -> Event {
        Event(
            kind: .directMessageRelays,
            content: "",
            tags: usable(urls).map { Tag("relay", $0) },
            createdAt: createdAt,
            signedBy: keys
        )
    }

    private static func usable(_ urls: [String]) -> [String] {
        var seen: Set<ExactText> = []
        let usable = urls.filter { url in
            let start = url.prefix(6).lowercased()
            return (start.hasPrefix("wss://") || start.hasPrefix("ws://")) && seen.insert(ExactText(url)).inserted
        }
        return Array(usable.prefix(maximumCount))
    }
}

/// Where the wraps of a chat message go.
public struct ChatDelivery: Sendable, Equatable {
    /// What to do about recipients without a list of inbox relays.
    public enum Policy: Sendable {
        /// Send to nobody unless everybody has one, as NIP-17 asks: a message that only some can read splits the room.
        case requireEveryInbox
        /// Send to those who have one.
        case skipMissing
        /// Send to the given relays for those who have none.
        case fallBack([String])
    }

    /// Relays by recipient.
    public let relays: [Bytes32: [String]]
    /// Who gets nothing.
    public let unreachable: [Bytes32]

    /// Why nothing is sent.
    public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
        /// These have not said where they receive messages.
        case noInbox([Bytes32])

        public var description: String {
            switch self {
            case .noInbox(let keys):
                "Not ready to receive messages, as they publish no inbox relays (kind 10050): "
                    + keys.map(\.hex).joined(separator: ", ")
            }
        }
    }

    /// Plans the delivery to everybody in `recipients`. The sender's own copy is best effort, and its lack of a list no reason to
    /// refuse: leave the sender out and add it after.
    public init(
        to recipients: [Bytes32],
        inboxes: [Bytes32: InboxRelays],
        policy: Policy
    ) throws(Problem) {
        var relays: [Bytes32: [String]] = [:]
        var missing: [Bytes32] = []
        for recipient in recipients {
            if let urls = inboxes[recipient]?.urls, !urls.isEmpty {
                relays[recipient] = urls
            } else if case .fallBack(let urls) = policy, !urls.isEmpty {
                relays[recipient] = urls
            } else {
                missing.append(recipient)
            }
        }
        if case .requireEveryInbox = policy, !missing.isEmpty { throw .noInbox(missing) }
        if relays.isEmpty, !missing.isEmpty { throw .noInbox(missing) }
        self.relays = relays
        unreachable = missing
    }
}
