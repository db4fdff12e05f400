public import NostrCrypto
public import NostrEvents

/// All sessions of one account, in memory: a pure function from facts to state. The same facts in any order, in any
/// batches and any number of times make the same state.
///
/// The account's first restore is on until ``completeRestore()``: until then the choice among several claimants of a
/// session stays open and no deleted session is closed for good.
public struct Sessions: Sendable {
    /// The account's key.
    public let owner: Bytes32
    /// Refuse what ``Membership/admitsLive(_:and:at:)`` refuses. Off unless the person wants it.
    public var checksLiveAdmission: Bool
    /// Whether the account's first restore is on.
    public private(set) var isRestoring: Bool
    private var sessions: [SessionID: Session] = [:]

    /// What became of a fact.
    public enum Outcome: Hashable, Sendable {
        /// It was here already.
        case known
        /// It can never count: who said it has no say in it, what it is about is gone for good, or it fell out of a bound.
        case ignored
        /// The check in front refused it, or it fell out of a bound that is no function of the facts alone; it is forgotten and
        /// may come back from history.
        case refused
        /// It is kept. Whether it counts now is for the state to say, and may change.
        case kept
    }

    /// Whether the account's first restore is on.
    public init(owner: Bytes32, isRestoring: Bool = true, checksLiveAdmission: Bool = false) {
        self.owner = owner
        self.isRestoring = isRestoring
        self.checksLiveAdmission = checksLiveAdmission
    }

    /// Takes in one fact.
    public mutating func apply(_ fact: Fact, source: Source = .historical) -> Outcome {
        let admits = source == .historical || !checksLiveAdmission
        return sessions[fact.session, default: Session(SessionLog(id: fact.session, owner: owner))]
            .apply(fact, checksAdmission: !admits, isRestoring: isRestoring)
    }

    /// Ends the first restore: choices among claimants become pins, and deleted sessions are closed.
    public mutating func completeRestore() {
        isRestoring = false
        for id in sessions.keys { sessions[id]?.settle() }
    }

    /// Confirms who made a session, or moves the choice to another claimant.
    public mutating func setCreator(_ creator: Bytes32, of id: SessionID) {
        sessions[id]?.setCreator(creator)
    }

    /// What is known of one session, whether it exists for the owner or not; nil if nothing is.
    public func log(_ id: SessionID) -> SessionLog? {
        sessions[id]?.log
    }

    /// The ids of the sessions that exist for the owner, deleted ones left out, ascending.
    public var ids: [SessionID] {
        sessions.filter { $0.value.log.creator != nil && !$0.value.log.isDeleted }.keys.sorted()
    }

    /// The sessions that their creators ended, ascending by id.
    public var deleted: [(id: SessionID, creator: Bytes32)] {
        sessions.compactMap { id, session in
            guard session.log.isDeleted, let creator = session.log.tombstone?.creator ?? session.log.creator else {
                return nil
            }
            return (id, creator)
        }
        .sorted { $0.id < $1.id }
    }

    /// The number of kept facts that count for nothing now and are no deletes. It alone depends on the order in which facts came.
    public var pendingCount: Int {
        sessions.reduce(0) { $0 + $1.value.pendingCount }
    }

    /// One session; nil where there is none or it is deleted.
    public func session(_ id: SessionID) -> SessionView? {
        guard let session = sessions[id], session.log.creator != nil, !session.log.isDeleted else { return nil }
        return SessionView(session)
    }
}

/// What a session is now.
public struct SessionView: Sendable {
    /// Which session it is.
    public let id: SessionID
    /// Who made it.
    public let creator: Bytes32
    /// Several claim to have made it.
    public let isContested: Bool
    /// Who belongs to it and when.
    public let membership: Membership
    /// Ascending by time and id.
    public let posts: [PostView]

    /// A post with the reactions that are on it.
    public struct PostView: Sendable {
        /// The link.
        public let post: Post
        /// Active ones: emoji in the order of Unicode scalars, senders ascending.
        public let reactions: [(emoji: ExactText, senders: [Bytes32])]
    }

    init?(_ session: Session) {
        var log = session.log
        guard let creator = log.creator else { return nil }
        id = log.id
        self.creator = creator
        isContested = log.isContested
        let membership = log.membership
        self.membership = membership
        posts = session.roots.values
            .filter { membership.covers($0.sender, and: log.owner, at: $0.moment.time) }
            .sorted { $0.moment < $1.moment }
            .map { PostView(post: $0, reactions: session.reactions(on: $0.id, membership)) }
    }
}

