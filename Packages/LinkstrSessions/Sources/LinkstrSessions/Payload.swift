public import LinkstrLinks
public import NostrCrypto
public import NostrEvents

/// The content of a kind 44001 rumor: one of six statements about a session, as JSON.
public struct Payload: Hashable, Sendable {
    /// What the rumor says.
    public enum Body: Hashable, Sendable {
        /// Names a new session and its members. `operation` is an id of its own, unused by receivers.
        case create(operation: String, name: String, members: [Bytes32])
        /// The complete next member list; a missing name keeps the one that was.
        case members(operation: String, name: String?, members: [Bytes32])
        /// Ends the session. `operation` is an id of its own, unused by receivers.
        case sessionDelete(operation: String)
        /// A post. The wire's `root_id` is empty.
        case root(url: WebURL, note: String?)
        /// Takes back the post that `root` names.
        case rootDelete(root: String)
        /// Sets a reaction to the post that `root` names, or takes it back.
        case reaction(root: String, emoji: String, isActive: Bool)
    }

    /// Which session it is about.
    public let session: SessionID
    /// What it says.
    public let body: Body
    /// Seconds since 1970 as the sender wrote it; nothing depends on it.
    public let timestamp: Int64?

    /// A payload to be sent.
    public init(session: SessionID, body: Body, timestamp: Int64?) {
        self.session = session
        self.body = body
        self.timestamp = timestamp
    }

    /// The kind of the rumors that carry payloads.
    public static let kind: Kind = 44_001

    /// Reads a payload: members in any order, any legal escapes, unknown members ignored, `null` as missing. Every known member
    /// must have its type even where the kind does not use it.
    /// - Parameter isOnCurve: Whether 32 bytes are a public key; one list entry that is none makes the payload invalid.
    public init(
        json: String,
        isOnCurve: (Bytes32) -> Bool = { (try? PublicKey($0)) != nil }
    ) throws(PayloadError) {
        guard let value = try? JSONValue(json: json), let object = value.object else {
            throw .notAnObject
        }
        let fields = Fields(object)
        let conversation = try fields.needed(.conversationID)
        let rootID = try fields.needed(.rootID)
        let kind = try fields.needed(.kind)
        let url = try fields.string(.url)
        let note = try fields.string(.note)
        timestamp = try fields.integer(.timestamp)
        let name = try fields.string(.sessionName)
        let keys = try fields.strings(.memberPubkeys)
        let emoji = try fields.string(.emoji)
        let isActive = try fields.bool(.reactionActive)

        guard let session = SessionID(conversation) else { throw .missing(.conversationID) }
        self.session = session
        let target = rootID.linkstrTrimmed
        switch kind {
        case "session_create":
            guard let name = name?.linkstrTrimmed, !name.isEmpty else { throw .missing(.sessionName) }
            body = .create(operation: target, name: name, members: try Self.members(keys, isOnCurve))
        case "session_members":
            let trimmed = name?.linkstrTrimmed ?? ""
            body = .members(
                operation: target,
                name: trimmed.isEmpty ? nil : trimmed,
                members: try Self.members(keys, isOnCurve)
            )
        case "session_delete":
            body = .sessionDelete(operation: target)
        case "root":
            guard let url else { throw .missing(.url) }
            guard let normalised = try? WebURL(url) else { throw .invalid(.url) }
            let trimmed = note?.linkstrTrimmed ?? ""
            if !target.isEmpty { rootIDOfRoot = target }
            body = .root(url: normalised, note: trimmed.isEmpty ? nil : trimmed)
        case "root_delete":
            guard !target.isEmpty else { throw .missing(.rootID) }
            body = .rootDelete(root: target)
        case "reaction":
            guard !target.isEmpty else { throw .missing(.rootID) }
            guard let emoji = emoji?.linkstrTrimmed, !emoji.isEmpty else { throw .missing(.emoji) }
            guard let isActive else { throw .missing(.reactionActive) }
            body = .reaction(root: target, emoji: emoji, isActive: isActive)
        default:
            throw .unknownKind(String(kind.prefix(32)))
        }
    }

