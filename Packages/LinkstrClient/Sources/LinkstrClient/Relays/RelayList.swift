import NostrCrypto
public import NostrEvents

/// The relays of this device, for all its accounts.
///
/// Until somebody changes it the list is the shipped one and nothing is stored, so that a later version can ship another. The
/// first change writes the shipped relays out. A list that was emptied stays empty.
public struct RelayList: Hashable, Sendable {
    /// A relay and how it is used.
    public struct Entry: Hashable, Sendable {
        /// The relay.
        public let url: RelayURL
        /// Whether it is used.
        public var isEnabled: Bool
        /// It runs in the own daemon, which puts it into the list; it is not removed here.
        public let isEmbedded: Bool
        /// Whether others can reach an embedded relay. Where they cannot, its word decides only while no other relay is used.
        public var isShared: Bool

        /// A relay of its parts.
        public init(_ url: RelayURL, isEnabled: Bool = true, isEmbedded: Bool = false, isShared: Bool = false) {
            self.url = url
            self.isEnabled = isEnabled
            self.isEmbedded = isEmbedded
            self.isShared = isShared
        }
    }

    /// In the order in which they were added.
    public private(set) var entries: [Entry]
    /// Whether the list is the person's own, be it the same as the shipped one.
    public private(set) var isCustomised: Bool

    /// The shipped list.
    public static let standard = RelayList(
        entries: [
            "wss://relay.damus.io", "wss://relay.primal.net", "wss://nos.lol", "wss://nostr.satoshisfrens.win",
            "wss://relay.snort.social",
        ].compactMap { try? RelayURL($0) }.map { Entry($0) },
        isCustomised: false
    )

    /// A list of one's own, without the shipped relays.
    public static let empty = RelayList(entries: [], isCustomised: true)

    private init(entries: [Entry], isCustomised: Bool) {
        self.entries = entries
        self.isCustomised = isCustomised
    }

    /// The relays that are connected to.
    public var enabled: [RelayURL] { entries.filter(\.isEnabled).map(\.url) }

    /// Those of the enabled ones that others cannot reach, for ``ClientOptions/unreachableRelays``.
    public var unreachable: Set<RelayURL> {
        Set(entries.filter { $0.isEnabled && $0.isEmbedded && !$0.isShared }.map(\.url))
    }

    /// Why the list was not changed.
    public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
        /// The text is no address of a relay.
        case notARelay(String)
        /// The relay is in the list already.
        case duplicate(RelayURL)
        /// The relay is not in the list.
        case unknown(String)
        /// The relay runs in the own daemon: it can be disabled, not removed.
        case embedded(RelayURL)
        /// The relay does not run in the own daemon, so everybody can reach it anyway.
        case notEmbedded(RelayURL)

