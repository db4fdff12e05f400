internal import NostrEvents

/// A device that wants notifications for the account that signed the request.
public struct DeviceRegistration: Sendable, Equatable {
    /// The device's token, as Apple gave it to the app.
    public var token: String
    /// Which of Apple's hosts knows the token.
    public var environment: PushEnvironment

    /// A registration of its parts.
    public init(token: String, environment: PushEnvironment) {
        self.token = token
        self.environment = environment
    }

    /// Reads the body of `POST /v1/devices/register`.
    ///
    /// - Throws: ``PushRefusal``
    public init(json: [UInt8]) throws(PushRefusal) {
        let object = try PushBody(json)
        token = try object.deviceToken()
        guard let environment = PushEnvironment(rawValue: try object.text("apns_environment").lowercased()) else {
            throw PushRefusal("apns_environment is neither sandbox nor production")
        }
        self.environment = environment
    }
}

/// Which of Apple's hosts a device belongs to.
public enum PushEnvironment: String, Sendable, Hashable {
    /// Apple's service for development.
    case sandbox
    /// Apple's service for everybody.
    case production
}

/// A device that wants no more notifications.
public struct DeviceRemoval: Sendable, Equatable {
    /// The device's token.
    public var token: String

    /// Reads the body of `POST /v1/devices/unregister`.
    ///
    /// - Throws: ``PushRefusal``
    public init(json: [UInt8]) throws(PushRefusal) {
        token = try PushBody(json).deviceToken()
    }
}

/// Which sessions an account has archived.
public struct ArchiveState: Sendable, Equatable {
    /// The sessions that are archived.
    public var archived: [String]
    /// The sessions that this is about, the archived among them; nil for all that there are.
    public var known: [String]?

    /// Reads the body of `PUT /v1/conversations/archive-state`.
    ///
    /// - Throws: ``PushRefusal``
    public init(json: [UInt8]) throws(PushRefusal) {
        let object = try PushBody(json)
        let archived = try object.texts("archived_conversation_ids")
        guard let known = try object.optionalTexts("known_conversation_ids") else {
            self.archived = PushBody.cleaned(archived)
            self.known = nil
            return
        }
        guard known.allSatisfy({ !$0.isEmpty && $0.trimmedOfBlanks.utf8.elementsEqual($0.utf8) }) else {
            throw PushRefusal("known_conversation_ids has an entry that is empty or has blanks around it")
        }
        let allowed = Set(known.map { Array($0.utf8) })
        guard archived.allSatisfy({ allowed.contains(Array($0.utf8)) }) else {
            throw PushRefusal("archived_conversation_ids has an entry that is not in known_conversation_ids")
        }
        self.archived = PushBody.cleaned(archived)
        self.known = PushBody.cleaned(known)
    }
}

/// What happened in a session, and whom to tell.
public struct PushRequest: Sendable, Equatable {
    /// What can happen.
    public enum Kind: String, Sendable, Hashable {
        /// Somebody posted a link.
        case newPost = "new_post"
        /// Somebody reacted to a post.
        case newReaction = "new_emoji_reaction"
    }

    /// What happened.
    public var kind: Kind
    /// The id of the rumor that says so.
    public var eventID: String
    /// The session.
    public var conversationID: String
    /// Public keys as they were written, without blanks and repetitions.
    public var recipients: [String]
    /// The reaction; nil for a post unless it was given.
    public var emoji: String?
    /// The post that was reacted to.
    public var postID: String?

    init(
        kind: Kind,
        eventID: String,
        conversationID: String,
        recipients: [String],
        emoji: String?,
        postID: String?
    ) {
        self.kind = kind
        self.eventID = eventID
        self.conversationID = conversationID
        self.recipients = recipients
        self.emoji = emoji
        self.postID = postID
    }

    /// Reads the body of `POST /v1/push`.
    ///
    /// - Throws: ``PushRefusal``
    public init(json: [UInt8]) throws(PushRefusal) {
        let object = try PushBody(json)
        guard let kind = Kind(rawValue: try object.text("notification_type")) else {
            throw PushRefusal("notification_type is not known")
        }
        self.kind = kind
        eventID = try object.text("event_id")
        conversationID = try object.text("conversation_id")
        recipients = PushBody.cleaned(try object.texts("recipient_pubkeys"))
        guard !recipients.isEmpty else { throw PushRefusal("recipient_pubkeys is empty") }
        emoji = try object.optionalText("emoji")
        guard kind == .newPost || emoji != nil else { throw PushRefusal("emoji is missing") }
        postID = try object.optionalText("post_id")
    }
}

/// Why a request is answered with 400: a sentence for whoever reads the answer. It repeats nothing of the request.
public struct PushRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// The sentence.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The JSON object of a request. Unknown members are left alone, and of a repeated one the last counts.
struct PushBody {
    /// Longer tokens are refused; Apple's have had 64 and 160 characters so far.
    static let longestToken = 512

    private let object: JSONObject

    init(_ json: [UInt8]) throws(PushRefusal) {
        let limits = JSONLimits(size: PushLimits.bodySize, depth: 8, allowsDuplicateKeys: true)
        guard let object = (try? JSONValue(json: json, limits: limits))?.object else {
            throw PushRefusal("the body is not a JSON object")
        }
        self.object = object
    }

    func deviceToken() throws(PushRefusal) -> String {
        let token = try text("device_token")
        guard token.utf8.count <= Self.longestToken else { throw PushRefusal("device_token is too long") }
        return token
    }

    func text(_ name: String) throws(PushRefusal) -> String {
        guard let text = try optionalText(name) else { throw PushRefusal("\(name) is missing or blank") }
        return text
    }

    /// Nil when it is missing, null or blank.
    func optionalText(_ name: String) throws(PushRefusal) -> String? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let text = value.string else { throw PushRefusal("\(name) is not a string") }
        let trimmed = text.trimmedOfBlanks
        return trimmed.isEmpty ? nil : trimmed
    }

    func texts(_ name: String) throws(PushRefusal) -> [String] {
        guard let texts = try optionalTexts(name) else { throw PushRefusal("\(name) is missing") }
        return texts
    }

    func optionalTexts(_ name: String) throws(PushRefusal) -> [String]? {
        guard let value = object[name], !value.isNull else { return nil }
        guard let texts = value.array.map({ $0.compactMap(\.string) }), texts.count == value.array?.count else {
            throw PushRefusal("\(name) is not an array of strings")
        }
        return texts
    }

    /// Without outer blanks, empty texts and repetitions, in the order of the first appearance.
    static func cleaned(_ texts: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return texts.map(\.trimmedOfBlanks).filter { !$0.isEmpty && seen.insert(Array($0.utf8)).inserted }
    }
}

extension String {
    var trimmedOfBlanks: String {
        guard let first = unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = unicodeScalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(unicodeScalars[first...last])
    }
}
