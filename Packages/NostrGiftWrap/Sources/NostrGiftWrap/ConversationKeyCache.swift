public import NostrCrypto
import Locking

/// The conversation keys of one owner with those who write to it, so that each costs one ECDH and one point however many
/// messages come.
///
/// At most ``capacity`` are kept; the one that gives way is the one that was not asked for the longest. Any number of threads may
/// use one cache.
public final class ConversationKeyCache: Sendable {
    /// How many keys are kept.
    public let capacity: Int
    private let owner: SecretKey
    private let entries: Locked<LRUCache<Bytes32, Correspondent>>

    /// A key and what is shared with it.
    struct Correspondent {
        let publicKey: PublicKey
        let conversation: ConversationKey
    }

    /// - Parameter capacity: How many keys are kept, at least one; by default 1,024, about 500 KB.
    public init(owner: SecretKey, capacity: Int = 1_024) {
        self.owner = owner
        self.capacity = max(1, capacity)
        entries = Locked(LRUCache(capacity: max(1, capacity)))
    }

    /// The key shared with somebody, computed now or before.
    public func key(with other: PublicKey) -> ConversationKey {
        if let known = known(other.bytes) { return known.conversation }
        let key = ConversationKey(owner, other)
        entries.withLock { $0.insert(Correspondent(publicKey: other, conversation: key), for: other.bytes) }
        return key
    }

    /// How many keys are kept now.
    public var count: Int {
        entries.withLock { $0.count }
    }

    /// Whoever has these 32 bytes for a key, if known.
    func known(_ other: Bytes32) -> Correspondent? {
        entries.withLock { $0.value(for: other) }
    }
}