    /// What a received root wrote in `root_id`, if it was not blank: it must be the rumor's own id.
    var rootIDOfRoot: String?

    /// The payload as it is sent: members in the order of ``PayloadField``, missing ones left out, and `/` escaped, as the
    /// linkstr apps write it.
    public var json: String {
        var object = JSONObject()
        func set(_ field: PayloadField, _ value: JSONValue) { object[field.rawValue] = value }
        set(.conversationID, .string(session.text))
        switch body {
        case .create(let operation, let name, let members):
            set(.rootID, .string(operation))
            set(.kind, "session_create")
            setTimestamp(&object)
            set(.sessionName, .string(name))
            set(.memberPubkeys, .array(members.map { .string($0.hex) }))
        case .members(let operation, let name, let members):
            set(.rootID, .string(operation))
            set(.kind, "session_members")
            setTimestamp(&object)
            if let name { set(.sessionName, .string(name)) }
            set(.memberPubkeys, .array(members.map { .string($0.hex) }))
        case .sessionDelete(let operation):
            set(.rootID, .string(operation))
            set(.kind, "session_delete")
            setTimestamp(&object)
        case .root(let url, let note):
            set(.rootID, "")
            set(.kind, "root")
            set(.url, .string(url.text))
            if let note { set(.note, .string(note)) }
            setTimestamp(&object)
        case .rootDelete(let root):
            set(.rootID, .string(root))
            set(.kind, "root_delete")
            setTimestamp(&object)
        case .reaction(let root, let emoji, let isActive):
            set(.rootID, .string(root))
            set(.kind, "reaction")
            setTimestamp(&object)
            set(.emoji, .string(emoji))
            set(.reactionActive, .bool(isActive))
        }
        // A slash stands in no key, number or escape of this object, only inside strings.
        return JSONValue.object(object).description.replacing("/", with: #"\/"#)
    }

    private func setTimestamp(_ object: inout JSONObject) {
        if let timestamp { object[PayloadField.timestamp.rawValue] = .integer(timestamp) }
    }

    private static func members(
        _ texts: [String]?,
        _ isOnCurve: (Bytes32) -> Bool
    ) throws(PayloadError) -> [Bytes32] {
        guard let texts, !texts.isEmpty else { throw .missing(.memberPubkeys) }
        var seen: Set<Bytes32> = []
        var members: [Bytes32] = []
        for text in texts {
            guard let key = try? Bytes32(hex: text.linkstrTrimmed.lowercased()), isOnCurve(key) else {
                throw .invalid(.memberPubkeys)
            }
            if seen.insert(key).inserted { members.append(key) }
        }
        return members
    }
}

/// Typed access to the payload's members: `null` is missing, another type is an error.
private struct Fields {
    let object: JSONObject

    init(_ object: JSONObject) {
        self.object = object
    }

    func needed(_ field: PayloadField) throws(PayloadError) -> String {
        guard let value = try string(field) else { throw .missing(field) }
        return value
    }

    func string(_ field: PayloadField) throws(PayloadError) -> String? {
        guard let value = value(field) else { return nil }
        guard let string = value.string else { throw .invalid(field) }
        return string
    }

    func integer(_ field: PayloadField) throws(PayloadError) -> Int64? {
        guard let value = value(field) else { return nil }
        guard let integer = value.integer else { throw .invalid(field) }
        return integer
    }

    func bool(_ field: PayloadField) throws(PayloadError) -> Bool? {
        guard let value = value(field) else { return nil }
        guard let bool = value.bool else { throw .invalid(field) }
        return bool
    }

    func strings(_ field: PayloadField) throws(PayloadError) -> [String]? {
        guard let value = value(field) else { return nil }
        guard let array = value.array else { throw .invalid(field) }
        var strings: [String] = []
        for element in array {
            guard let string = element.string else { throw .invalid(field) }
            strings.append(string)
        }
        return strings
    }

    private func value(_ field: PayloadField) -> JSONValue? {
        guard let value = object[field.rawValue], !value.isNull else { return nil }
        return value
    }
}
