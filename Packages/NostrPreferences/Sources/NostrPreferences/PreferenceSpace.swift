public import NostrCrypto
public import NostrEvents

/// The private records of one account and application: events of kind 30078 (NIP-78), encrypted by the owner to itself, under names
/// that tell outsiders nothing.
///
/// The `d` tag is the namespace followed by HMAC-SHA256 of namespace and item key, keyed with the owner's secret key.
public struct PreferenceSpace: Sendable {
    /// What every name begins with, like `linkstr/preferences/v1/`. Everybody can see it.
    public let namespace: String
    /// Whose records they are.
    public let owner: KeyPair
    private let conversation: ConversationKey
    private let names: HMACSHA256

    /// What may be decrypted: records are small.
    private static let limits = NIP44.Limits(maximumPlaintextSize: 65_535, allowsExtendedLength: false)

    /// A space of one owner.
    public init(namespace: String, owner: KeyPair) {
        self.namespace = namespace
        self.owner = owner
        conversation = ConversationKey(owner.secretKey, owner.publicKey)
        names = owner.secretKey.withUnsafeBytes { HMACSHA256(key: $0) }
    }

    /// The value of the `d` tag of an item.
    public func identifier(for itemKey: String) -> String {
        namespace + names.code(for: Array((namespace + itemKey).utf8)).hex
    }

    /// What relays are asked for.
    public var filter: Filter { Filter(authors: [owner.publicKey.bytes], kinds: [.applicationData]) }

    /// The event of a record.
    /// - Parameters:
    ///   - object: The members of the version that it replaces; those that the record does not know are kept.
    ///   - createdAt: Seconds since 1970.
    /// - Throws: ``PreferencesError/tooLarge(_:)``.
    public func encode<Record: PreferenceRecord>(
        _ record: Record,
        over object: JSONObject = JSONObject(),
        createdAt: Int64,
        random: RandomSource = .system
    ) throws(PreferencesError) -> StoredPreference<Record> {
        var object = object
        record.write(into: &object)
        let content: String
        do throws(CryptoError) {
            content = try NIP44.encrypt(
                JSONValue.object(object).json,
                with: conversation,
                limits: Self.limits,
                random: random
            )
        } catch {
            throw .tooLarge(error)
        }
        let event = Event(
            kind: .applicationData,
            content: content,
            tags: [Tag("d", identifier(for: record.itemKey))],
            createdAt: createdAt,
            signedBy: owner,
            random: random
        )
        return StoredPreference(event: event, record: record, object: object)
    }

    /// Reads a checked event.
    /// - Throws: ``PreferencesError``, a case for each thing that can be wrong.
    public func decode<Record: PreferenceRecord>(
        _ event: Event,
        as type: Record.Type
    ) throws(PreferencesError) -> StoredPreference<Record> {
        guard event.kind == .applicationData, event.pubkey == owner.publicKey.bytes else { throw .foreignEvent }
        let identifier = event.tags.identifier
        guard identifier.utf8.starts(with: namespace.utf8) else { throw .foreignNamespace }
        let json: [UInt8]
        do throws(CryptoError) {
            json = try NIP44.decryptBytes(event.content, with: conversation, limits: Self.limits)
        } catch {
            throw .undecryptable(error)
        }
        let (record, object) = try Self.read(json, as: type)
        guard ExactText(self.identifier(for: record.itemKey)) == ExactText(identifier) else { throw .otherItem }
        return StoredPreference(event: event, record: record, object: object)
    }

    /// Reads the JSON of a record.
    /// - Throws: ``PreferencesError/notAnObject`` or ``PreferencesError/malformedRecord(_:)``.
    public static func read<Record: PreferenceRecord>(
        _ json: [UInt8],
        as type: Record.Type
    ) throws(PreferencesError) -> (record: Record, object: JSONObject) {
        guard let object = (try? JSONValue(json: json))?.object else { throw .notAnObject }
        return (try Record(object), object)
    }
}

/// A record with the event that carries it, and with all members of its object.
public struct StoredPreference<Record: PreferenceRecord>: Sendable {
    /// Complete, signed and encrypted.
    public let event: Event
    /// What it says.
    public let record: Record
    /// All members, those that the record does not know too.
    public let object: JSONObject

    /// Its place in the order of versions.
    public var version: ReplaceableVersion { ReplaceableVersion(event) }
}
