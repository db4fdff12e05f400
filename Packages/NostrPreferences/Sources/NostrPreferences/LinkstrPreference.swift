public import NostrCrypto
public import NostrEvents

/// The two records of linkstr: what somebody is called here, and which sessions are put away.
///
/// | JSON | meaning |
/// |---|---|
/// | `{"alias":{"pubkey":"<hex>","name":"<text>"}}` | the alias of a key |
/// | `{"alias":{"pubkey":"<hex>"}}` | no alias |
/// | `{"archive":{"sessionID":"<id>","archived":true}}` | archived, or with `false` explicitly not |
public enum LinkstrPreference: PreferenceRecord, Hashable {
    /// What somebody is called; nil clears it.
    case alias(PublicKey, name: String?)
    /// Whether a session is archived.
    case archive(sessionID: String, isArchived: Bool)

    /// Under which all of them are published.
    public static let namespace = "linkstr/preferences/v1/"

    /// `alias:` and the key's hex, or `archive:` and the session's id.
    public var itemKey: String {
        switch self {
        case .alias(let key, _): "alias:" + key.hex
        case .archive(let session, _): "archive:" + session
        }
    }

    /// No alias, or explicitly not archived.
    public var cleared: LinkstrPreference {
        switch self {
        case .alias(let key, _): .alias(key, name: nil)
        case .archive(let session, _): .archive(sessionID: session, isArchived: false)
        }
    }

    /// Reads one of the two records. A name that is null counts as absent; a blank one is malformed, as is a session id with spaces
    /// around it.
    /// - Throws: ``PreferencesError/malformedRecord(_:)``.
    public init(_ object: JSONObject) throws(PreferencesError) {
        switch (object["alias"], object["archive"]) {
        case (let alias?, nil): self = try Self.alias(alias)
        case (nil, let archive?): self = try Self.archive(archive)
        case (nil, nil): throw .malformedRecord("it is neither an alias nor an archive mark")
        default: throw .malformedRecord("it is an alias and an archive mark at once")
        }
    }

    private static func alias(_ value: JSONValue) throws(PreferencesError) -> LinkstrPreference {
        guard let text = value["pubkey"]?.string, let key = try? PublicKey(hex: text) else {
            throw .malformedRecord("pubkey is no public key")
        }
        switch value["name"] {
        case nil, .null: return .alias(key, name: nil)
        case .string(let name) where !name.allSatisfy(\.isWhitespace): return .alias(key, name: name)
        default: throw .malformedRecord("name is blank or no text")
        }
    }

    private static func archive(_ value: JSONValue) throws(PreferencesError) -> LinkstrPreference {
        guard let session = value["sessionID"]?.string, let first = session.first, let last = session.last,
            !first.isWhitespace, !last.isWhitespace
        else { throw .malformedRecord("sessionID is no session") }
        guard let isArchived = value["archived"]?.bool else { throw .malformedRecord("archived is no truth value") }
        return .archive(sessionID: session, isArchived: isArchived)
    }

    /// Sets the members of `alias` or `archive`; unknown ones stay.
    public func write(into object: inout JSONObject) {
        switch self {
        case .alias(let key, let name):
            object.changeObject("alias") { alias in
                alias["pubkey"] = .string(key.hex)
                alias["name"] = name.map(JSONValue.string)
            }
        case .archive(let session, let isArchived):
            object.changeObject("archive") { archive in
                archive["sessionID"] = .string(session)
                archive["archived"] = .bool(isArchived)
            }
        }
    }

    /// Equal when published the same, byte for byte.
    public static func == (left: LinkstrPreference, right: LinkstrPreference) -> Bool {
        switch (left, right) {
        case (.alias(let key, let name), .alias(let other, let otherName)):
            key == other && name.map(ExactText.init) == otherName.map(ExactText.init)
        case (.archive(let session, let isArchived), .archive(let other, let isOther)):
            ExactText(session) == ExactText(other) && isArchived == isOther
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(itemKey))
    }
}
