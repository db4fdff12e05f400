public import NostrCrypto
public import NostrEvents

/// What one sender says with one emoji about one post.
public struct Reaction: Hashable, Sendable, BitwiseCopyable, TimedReaction {
    /// The rumor's time and id.
    public let moment: Moment
    /// False where it takes the emoji back.
    public let isActive: Bool

    var time: Int64 { moment.time }

    /// A reaction of its parts.
    public init(moment: Moment, isActive: Bool) {
        self.moment = moment
        self.isActive = isActive
    }
}

/// All that one sender said with one emoji about one post. Of those reactions that count, the greatest decides; a later one
/// that does not count does not shadow an earlier one that does, so all are kept, up to a bound.
public struct ReactionSlot: Hashable, Sendable {
    /// The greatest so many are kept, counting or not.
    public static let maximumReactions = 64

    /// Ascending.
    public private(set) var reactions: [Reaction] = []

    /// Nothing said yet.
    public init() {}

    /// Whether it is among those that are kept.
    func contains(_ reaction: Reaction) -> Bool {
        let index = reactions.partitioningIndex { $0.moment >= reaction.moment }
        return index < reactions.count && reactions[index].moment == reaction.moment
    }

    /// Takes one in.
    /// - Returns: False if it was known or fell out of the bound.
    public mutating func insert(_ reaction: Reaction) -> Bool {
        let index = reactions.partitioningIndex { $0.moment >= reaction.moment }
        if index < reactions.count, reactions[index].moment == reaction.moment { return false }
        if reactions.count >= Self.maximumReactions {
            guard index > 0 else { return false }
            reactions.insert(reaction, at: index)
            reactions.removeFirst()
            return true
        }
        reactions.insert(reaction, at: index)
        return true
    }

    /// The reaction that decides: the greatest for whose time the test says that it counts.
    public func deciding(where counts: (Int64) -> Bool) -> Reaction? {
        reactions.deciding(where: counts)
    }
}

/// A reaction as the memory or the database has it.
protocol TimedReaction {
    var time: Int64 { get }
}

extension BidirectionalCollection where Element: TimedReaction {
    /// Of one slot's reactions, ascending, the one that decides.
    func deciding(where counts: (Int64) -> Bool) -> Element? {
        last { counts($0.time) }
    }
}

/// Which slot of a post: an emoji by a sender.
public struct ReactionKey: Hashable, Sendable {
    /// Trimmed, otherwise as it was sent, compared byte by byte.
    public let emoji: ExactText
    /// Who reacts.
    public let sender: Bytes32

    /// The slot of an emoji and a sender.
    public init(emoji: ExactText, sender: Bytes32) {
        self.emoji = emoji
        self.sender = sender
    }
}
