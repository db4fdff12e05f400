import LinkstrSessions
import NostrCrypto
import NostrEvents

/// The rules of order-independent state written down as plainly as possible, over the whole set of facts at once: quadratic,
/// without storage, bounds or order. What it says is right by being short.
struct Model {
    let owner: Bytes32
    let facts: Set<Fact>

    struct State: Hashable {
        var sessions: [SessionID: Shown] = [:]
        var deleted: [SessionID: Bytes32] = [:]
    }

    var state: State {
        var state = State()
        for session in Set(facts.map(\.session)) {
            guard let creator = creator(of: session) else { continue }
            let isDeleted = of(session).contains { $0.sender == creator && $0.statement == .sessionDelete }
            if isDeleted {
                state.deleted[session] = creator
            } else {
                state.sessions[session] = shown(session, creator)
            }
        }
        return state
    }

    private func of(_ session: SessionID) -> [Fact] {
        facts.filter { $0.session == session }.sorted { $0.moment < $1.moment }
    }

    private func claims(_ session: SessionID) -> [Fact] {
        of(session).filter { fact in
            guard case .snapshot(let name, let members, _) = fact.statement else { return false }
            return name != nil && members.contains(fact.sender) && members.contains(owner)
        }
    }

    private func creator(of session: SessionID) -> Bytes32? {
        let claims = claims(session)
        return claims.first { session.names($0.sender) }?.sender
            ?? claims.first { $0.sender == owner }?.sender
            ?? claims.first?.sender
    }

    private func log(_ session: SessionID, _ creator: Bytes32) -> [(moment: Moment, name: String?, members: [Bytes32])]
    {
        of(session).compactMap { fact in
            guard fact.sender == creator, case .snapshot(let name, let members, let isCreate) = fact.statement,
                members.contains(creator), !isCreate || members.contains(owner)
            else { return nil }
            return (fact.moment, name, members)
        }
    }

    private func history(_ session: SessionID, _ creator: Bytes32) -> [Bytes32: [Interval]] {
        var open: [Bytes32: Int64] = [:]
        var closed: [Bytes32: [Interval]] = [:]
        for snapshot in log(session, creator) {
            let time = snapshot.moment.time
            for (key, start) in open where !snapshot.members.contains(key) {
                open[key] = nil
                if start < time { closed[key, default: []].append(Interval(start: start, end: time)) }
            }
            for key in snapshot.members where open[key] == nil { open[key] = time }
        }
        for (key, start) in open { closed[key, default: []].append(Interval(start: start)) }
        return closed
    }

    private func isInside(_ key: Bytes32, _ time: Int64, _ history: [Bytes32: [Interval]]) -> Bool {
        (history[key] ?? []).contains { $0.start <= time && ($0.end == nil || time < $0.end!) }
    }

    private func shown(_ session: SessionID, _ creator: Bytes32) -> Shown {
        let history = history(session, creator)
        func counts(_ fact: Fact) -> Bool {
            isInside(fact.sender, fact.time, history) && isInside(owner, fact.time, history)
        }
        let all = of(session)
        let roots = all.filter { root in
            guard case .root = root.statement else { return false }
            return counts(root) && !all.contains { $0.sender == root.sender && $0.statement == .rootDelete(root.id) }
        }
        return Shown(
            creator: creator,
            isContested: Set(claims(session).map(\.sender)).count > 1,
            name: log(session, creator).compactMap(\.name).last,
            history: history,
            posts: roots.map { Shown.Post(id: $0.id, reactions: reactions(on: $0.id, all, counts)) }
        )
    }

    private func reactions(on root: EventID, _ all: [Fact], _ counts: (Fact) -> Bool) -> [Shown.Reaction] {
        var last: [ExactText: [Bytes32: Bool]] = [:]
        for fact in all where counts(fact) {
            guard case .reaction(root, let emoji, let isActive) = fact.statement else { continue }
            last[emoji, default: [:]][fact.sender] = isActive
        }
        return last.compactMap { emoji, senders in
            let active = senders.filter(\.value).keys.sorted()
            return active.isEmpty ? nil : Shown.Reaction(emoji: emoji, senders: active)
        }
        .sorted { $0.emoji < $1.emoji }
    }
}

extension Sessions {
    var state: Model.State {
        Model.State(
            sessions: Dictionary(uniqueKeysWithValues: ids.compactMap { id in shown(id).map { (id, $0) } }),
            deleted: Dictionary(uniqueKeysWithValues: deleted.map { ($0.id, $0.creator) })
        )
    }
}
