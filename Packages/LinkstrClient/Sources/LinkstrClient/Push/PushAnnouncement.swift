import LinkstrSessions
import NostrEvents

/// What a push service is told after relays have accepted it: a new post of one's own, or a reaction that one has switched on.
/// Nothing else is ever announced: no deletion, no reaction that was switched off, nothing from history, nothing of others.
public struct PushAnnouncement: Sendable, Equatable {
    enum Content: Sendable, Equatable {
        case post
        case reaction(emoji: String, postID: String)
    }

    let content: Content
    /// The rumor's id in hex: of the post, or of the reaction.
    public let eventID: String
    /// The session.
    public let sessionID: String

    /// What there is to tell of a statement of this account; nil where nobody is to be woken.
    init?(_ fact: Fact) {
        switch fact.statement {
        case .root: self = .post(id: fact.id.hex, sessionID: fact.session.text)
        case .reaction(let root, let emoji, isActive: true):
            self = .reaction(id: fact.id.hex, emoji: emoji.text, postID: root.hex, sessionID: fact.session.text)
        case .reaction, .snapshot, .sessionDelete, .rootDelete: return nil
        }
    }

    private init(content: Content, eventID: String, sessionID: String) {
        self.content = content
        self.eventID = eventID
        self.sessionID = sessionID
    }

    /// A new post.
    ///
    /// - Parameter id: the rumor's id in hex.
    public static func post(id: String, sessionID: String) -> PushAnnouncement {
        PushAnnouncement(content: .post, eventID: id, sessionID: sessionID)
    }

    /// A reaction that was switched on.
    ///
    /// - Parameters:
    ///   - id: the id of the reaction's rumor in hex.
    ///   - postID: the id of the post in hex.
    public static func reaction(id: String, emoji: String, postID: String, sessionID: String) -> PushAnnouncement {
        PushAnnouncement(content: .reaction(emoji: emoji, postID: postID), eventID: id, sessionID: sessionID)
    }
}

/// What a push service made of an announcement.
public struct PushAcceptance: Sendable, Equatable {
    /// How many members are newly told; members that were told before, have archived the session or have no device do not count.
    public var recipients: Int
    /// How many devices they have.
    public var devices: Int

    /// An acceptance of its numbers.
    public init(recipients: Int, devices: Int) {
        self.recipients = recipients
        self.devices = devices
    }
}
