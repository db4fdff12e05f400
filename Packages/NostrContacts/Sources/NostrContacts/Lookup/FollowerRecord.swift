public import NostrCrypto
public import NostrEvents

/// What the newest follow list of somebody says about the owner of the account. Records of those who follow no longer are kept too:
/// an older list does not bring them back.
public struct FollowerRecord: Equatable, Sendable {
    /// Whose list it is.
    public let author: Bytes32
    /// Which list it is.
    public let version: ReplaceableVersion
    /// Whether the list has the owner in it.
    public let followsOwner: Bool

    /// A record that was stored.
    public init(author: Bytes32, version: ReplaceableVersion, followsOwner: Bool) {
        self.author = author
        self.version = version
        self.followsOwner = followsOwner
    }

    /// The record as JSON for storing.
    public var json: [UInt8] {
        let object: JSONValue = [
            "author": .string(author.hex), "version": .stored(version), "follows": .bool(followsOwner),
        ]
        return object.json
    }

    /// Reads what ``json`` gave.
    /// - Throws: ``ContactsError/damagedStorage``.
    public init(json: [UInt8]) throws(ContactsError) {
        guard let object = try? JSONValue(json: json), let author = object["author"]?.key,
            let version = object["version"]?.version, let follows = object["follows"]?.bool
        else { throw .damagedStorage }
        self.init(author: author, version: version, followsOwner: follows)
    }

    /// The record of a checked kind 3.
    init(_ event: Event, owner: Bytes32) {
        author = event.pubkey
        version = ReplaceableVersion(event)
        followsOwner = event.tags.contains { Follow.key(of: $0) == owner }
    }
}
