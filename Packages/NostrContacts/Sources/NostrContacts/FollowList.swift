public import NostrCrypto
public import NostrEvents

/// The contents of a follow list (NIP-02, kind 3), kept as they are: every tag with all its elements, in its order, and the
/// content byte for byte. What this package does not understand survives every change.
public struct FollowList: Hashable, Sendable {
    /// All tags, those that follow nobody too.
    public let tags: [Tag]
    /// Unused today, but older clients keep settings in it.
    public let content: String

    /// A list of its parts.
    public init(tags: [Tag] = [], content: String = "") {
        self.tags = tags
        self.content = content
    }

    /// What an event says; nil for another kind than 3.
    public init?(_ event: Event) {
        guard event.kind == .followList else { return nil }
        self.init(tags: Array(event.tags), content: event.content)
    }

    /// Who is followed: each key once, at the place and with the hints of its first tag.
    public var follows: [Follow] {
        var seen: Set<Bytes32> = []
        return tags.compactMap { tag in
            guard let follow = Follow(tag), seen.insert(follow.key).inserted else { return nil }
            return follow
        }
    }

    /// The keys of ``follows``.
    public var keys: Set<Bytes32> {
        Set(tags.lazy.compactMap(Follow.key(of:)))
    }

    /// Whether somebody is followed.
    public func contains(_ key: Bytes32) -> Bool {
        tags.contains { Follow.key(of: $0) == key }
    }

    /// The list with a tag appended for each of `follows` that is not in it; several are appended in the order of their keys.
    /// Those that are in it keep their tags.
    public func adding(_ follows: some Sequence<Follow>) -> FollowList {
        var known = keys
        let new = follows.filter { known.insert($0.key).inserted }.sorted { $0.key < $1.key }
        return FollowList(tags: tags + new.map(\.tag), content: content)
    }

    /// The list without the tags of some keys.
    public func removing(_ keys: Set<Bytes32>) -> FollowList {
        FollowList(
            tags: tags.filter { tag in Follow.key(of: tag).map { !keys.contains($0) } ?? true },
            content: content
        )
    }

    /// The event that publishes the list.
    /// - Parameter createdAt: Seconds since 1970, later than the list it replaces: see `ReplaceableVersion.time(after:now:tolerance:)`.
    public func event(createdAt: Int64, signedBy keyPair: KeyPair, random: RandomSource = .system) -> Event {
        Event(kind: .followList, content: content, tags: tags, createdAt: createdAt, signedBy: keyPair, random: random)
    }

    public static func == (left: FollowList, right: FollowList) -> Bool {
        left.tags == right.tags && ExactText(left.content) == ExactText(right.content)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(tags)
        hasher.combine(ExactText(content))
    }
}
