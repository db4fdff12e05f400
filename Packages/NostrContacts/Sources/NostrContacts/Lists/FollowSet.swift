public import NostrCrypto
public import NostrEvents

extension Kind {
    /// A named group of people (NIP-51).
    public static let followSet: Kind = 30_000
}

/// A named group of people (NIP-51, kind 30000). An account has any number of them, told apart by ``identifier``.
public struct FollowSet: Equatable, Sendable {
    /// The value of the `d` tag.
    public let identifier: String
    /// All tags, those that mean nothing here too.
    public private(set) var list: PrivateList

    /// An empty set.
    public init(identifier: String) {
        self.identifier = identifier
        list = PrivateList(publicTags: [Tag("d", identifier)])
    }

    /// Reads an own set; nil for another kind.
    /// - Throws: What ``PrivateList/init(_:owner:)`` throws.
    public init?(_ event: Event, owner: KeyPair) throws(ContactsError) {
        guard event.kind == .followSet else { return nil }
        identifier = event.tags.identifier
        list = try PrivateList(event, owner: owner)
    }

    /// What people call the set.
    public var title: String? {
        get { text("title") }
        set { set("title", newValue) }
    }

    /// What the set is for.
    public var summary: String? {
        get { text("description") }
        set { set("description", newValue) }
    }

    /// The URL of a picture.
    public var image: String? {
        get { text("image") }
        set { set("image", newValue) }
    }

    /// Everybody in the set, each once, those whom everybody sees first.
    public var members: [Follow] { FollowList(tags: list.tags).follows }

    /// Adds somebody, by default so that everybody sees it. Who is in it stays where they are.
    public mutating func add(_ member: Follow, isPrivate: Bool = false) {
        guard !members.contains(where: { $0.key == member.key }) else { return }
        if isPrivate { list.privateTags.append(member.tag) } else { list.publicTags.append(member.tag) }
    }

    /// Takes somebody out of both parts.
    public mutating func remove(_ key: Bytes32) {
        list.privateTags.removeAll { Follow.key(of: $0) == key }
        list.publicTags.removeAll { Follow.key(of: $0) == key }
    }

    /// The event that publishes the set.
    /// - Throws: ``ContactsError/tooLarge(_:)``.
    public func event(createdAt: Int64, signedBy owner: KeyPair) throws(ContactsError) -> Event {
        try list.event(kind: .followSet, createdAt: createdAt, signedBy: owner)
    }

    private func text(_ name: String) -> String? {
        list.publicTags.first { $0.name == name }?.value
    }

    private mutating func set(_ name: String, _ value: String?) {
        let place = list.publicTags.firstIndex { $0.name == name }
        switch (place, value) {
        case (let place?, let value?): list.publicTags[place] = Tag(name, value)
        case (let place?, nil): list.publicTags.remove(at: place)
        case (nil, let value?): list.publicTags.append(Tag(name, value))
        case (nil, nil): break
        }
    }
}
