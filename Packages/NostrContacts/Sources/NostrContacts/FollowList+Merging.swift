import NostrCrypto
public import NostrEvents

extension FollowList {
    /// What a change can concern: somebody who is followed, or a tag of another kind.
    private enum Entry: Hashable {
        case follow(Bytes32)
        case other(Tag)

        init(_ tag: Tag) {
            self = Follow.key(of: tag).map(Entry.follow) ?? .other(tag)
        }
    }

    private var entries: [Entry: [Tag]] {
        Dictionary(grouping: tags, by: Entry.init)
    }

    /// This list with the changes that somebody else made to `base`, from which both lists come. Where both changed the same
    /// entry, or both the content, this list's version stays.
    ///
    /// An entry is everything about one key, or one other tag. What is new in `theirs` is appended in their order; what they
    /// changed stands where it stood.
    public func merging(_ theirs: FollowList, from base: FollowList) -> FollowList {
        let (old, own, new) = (base.entries, entries, theirs.entries)
        func isTaken(_ entry: Entry) -> Bool {
            let before = old[entry] ?? []
            return new[entry] ?? [] != before && own[entry] ?? [] == before
        }
        var placed: Set<Entry> = []
        var merged: [Tag] = []
        for tag in tags {
            let entry = Entry(tag)
            if !isTaken(entry) {
                merged.append(tag)
            } else if placed.insert(entry).inserted {
                merged += new[entry] ?? []
            }
        }
        for tag in theirs.tags {
            let entry = Entry(tag)
            if own[entry] == nil, isTaken(entry), placed.insert(entry).inserted { merged += new[entry] ?? [] }
        }
        let keepsContent = ExactText(content) != ExactText(base.content)
        return FollowList(tags: merged, content: keepsContent ? content : theirs.content)
    }

    /// What is different in a later list.
    public struct Difference: Equatable, Sendable {
        /// Followed in the later list only, in its order.
        public let added: [Follow]
        /// Followed in the earlier list only, in its order.
        public let removed: [Follow]
        /// Followed in both, with other tags; as the later list has them.
        public let changed: [Follow]
        /// Other tags of the later list only.
        public let addedTags: [Tag]
        /// Other tags of the earlier list only.
        public let removedTags: [Tag]
        /// Whether the contents differ.
        public let changesContent: Bool

        /// How many entries are different, the content counting as one.
        public var count: Int {
            added.count + removed.count + changed.count + addedTags.count + removedTags.count + (changesContent ? 1 : 0)
        }

        /// Whether nothing is different but perhaps the order.
        public var isEmpty: Bool { count == 0 }
    }

    /// What is different in `later`.
    public func difference(to later: FollowList) -> Difference {
        let (before, after) = (entries, later.entries)
        func others(_ tags: [Tag], missingIn entries: [Entry: [Tag]]) -> [Tag] {
            tags.filter { tag in
                guard case .other = Entry(tag) else { return false }
                return entries[.other(tag)] == nil
            }
        }
        return Difference(
            added: later.follows.filter { before[.follow($0.key)] == nil },
            removed: follows.filter { after[.follow($0.key)] == nil },
            changed: later.follows.filter { follow in
                guard let old = before[.follow(follow.key)] else { return false }
                return old != after[.follow(follow.key)]
            },
            addedTags: others(later.tags, missingIn: before),
            removedTags: others(tags, missingIn: after),
            changesContent: ExactText(content) != ExactText(later.content)
        )
    }
}
