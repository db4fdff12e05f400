public import NostrCrypto
public import NostrEvents

/// Who is in a chat (NIP-17): the author and everybody in the `p` tags. Another set is another room.
public struct ChatRoom: Hashable, Sendable {
    /// Ascending, without repetition.
    public let participants: [Bytes32]

    /// The room of these, the author among them.
    public init(_ participants: some Sequence<Bytes32>) {
        self.participants = Set(participants).sorted()
    }

    /// The room of a message; nil if it has a `p` tag that is no key, for then nobody can say who else reads it.
    public init?(_ rumor: Rumor) {
        var keys = [rumor.pubkey]
        for value in rumor.tags.values(named: "p") {
            guard let key = try? Bytes32(hex: value) else { return nil }
            keys.append(key)
        }
        self.init(keys)
    }

    /// Everybody but one.
    public func others(than key: Bytes32) -> [Bytes32] {
        participants.filter { $0 != key }
    }
}
