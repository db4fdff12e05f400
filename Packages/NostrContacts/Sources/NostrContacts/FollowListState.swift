public import NostrCrypto
public import NostrEvents

/// The newest follow list of one owner that was seen, by replaceable order (NIP-01). Everything in it can be stored: the event's
/// JSON is the list, ``watermark`` its place in the order.
public struct FollowListState: Sendable {
    /// Whose list it is.
    public let owner: Bytes32
    /// The event of the newest list; nil if none was seen, or only the watermark was kept.
    public private(set) var newest: Event?
    /// The newest version seen; nothing older counts, after a restart too.
    public private(set) var watermark: ReplaceableVersion?

    /// A state of what was stored.
    /// - Parameters:
    ///   - newest: Counts only if it is a kind 3 by the owner and not older than the watermark.
    ///   - watermark: The newest version seen, for those who store no events.
    public init(owner: Bytes32, newest: Event? = nil, watermark: ReplaceableVersion? = nil) {
        self.owner = owner
        self.watermark = watermark
        if let newest { _ = apply(newest) }
    }

    /// The newest list; nil while it is not known.
    public var list: FollowList? {
        newest.flatMap(FollowList.init)
    }

    /// What an incoming event does to the state.
    public enum Outcome: Equatable, Sendable {
        /// It is the newest list now.
        case applied
        /// It is the version that was known. If its contents were missing here they are there again.
        case repeated
        /// It is older than what is known.
        case stale
        /// It is by somebody else, or no follow list.
        case foreign
    }

    /// Takes an event from a relay.
    public mutating func apply(_ event: Event) -> Outcome {
        guard event.pubkey == owner, event.kind == .followList else { return .foreign }
        let version = ReplaceableVersion(event)
        if let watermark {
            guard version >= watermark else { return .stale }
            if version == watermark {
                if newest == nil { newest = event }
                return .repeated
            }
        }
        newest = event
        watermark = version
        return .applied
    }
}
