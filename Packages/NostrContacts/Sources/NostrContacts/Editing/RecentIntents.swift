import NostrCrypto
import NostrEvents

/// Whom this device began or ceased to follow a moment ago. Another device that did not know yet may publish a newer list without
/// it; what was asked for here is then published again. After a minute, or when it was published again often enough, a list without
/// it is taken for somebody's decision.
struct RecentIntents {
    private struct Intent {
        /// Nil: not to be followed.
        let follow: Follow?
        let until: Int64
        var repetitions = 0
    }

    private var intents: [Bytes32: Intent] = [:]

    private static let lifetime: Int64 = 60
    private static let maximumRepetitions = 5

    /// Remembers what a change that has succeeded asked for, also of keys for which the list was so already: it may be so because
    /// an earlier attempt has reached another device.
    mutating func remember(following: [Follow], ceasing: Set<Bytes32>, now: Int64) {
        intents = intents.filter { $0.value.until >= now }
        let until = now.addingReportingOverflow(Self.lifetime).partialValue
        for follow in following { intents[follow.key] = Intent(follow: follow, until: until) }
        for key in ceasing { intents[key] = Intent(follow: nil, until: until) }
    }

    /// Whether a list is without something that was asked for.
    func isContradicted(by list: FollowList, now: Int64) -> Bool {
        guard intents.values.contains(where: { $0.until >= now }) else { return false }
        return applied(to: list, now: now) != list
    }

    /// The list with everything that was asked for.
    func applied(to list: FollowList, now: Int64) -> FollowList {
        let valid = intents.filter { $0.value.until >= now }
        guard !valid.isEmpty else { return list }
        return list.adding(valid.values.compactMap(\.follow)).removing(
            Set(valid.filter { $0.value.follow == nil }.keys)
        )
    }

    /// Counts what was put into a list again.
    mutating func repeated(in difference: FollowList.Difference) {
        for key in difference.added.map(\.key) + difference.removed.map(\.key) {
            guard var intent = intents[key] else { continue }
            intent.repetitions += 1
            intents[key] = intent.repetitions < Self.maximumRepetitions ? intent : nil
        }
    }
}