        public var description: String {
            switch self {
            case .notARelay(let text):
                "\(TypedText.repeated(text)) is no relay address: type ws:// or wss:// and a host, for example wss://relay.example.com."
            case .duplicate(let url): "\(url.text) is in the list already."
            case .unknown(let text):
                "\(TypedText.repeated(text)) is not in the list of relays: `linkstr relay list` shows it."
            case .embedded(let url):
                "\(url.text) is the relay of the own daemon: it can be disabled, or left out of the daemon's configuration."
            case .notEmbedded(let url): "\(url.text) is not the relay of the own daemon: others can reach it anyway."
            }
        }
    }

    /// Adds a relay at the end.
    /// - Throws: ``Problem/notARelay(_:)`` or ``Problem/duplicate(_:)``.
    public mutating func add(_ text: String) throws(Problem) {
        let url = try Self.url(text)
        guard index(of: url) == nil else { throw .duplicate(url) }
        entries.append(Entry(url))
        isCustomised = true
    }

    /// Removes a relay.
    /// - Throws: ``Problem/notARelay(_:)`` or ``Problem/unknown(_:)``.
    public mutating func remove(_ text: String) throws(Problem) {
        let place = try place(text)
        guard !entries[place].isEmbedded else { throw .embedded(entries[place].url) }
        entries.remove(at: place)
        isCustomised = true
    }

    /// Uses a relay, or keeps it in the list without using it.
    /// - Throws: ``Problem/notARelay(_:)`` or ``Problem/unknown(_:)``.
    public mutating func setEnabled(_ text: String, _ isEnabled: Bool) throws(Problem) {
        entries[try place(text)].isEnabled = isEnabled
        isCustomised = true
    }

    /// Says whether others can reach the relay of the own daemon, so that its word counts like that of any other.
    /// - Throws: ``Problem/notARelay(_:)``, ``Problem/unknown(_:)`` or ``Problem/notEmbedded(_:)``.
    public mutating func setShared(_ text: String, _ isShared: Bool) throws(Problem) {
        let place = try place(text)
        guard entries[place].isEmbedded else { throw .notEmbedded(entries[place].url) }
        entries[place].isShared = isShared
        isCustomised = true
    }

    /// Puts the relay of the own daemon into the list, in place of an earlier one and with what was said about it; nil takes it out.
    /// Everything else stays, the shipped relays too.
    public mutating func setEmbedded(_ url: RelayURL?) {
        let before = entries.first(where: \.isEmbedded)
        let named = url.flatMap { url in entries.first { $0.url.isSameRelay(as: url) } }
        guard before?.url != url || named?.isEmbedded == false else { return }
        entries.removeAll { entry in entry.isEmbedded || url.map { entry.url.isSameRelay(as: $0) } ?? false }
        if let url {
            let old = before ?? named
            let entry = Entry(
                url,
                isEnabled: old?.isEnabled ?? true,
                isEmbedded: true,
                isShared: before?.isShared ?? false
            )
            entries.insert(entry, at: 0)
        }
        isCustomised = true
    }

    /// Brings the shipped relays back and keeps the relay of the own daemon.
    public mutating func reset() {
        let own = entries.filter(\.isEmbedded)
        self = .standard
        guard !own.isEmpty else { return }
        entries = own + entries
        isCustomised = true
    }

    private func place(_ text: String) throws(Problem) -> Int {
        guard let place = index(of: try Self.url(text)) else { throw .unknown(text) }
        return place
    }

    private func index(of url: RelayURL) -> Int? {
        entries.firstIndex { $0.url.isSameRelay(as: url) }
    }

    private static func url(_ text: String) throws(Problem) -> RelayURL {
        do throws(EventError) { return try RelayURL(text) } catch { throw .notARelay(text) }
    }

    // MARK: On disk

    /// Reads `relays.json`; nil if it is something else.
    init?(json: [UInt8]) {
        guard let values = try? JSONValue(json: json)["relays"]?.array else { return nil }
        var entries: [Entry] = []
        for value in values {
            guard let text = value["url"]?.string, let url = try? RelayURL(text) else { return nil }
            entries.append(
                Entry(
                    url,
                    isEnabled: value["enabled"]?.bool ?? true,
                    isEmbedded: value["embedded"]?.bool ?? false,
                    isShared: value["shared"]?.bool ?? false
                )
            )
        }
        self.init(entries: entries, isCustomised: true)
    }

    var json: [UInt8] {
        let values = entries.map { entry -> JSONValue in
            var object: JSONObject = ["url": .string(entry.url.text), "enabled": .bool(entry.isEnabled)]
            if entry.isEmbedded {
                object["embedded"] = true
                object["shared"] = .bool(entry.isShared)
            }
            return .object(object)
        }
        return JSONValue.object(JSONObject([.init(key: "relays", value: .array(values))])).json
    }
}

extension Home {
    private var relays: String { configuration + "/relays.json" }

    /// The relays of this device.
    /// - Throws: ``IdentityError/malformed(path:)`` for a file that cannot be read as one.
    public func relayList() throws(IdentityError) -> RelayList {
        guard PrivateFile.exists(relays) else { return .standard }
        let json = try PrivateFile.read(relays).withUnsafeBytes { Array($0) }
        guard let list = RelayList(json: json) else { throw .malformed(path: relays) }
        return list
    }

    /// Keeps a list; a list that is not customised removes the file, so that the shipped one is used again.
    public func save(_ list: RelayList) throws(IdentityError) {
        guard list.isCustomised else {
            try PrivateFile.remove(relays)
            return
        }
        try PrivateFile.makeDirectory(configuration)
        try PrivateFile.write(list.json, to: relays)
    }
}
