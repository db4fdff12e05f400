import LinkstrClient
import LinkstrSessions
import NostrCrypto
import NostrEvents

/// Everything that was sent in a simulation, and whom it reached: what devices must show follows from it.
struct Journal {
    struct Entry {
        let fact: Fact
        let reached: Set<Bytes32>
        /// Whom it may have reached: no relay said that it took their copy, but one may have without saying so.
        let perhaps: Set<Bytes32>
    }

    private(set) var entries: [Entry] = []
    /// Members whose copy of a member list nobody took.
    private(set) var missed: Set<Bytes32> = []

    mutating func note(_ sent: AccountSent) {
        let outgoing = sent.outgoing
        let all = Set(outgoing.recipients + outgoing.bestEffort + [outgoing.fact.sender])
        entries.append(
            Entry(fact: outgoing.fact, reached: all.subtracting(sent.missed), perhaps: Set(sent.missed))
        )
        if case .snapshot = outgoing.fact.statement { missed.formUnion(sent.missed) }
    }

    /// The same for the same statements that reached the same people.
    var digest: String {
        let lines = entries.map { "\($0.fact.id.hex) \($0.reached.map(\.hex).sorted())" }
        return SHA256.hash(Array(lines.joined(separator: "\n").utf8)).hex
    }

    var sessions: Set<SessionID> { Set(entries.map(\.fact.session)) }

    func count(_ condition: (Fact.Statement) -> Bool) -> Int { entries.count { condition($0.fact.statement) } }

    /// The member lists of a session that reached somebody, or all of them, in their order.
    func lists(of session: SessionID, at key: Bytes32? = nil) -> [(
        moment: Moment, name: String?, members: Set<Bytes32>
    )] {
        facts(session, key).compactMap { fact in
            guard case .snapshot(let name, let members, _) = fact.statement else { return nil }
            return (fact.moment, name, Set(members))
        }.sorted { $0.moment < $1.moment }
    }

    func isDeleted(_ session: SessionID, at key: Bytes32? = nil) -> Bool {
        facts(session, key).contains { $0.statement == .sessionDelete }
    }

    /// What somebody must see of a session: posts, and by emoji who reacts to them.
    /// - Parameter takesPerhaps: Whether what may have reached somebody has.
    func posts(
        of session: SessionID,
        at key: Bytes32,
        _ membership: Membership,
        takesPerhaps: Bool
    ) -> [EventID: [ExactText: Set<Bytes32>]] {
        let facts = facts(session, key, takesPerhaps)
        var posts: [EventID: [ExactText: Set<Bytes32>]] = [:]
        for fact in facts {
            guard case .root = fact.statement, membership.covers(fact.sender, and: key, at: fact.time) else { continue }
            let isDeleted = facts.contains { $0.statement == .rootDelete(fact.id) && $0.sender == fact.sender }
            if !isDeleted { posts[fact.id] = [:] }
        }
        // In ascending order the last one decides.
        for fact in facts.sorted(by: { $0.moment < $1.moment }) {
            guard case .reaction(let root, let emoji, let isActive) = fact.statement, posts[root] != nil,
                membership.covers(fact.sender, and: key, at: fact.time)
            else { continue }
            if isActive {
                posts[root]?[emoji, default: []].insert(fact.sender)
            } else {
                posts[root]?[emoji]?.remove(fact.sender)
            }
        }
        return posts.mapValues { $0.filter { !$0.value.isEmpty } }
    }

    private func facts(_ session: SessionID, _ key: Bytes32?, _ takesPerhaps: Bool = false) -> [Fact] {
        entries.filter { entry in
            guard entry.fact.session == session, let key else { return entry.fact.session == session }
            return entry.reached.contains(key) || (takesPerhaps && entry.perhaps.contains(key))
        }.map(\.fact)
    }
}
