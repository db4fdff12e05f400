public import LinkstrLinks
public import NostrCrypto
public import NostrEvents

/// A link in a session.
public struct Post: Hashable, Sendable {
    /// The rumor's time and id; the id is the post's.
    public let moment: Moment
    /// Who posted it.
    public let sender: Bytes32
    /// The link, normalised.
    public let url: WebURL
    /// Trimmed; nil where there is none.
    public let note: String?

    /// A post of its parts.
    public init(moment: Moment, sender: Bytes32, url: WebURL, note: String?) {
        self.moment = moment
        self.sender = sender
        self.url = url
        self.note = note
    }

    /// The rumor's id.
    public var id: EventID { moment.id }
}

extension Membership {
    /// Whether something by a sender counts for the owner: both must be members at its time, each by the session's log.
    public func covers(_ sender: Bytes32, and owner: Bytes32, at time: Int64) -> Bool {
        contains(owner, at: time) && (sender == owner || contains(sender, at: time))
    }

    /// Whether a post or reaction that came live is marked late: its sender is not a member now, and the interval that
    /// holds its time ended more than ``lateness`` seconds before it arrived.
    public func isLate(_ sender: Bytes32, at time: Int64, now: Int64) -> Bool {
        guard !isMember(sender), let end = interval(of: sender, at: time)?.end else { return false }
        return now.subtractingReportingOverflow(end).partialValue > Self.lateness && now > end
    }

    /// 173,400 seconds: the greatest back-dating of a wrap and ten minutes.
    public static let lateness: Int64 = 173_400

    /// The optional check in front for what arrives live: whether a post or reaction may enter at all. It refuses one that is
    /// older than the newest snapshot while its sender or the owner is not a member now.
    ///
    /// It cannot stop a removed member from writing into the past: what it refuses is forgotten and comes back with the
    /// next reading of history, where only the times decide. It delays such a post and saves the notification.
    public func admitsLive(_ sender: Bytes32, and owner: Bytes32, at time: Int64) -> Bool {
        guard let newest, newest.time > time else { return true }
        return isMember(sender) && isMember(owner)
    }
}
