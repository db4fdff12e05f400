public import NostrCrypto
public import NostrEvents

/// The newest profile of one key that was seen: its name and the version it is from. Both can be stored, and an older profile does
/// not bring an older name back.
public struct ProfileRecord: Equatable, Sendable {
    /// Whose profile it is.
    public let key: Bytes32
    /// The version the name is from.
    public private(set) var version: ReplaceableVersion
    /// The published name, cleaned; nil if there is none.
    public private(set) var name: String?

    /// A record that was stored.
    public init(key: Bytes32, version: ReplaceableVersion, name: String?) {
        self.key = key
        self.version = version
        self.name = name
    }

    /// The record as JSON for storing.
    public var json: [UInt8] {
        let object: JSONValue = [
            "key": .string(key.hex), "version": .stored(version), "name": name.map(JSONValue.string) ?? .null,
        ]
        return object.json
    }

    /// Reads what ``json`` gave.
    /// - Throws: ``ContactsError/damagedStorage``.
    public init(json: [UInt8]) throws(ContactsError) {
        guard let object = try? JSONValue(json: json), let key = object["key"]?.key,
            let version = object["version"]?.version, let name = object["name"], name.isNull || name.string != nil
        else { throw .damagedStorage }
        self.init(key: key, version: version, name: name.string)
    }

    /// The record of a first profile; nil for another kind. Content that is no JSON object gives no name.
    public init?(_ event: Event) {
        guard event.kind == .metadata else { return nil }
        self.init(key: event.pubkey, version: ReplaceableVersion(event), name: Self.name(in: event))
    }

    /// Takes another profile of the same key.
    /// - Returns: Whether it is newer and counts now.
    public mutating func apply(_ event: Event) -> Bool {
        guard event.kind == .metadata, event.pubkey == key, ReplaceableVersion(event) > version else { return false }
        version = ReplaceableVersion(event)
        name = Self.name(in: event)
        return true
    }

    private static func name(in event: Event) -> String? {
        (try? ProfileMetadata(content: event.content))?.chosenName
    }
}