/// The facts of one session in memory.
struct Session: Sendable {
    private(set) var log: SessionLog
    /// Those that nobody deleted, counting or not.
    private(set) var roots: [EventID: Post] = [:]
    /// Roots that their authors deleted.
    private var deletedRoots: Set<EventID> = []
    /// Who asked for the end of a root that is not here. Its id holds its author, so at most one of them is meant.
    private var waitingDeletes: [EventID: Set<Bytes32>] = [:]
    private var slots: [EventID: [ReactionKey: ReactionSlot]] = [:]

    init(_ log: SessionLog) {
        self.log = log
    }

    mutating func apply(_ fact: Fact, checksAdmission: Bool, isRestoring: Bool) -> Sessions.Outcome {
        if log.tombstone != nil {
            guard case .sessionDelete = fact.statement else { return .ignored }
        }
        switch fact.statement {
        case .snapshot(let name, let members, let isCreate):
            let snapshot = Snapshot(moment: fact.moment, name: name, members: members, isCreate: isCreate)
            let insertion = log.insert(snapshot, by: fact.sender)
            if !isRestoring { settle() }
            if insertion.isForgotten { return .refused }
            return insertion.result == .ignored ? .ignored : .kept
        case .sessionDelete:
            let isNew = log.insertDelete(fact.moment, by: fact.sender)
            if !isRestoring { settle() }
            return isNew ? .kept : .known
        case .root(let url, let note):
            if roots[fact.id] != nil { return .known }
            if deletedRoots.contains(fact.id) { return .ignored }
            if waitingDeletes[fact.id]?.contains(fact.sender) == true {
                waitingDeletes[fact.id] = nil
                deletedRoots.insert(fact.id)
                slots[fact.id] = nil
                return .ignored
            }
            guard admits(fact, checksAdmission) else { return .refused }
            waitingDeletes[fact.id] = nil
            roots[fact.id] = Post(moment: fact.moment, sender: fact.sender, url: url, note: note)
            return .kept
        case .rootDelete(let target):
            if deletedRoots.contains(target) { return .known }
            guard let root = roots[target] else {
                return waitingDeletes[target, default: []].insert(fact.sender).inserted ? .kept : .known
            }
            guard root.sender == fact.sender else { return .ignored }
            deletedRoots.insert(target)
            roots[target] = nil
            slots[target] = nil
            return .kept
        case .reaction(let root, let emoji, let isActive):
            if deletedRoots.contains(root) { return .ignored }
            let key = ReactionKey(emoji: emoji, sender: fact.sender)
            let reaction = Reaction(moment: fact.moment, isActive: isActive)
            if slots[root]?[key]?.contains(reaction) == true { return .known }
            guard admits(fact, checksAdmission) else { return .refused }
            return slots[root, default: [:]][key, default: ReactionSlot()].insert(reaction) ? .kept : .known
        }
    }

    /// What happens at once outside a restore, and at its end.
    mutating func settle() {
        log.fixPin()
        if log.closeIfDeleted() {
            roots = [:]
            deletedRoots = []
            waitingDeletes = [:]
            slots = [:]
        }
    }

    mutating func setCreator(_ creator: Bytes32) {
        log.setPin(creator)
    }

    /// The reactions that are on a counting root.
    func reactions(on root: EventID, _ membership: Membership) -> [(emoji: ExactText, senders: [Bytes32])] {
        var active: [ExactText: [Bytes32]] = [:]
        for (key, slot) in slots[root] ?? [:] {
            let deciding = slot.deciding { membership.covers(key.sender, and: log.owner, at: $0) }
            if deciding?.isActive == true { active[key.emoji, default: []].append(key.sender) }
        }
        return active.map { (emoji: $0.key, senders: $0.value.sorted()) }.sorted { $0.emoji < $1.emoji }
    }

    var pendingCount: Int {
        var log = log
        let membership = log.membership
        let isOpen = log.creator != nil && !log.isDeleted
        var count = log.waitingSnapshots
        var counting: Set<EventID> = []
        for root in roots.values {
            if isOpen, membership.covers(root.sender, and: log.owner, at: root.moment.time) {
                counting.insert(root.id)
            } else {
                count += 1
            }
        }
        for (root, keys) in slots {
            for (key, slot) in keys {
                count += slot.reactions.count {
                    !counting.contains(root) || !membership.covers(key.sender, and: log.owner, at: $0.moment.time)
                }
            }
        }
        return count
    }

    private mutating func admits(_ fact: Fact, _ checksAdmission: Bool) -> Bool {
        !checksAdmission || log.membership.admitsLive(fact.sender, and: log.owner, at: fact.time)
    }
}
