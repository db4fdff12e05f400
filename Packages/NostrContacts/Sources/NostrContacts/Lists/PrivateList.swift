public import NostrCrypto
public import NostrEvents

/// A list of NIP-51: tags that everybody sees, and tags that only its owner can read because they are encrypted to itself in the
/// content. Unknown tags and their order stay.
public struct PrivateList: Equatable, Sendable {
    /// What everybody sees.
    public var publicTags: [Tag]
    /// What only the owner can read.
    public var privateTags: [Tag]

    /// A list of its parts.
    public init(publicTags: [Tag] = [], privateTags: [Tag] = []) {
        self.publicTags = publicTags
        self.privateTags = privateTags
    }

    /// Reads an own list of any kind.
    /// - Throws: ``ContactsError/legacyEncryption`` for NIP-04, ``ContactsError/unreadablePrivatePart`` for what this key cannot
    ///   decrypt or what is no array of tags. Such a list must not be written again: its private part would be lost.
    public init(_ event: Event, owner: KeyPair) throws(ContactsError) {
        publicTags = Array(event.tags)
        privateTags = []
        let content = event.content
        guard !content.isEmpty else { return }
        if content.contains("?iv=") { throw .legacyEncryption }
        guard event.pubkey == owner.publicKey.bytes,
            let json = try? NIP44.decryptBytes(content, with: ConversationKey(owner.secretKey, owner.publicKey)),
            let tags = Self.tags(json)
        else { throw .unreadablePrivatePart }
        privateTags = tags
    }

    /// Public and private tags, the public ones first.
    public var tags: [Tag] { publicTags + privateTags }

    /// The event that publishes the list. Without private tags its content is empty.
    /// - Throws: ``ContactsError/tooLarge(_:)``.
    public func event(kind: Kind, createdAt: Int64, signedBy owner: KeyPair) throws(ContactsError) -> Event {
        var content = ""
        if !privateTags.isEmpty {
            let json = JSONValue.array(privateTags.map { .array($0.elements.map(JSONValue.string)) }).json
            do {
                content = try NIP44.encrypt(json, with: ConversationKey(owner.secretKey, owner.publicKey))
            } catch {
                throw .tooLarge(error)
            }
        }
        return Event(kind: kind, content: content, tags: publicTags, createdAt: createdAt, signedBy: owner)
    }

    /// The tags of an array of arrays of texts; nil if it is something else.
    private static func tags(_ json: [UInt8]) -> [Tag]? {
        guard let rows = (try? JSONValue(json: json))?.array else { return nil }
        var tags: [Tag] = []
        for row in rows {
            guard let values = row.array else { return nil }
            let elements = values.compactMap(\.string)
            guard elements.count == values.count, let tag = Tag(elements: elements) else { return nil }
            tags.append(tag)
        }
        return tags
    }
}
