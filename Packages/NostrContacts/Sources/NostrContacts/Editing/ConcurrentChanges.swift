import NostrEvents

/// Finds lists that other devices made without knowing ours, although ours has replaced them.
///
/// Each list published here is remembered with the version it was made of. One of somebody else that stands between the two in the
/// order cannot have been known to ours, and ours not to it: relays keep ours, and what the other changed would be lost. Which list
/// the other was made of is not written anywhere; of those that are known it is taken to be the one that it differs least from.
struct ConcurrentChanges {
    /// What another device changed, and since when.
    struct Change {
        let theirs: FollowList
        let base: FollowList
    }

    private struct Publication {
        let version: ReplaceableVersion
        let base: ReplaceableVersion?
    }

    private struct Known {
        let version: ReplaceableVersion
        let list: FollowList
    }

    /// Changes that are not in a list of ours yet.
    private(set) var waiting: [Change] = []
    private var publications: [Publication] = []
    private var known: [Known] = []
    /// A list that relays send again is not merged again: what it changed may have been undone since.
    private var noted: [EventID] = []

    private static let maximumWaiting = 16
    private static let maximumPublications = 16
    private static let maximumKnown = 10
    private static let maximumNoted = 64

    /// Remembers a list that is current or was.
    mutating func know(_ event: Event?) {
        guard let event, let list = FollowList(event) else { return }
        let version = ReplaceableVersion(event)
        guard !known.contains(where: { $0.version == version }) else { return }
        known.append(Known(version: version, list: list))
        if known.count > Self.maximumKnown { known.removeFirst() }
    }

    /// Remembers a list that is published now.
    mutating func publish(_ event: Event, madeOf base: ReplaceableVersion?) {
        know(event)
        publications.append(Publication(version: ReplaceableVersion(event), base: base))
        if publications.count > Self.maximumPublications { publications.removeFirst() }
    }

    /// Looks at a list that is not, or no longer, the current one.
    /// - Returns: Whether its changes have to be merged.
    @discardableResult
    mutating func note(_ event: Event) -> Bool {
        let version = ReplaceableVersion(event)
        guard let theirs = FollowList(event), waiting.count < Self.maximumWaiting, !noted.contains(event.id),
            !publications.contains(where: { $0.version == version }),
            publications.contains(where: { ours in
                version < ours.version && ours.base.map { $0 < version } ?? true
            })
        else { return false }
        let base = known.filter { $0.version < version }.min { left, right in
            Self.distance(from: left, to: theirs) < Self.distance(from: right, to: theirs)
        }
        know(event)
        noted.append(event.id)
        if noted.count > Self.maximumNoted { noted.removeFirst() }
        waiting.append(Change(theirs: theirs, base: base?.list ?? FollowList()))
        return true
    }

    /// Among equals the base counts from which least was taken away, then the oldest: rather keep than lose.
    private static func distance(from base: Known, to list: FollowList) -> (Int, Int, ReplaceableVersion) {
        let difference = base.list.difference(to: list)
        return (difference.count, difference.removed.count + difference.removedTags.count, base.version)
    }

    /// The first so many changes are in the list that was accepted.
    mutating func finish(_ count: Int) {
        waiting.removeFirst(min(count, waiting.count))
    }
}
