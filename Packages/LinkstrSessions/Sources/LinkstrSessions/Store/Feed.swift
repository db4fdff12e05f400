public import NostrCrypto
public import NostrEvents

/// What is asked of a feed: newest first.
public struct FeedQuery: Sendable {
    /// Nil for every session that is shown, but archived ones, waiting and declined requests.
    public var session: SessionID?
    /// Only posts that were not opened.
    public var onlyUnread: Bool
    /// Not older, seconds since 1970.
    public var since: Int64?
    /// Not newer, seconds since 1970.
    public var until: Int64?
    /// Where the page before ended.
    public var before: FeedCursor?
    /// The most posts of the page.
    public var limit: Int

    /// The newest posts of everything that is shown, unless more is said.
    public init(
        session: SessionID? = nil,
        onlyUnread: Bool = false,
        since: Int64? = nil,
        until: Int64? = nil,
        before: FeedCursor? = nil,
        limit: Int = 50
    ) {
        self.session = session
        self.onlyUnread = onlyUnread
        self.since = since
        self.until = until
        self.before = before
        self.limit = limit
    }
}

extension FeedQuery {
    /// What is asked for comes before this place.
    var end: FeedCursor {
        let last = FeedCursor(time: until ?? .max, tie: .max, row: .max)
        return before.map { min($0, last) } ?? last
    }
}

/// A place in a feed.
public struct FeedCursor: Hashable, Sendable {
    let time: Int64
    let tie: Int64
    let row: Int64
}

/// A part of a feed.
public struct FeedPage: Sendable {
    /// Newest first.
    public var items: [FeedItem] = []
    /// Where to go on; nil at the end.
    public var next: FeedCursor?
    /// How many stored values were met that do not open. They are left as they are.
    public var unreadable = 0
}

/// A post as it is shown.
public struct FeedItem: Sendable, Hashable {
    /// The session it was posted in.
    public let session: SessionID
    /// The link.
    public let post: Post
    /// It was not opened yet.
    public let isUnread: Bool
    /// It came live, from a former member, long after the membership that covers it: folded.
    public let isLate: Bool
    /// Active reactions, emoji in the order of Unicode scalars.
    public let reactions: [ActiveReaction]
}

/// An emoji that is on a post.
public struct ActiveReaction: Sendable, Hashable {
    /// The emoji.
    public let emoji: ExactText
    /// Ascending.
    public let senders: [Bytes32]
}

/// A session as a list shows it.
public struct SessionSummary: Sendable, Hashable {
    /// Which session it is.
    public let id: SessionID
    /// The last name that was not blank.
    public let name: String?
    /// Who made it.
    public let creator: Bytes32
    /// Several claim to have made it.
    public let isContested: Bool
    /// Nothing is sent into it before the person says whose it is.
    public let needsConfirmation: Bool
    /// Another claimant than the creator wants it deleted: shown as a question.
    public let isDeletedByOtherClaimant: Bool
    /// The owner is a member now; else it can be read only.
    public let isActive: Bool
    /// How many are members now.
    public let memberCount: Int
    /// Up to the number asked for.
    public let unreadCount: Int
    /// The person put it away.
    public let isArchived: Bool
    /// What the person said about it, if it is by a stranger.
    public let request: SessionRequest
    /// The time of the newest post that counts or, without one, of the newest member list; seconds since 1970.
    public let updatedAt: Int64
}
