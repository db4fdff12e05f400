public import NostrCrypto
public import NostrEvents

/// Whom and what an account does not want to see (NIP-51, kind 10000).
public struct MuteList: Equatable, Sendable {
    /// One thing that is not wanted.
    public enum Entry: Hashable, Sendable {
        /// An author, by the public key.
        case key(Bytes32)
        /// A thread, by the event that starts it.
        case thread(EventID)
        /// Without the sign, in lower case.
        case hashtag(String)
        /// In lower case.
        case word(String)

        init?(_ tag: Tag) {
            guard let value = tag.value, !value.isEmpty else { return nil }
            switch tag.name {
            case "p":
                guard let key = Follow.key(of: tag) else { return nil }
                self = .key(key)
            case "e":
                guard let id = try? EventID(hex: value) else { return nil }
                self = .thread(id)
            case "t": self = .hashtag(value.lowercased())
            case "word": self = .word(value.lowercased())
            default: return nil
            }
        }

        var tag: Tag {
            switch self {
            case .key(let key): Tag("p", key.hex)
            case .thread(let id): Tag("e", id.hex)
            case .hashtag(let text): Tag("t", text.lowercased())
            case .word(let text): Tag("word", text.lowercased())
            }
        }
    }

    /// All tags, those that mean nothing here too.
    public private(set) var list: PrivateList

    /// An empty list.
    public init() {
        list = PrivateList()
    }

    /// Reads an own list; nil for another kind.
    /// - Throws: What ``PrivateList/init(_:owner:)`` throws.
    public init?(_ event: Event, owner: KeyPair) throws(ContactsError) {
        guard event.kind == .muteList else { return nil }
        list = try PrivateList(event, owner: owner)
    }

    /// Everything that is not wanted, privately or not.
    public var entries: Set<Entry> { Set(list.tags.compactMap(Entry.init)) }

    /// What everybody can see.
    public var publicEntries: Set<Entry> { Set(list.publicTags.compactMap(Entry.init)) }

    /// Adds an entry, by default so that nobody else sees it. One that is there stays where it is.
    public mutating func add(_ entry: Entry, isPrivate: Bool = true) {
        guard !entries.contains(Entry(entry.tag) ?? entry) else { return }
        if isPrivate { list.privateTags.append(entry.tag) } else { list.publicTags.append(entry.tag) }
    }

    /// Takes an entry out of both parts.
    public mutating func remove(_ entry: Entry) {
        let entry = Entry(entry.tag) ?? entry
        list.privateTags.removeAll { Entry($0) == entry }
        list.publicTags.removeAll { Entry($0) == entry }
    }

    /// The event that publishes the list.
    /// - Throws: ``ContactsError/tooLarge(_:)``.
    public func event(createdAt: Int64, signedBy owner: KeyPair) throws(ContactsError) -> Event {
        try list.event(kind: .muteList, createdAt: createdAt, signedBy: owner)
    }
}
