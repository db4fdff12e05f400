/// Why a rumor says nothing about a session.
public enum PayloadError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The rumor is of another kind than 44001.
    case wrongKind
    /// The rumor's key is not the one that sealed it.
    case senderMismatch
    /// The time lies before 1970 or beyond 2^53 - 1 seconds.
    case timeOutOfRange
    /// The content is no JSON object.
    case notAnObject
    /// The payload kind is none of the six; the name is cut to 32 characters.
    case unknownKind(String)
    /// A member that this kind needs is missing or blank.
    case missing(PayloadField)
    /// A member has another type than it must have, or a value that cannot be.
    case invalid(PayloadField)
    /// A root names another post than itself.
    case foreignRootID

    public var description: String {
        switch self {
        case .wrongKind: "The rumor is not of kind 44001."
        case .senderMismatch: "The rumor was sealed by another key than it names."
        case .timeOutOfRange: "The time of the rumor lies before 1970 or beyond what numbers in JSON hold."
        case .notAnObject: "The content of the rumor is no JSON object."
        case .unknownKind(let kind): "The payload kind \(kind.debugDescription) is not known."
        case .missing(let field): "The payload has no \(field.rawValue)."
        case .invalid(let field): "The payload has a \(field.rawValue) that cannot be."
        case .foreignRootID: "The post names another post as itself."
        }
    }
}

/// A member of the payload, as it is spelled on the wire.
public enum PayloadField: String, Sendable, CaseIterable {
    /// `conversation_id`, the session.
    case conversationID = "conversation_id"
    /// `root_id`, the post.
    case rootID = "root_id"
    /// `kind`, which statement it is.
    case kind
    /// `url`, the link.
    case url
    /// `note`, the text beside it.
    case note
    /// `timestamp`, in seconds since 1970.
    case timestamp
    /// `session_name`
    case sessionName = "session_name"
    /// `member_pubkeys`, in hex.
    case memberPubkeys = "member_pubkeys"
    /// `emoji`, the reaction.
    case emoji
    /// `reaction_active`, whether it is set or taken back.
    case reactionActive = "reaction_active"
}
