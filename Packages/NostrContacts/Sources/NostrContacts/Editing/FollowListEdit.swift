import NostrCrypto
import NostrEvents

/// A change that can be made again on a newer list.
enum FollowListEdit {
    case add([Follow])
    case remove(Set<Bytes32>)
    /// Back to an earlier list, from the one that was current when it was asked for.
    case restore(FollowList, from: FollowList)
    case clear

    /// What is asked for, of a list that is so or not.
    func intent(on list: FollowList) -> (following: [Follow], ceasing: Set<Bytes32>) {
        switch self {
        case .add(let follows): return (follows, [])
        case .remove(let keys): return ([], keys)
        case .restore, .clear:
            let difference = list.difference(to: applied(to: list))
            return (difference.added, Set(difference.removed.map(\.key)))
        }
    }

    func applied(to list: FollowList) -> FollowList {
        switch self {
        case .add(let follows): list.adding(follows)
        case .remove(let keys): list.removing(keys)
        case .restore(let earlier, let current): list == current ? earlier : list.merging(earlier, from: current)
        case .clear: FollowList()
        }
    }
}
