/// How large an event may be that is read from JSON.
public struct EventLimits: Sendable, Equatable {
    /// Bytes of the event's JSON.
    public let size: Int
    /// Bytes of the content, as written in the JSON.
    public let contentSize: Int
    /// Number of tags where ``tagsOfKind`` names none.
    public let tags: Int
    /// Number of tags for kinds that differ.
    public let tagsOfKind: [Kind: Int]

    /// No kind allows fewer.
    let fewestTags: Int
    /// No kind allows more.
    let mostTags: Int

    /// - Parameters:
    ///   - size: Bytes of the event's JSON, by default 2 MiB.
    ///   - contentSize: Bytes of the content, as written in the JSON, by default 2 MiB: a gift wrap's content is larger
    ///     than the largest NIP-44 plaintext it carries.
    ///   - tags: Number of tags, by default 2,000.
    ///   - tagsOfKind: Number of tags for kinds that differ, by default 10,000 for a follow list (kind 3).
    public init(
        size: Int = 2 << 20,
        contentSize: Int = 2 << 20,
        tags: Int = 2_000,
        tagsOfKind: [Kind: Int] = [.followList: 10_000]
    ) {
        self.size = size
        self.contentSize = contentSize
        self.tags = tags
        self.tagsOfKind = tagsOfKind
        fewestTags = min(tags, tagsOfKind.values.min() ?? tags)
        mostTags = max(tags, tagsOfKind.values.max() ?? tags)
    }

    /// The defaults of ``init(size:contentSize:tags:tagsOfKind:)``.
    public static let standard = EventLimits()

    /// The number of tags allowed for a kind.
    public func tags(for kind: Kind) -> Int {
        tagsOfKind[kind] ?? tags
    }
}
