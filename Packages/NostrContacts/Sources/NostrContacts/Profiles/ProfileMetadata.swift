public import NostrCrypto
public import NostrEvents

/// What somebody says about themselves: the JSON object in the content of a kind 0 event (NIP-01). Members that this package does
/// not know stay as they are.
public struct ProfileMetadata: Equatable, Sendable {
    /// All members, in the order they were written.
    public private(set) var object: JSONObject

    /// Characters that an own name may have.
    public static let maximumNameLength = 80

    /// Metadata without members.
    public init() {
        object = JSONObject()
    }

    /// Reads the content of a kind 0 event. Of a key that is there twice the last counts.
    /// - Throws: ``ContactsError/notMetadata`` unless it is a JSON object, of less than 256 KiB and not deeper than 32.
    public init(content: String) throws(ContactsError) {
        let limits = JSONLimits(size: 256 << 10, depth: 32, allowsDuplicateKeys: true)
        guard let object = (try? JSONValue(json: content, limits: limits))?.object else { throw .notMetadata }
        var places: [ExactText: Int] = [:]
        var members: [JSONObject.Member] = []
        for member in object.members {
            if let place = places.updateValue(members.count, forKey: ExactText(member.key)) {
                places[ExactText(member.key)] = place
                members[place] = member
            } else {
                members.append(member)
            }
        }
        self.object = JSONObject(members)
    }

    /// Reads a checked event; nil for another kind.
    /// - Throws: ``ContactsError/notMetadata``.
    public init?(_ event: Event) throws(ContactsError) {
        guard event.kind == .metadata else { return nil }
        try self.init(content: event.content)
    }

    /// A member that is a text; nil if it is absent, null or something else.
    public subscript(text key: String) -> String? {
        object[key]?.string
    }

    /// What to call them: `display_name`, or `name` if that is empty, without control characters and with single spaces.
    /// Nil if nothing is left.
    public var chosenName: String? {
        Self.cleaned(self[text: "display_name"] ?? "") ?? Self.cleaned(self[text: "name"] ?? "")
    }

    /// A name without control characters, runs of white space as one space, none at the ends; nil if nothing is left.
    public static func cleaned(_ name: String) -> String? {
        var cleaned = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            if scalar.properties.isWhitespace {
                if let last = cleaned.last, last != " " { cleaned.append(" ") }
            } else if scalar.properties.generalCategory != .control {
                cleaned.append(scalar)
            }
        }
        if cleaned.last == " " { cleaned.removeLast() }
        return cleaned.isEmpty ? nil : String(cleaned)
    }

    /// Sets `name` and `display_name` to a name; a name of which nothing is left when it is cleaned removes both.
    /// - Throws: ``ContactsError/nameTooLong(limit:)`` beyond ``maximumNameLength``.
    public mutating func setName(_ name: String) throws(ContactsError) {
        let name = Self.cleaned(name)
        guard name.map({ $0.count <= Self.maximumNameLength }) ?? true else {
            throw .nameTooLong(limit: Self.maximumNameLength)
        }
        object["name"] = name.map(JSONValue.string)
        object["display_name"] = name.map(JSONValue.string)
    }

    /// Sets or, with nil, removes a member.
    public mutating func set(_ key: String, to value: JSONValue?) {
        object[key] = value
    }

    /// The JSON, keys in the order of their bytes at every level.
    public var content: String {
        String(decoding: Self.sorted(.object(object)).json, as: UTF8.self)
    }

    private static func sorted(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let object):
            let members = object.members.sorted { ExactText($0.key) < ExactText($1.key) }
            return .object(JSONObject(members.map { JSONObject.Member(key: $0.key, value: sorted($0.value)) }))
        case .array(let values): return .array(values.map(sorted))
        default: return value
        }
    }

    /// The event that publishes the metadata.
    /// - Parameters:
    ///   - last: The newest own profile that is known; the event's time is after it.
    ///   - now: Seconds since 1970.
    /// - Throws: ``ContactsError/clockBehind(seconds:)`` if the known one is dated more than ten minutes ahead.
    public func event(
        replacing last: ReplaceableVersion?,
        now: Int64,
        signedBy keyPair: KeyPair
    ) throws(ContactsError) -> Event {
        guard let time = ReplaceableVersion.time(after: last?.createdAt, now: now, tolerance: 600) else {
            throw .clockBehind(seconds: (last?.createdAt ?? now) - max(now, 0))
        }
        return Event(kind: .metadata, content: content, createdAt: time, signedBy: keyPair)
    }
}
