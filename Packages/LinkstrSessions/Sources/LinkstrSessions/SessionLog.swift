public import NostrCrypto

/// What is known of one session: who claims to have made it, every member list each of them sent, and who asked for its end.
/// From these facts alone, in whatever order they came, follow the creator, the members and the name.
///
/// ## Whose session it is
///
/// Claims by different senders are never merged. One claimant is the creator, by the first of these that fits: the one whom
/// the id names (see ``SessionID``); the owner of this account; the pin, which is the creator under whom the account first
/// showed the session; the earliest claim. Facts are kept without regard to the choice, so a changed choice only recomputes.
public struct SessionLog: Sendable {
    /// Which session it is.
    public let id: SessionID
    /// Whose device this is.
    public let owner: Bytes32
    /// The creator under whom the session was first shown here, if that was decided.
    public private(set) var pin: Pin?
    /// Set when the creator's `session_delete` has closed the id for good.
    public private(set) var tombstone: Tombstone?

    /// A choice among claimants that no later claim moves.
    public struct Pin: Hashable, Sendable {
        /// The claimant.
        public let creator: Bytes32
        /// Whether several claimants were known when the earliest of them was chosen, and the person has not said so: nothing is
        /// sent into such a session before that.
        public let needsConfirmation: Bool

        /// A choice.
        public init(creator: Bytes32, needsConfirmation: Bool) {
            self.creator = creator
            self.needsConfirmation = needsConfirmation
        }
    }

    /// The end of a session.
    public struct Tombstone: Hashable, Sendable {
        /// The claimant.
        public let creator: Bytes32
        /// The greatest `session_delete` of the creator.
        public let moment: Moment

        /// An end.
        public init(creator: Bytes32, moment: Moment) {
            self.creator = creator
            self.moment = moment
        }
    }

    /// What happened to a snapshot.
    struct Insertion: Equatable {
        enum Result: Equatable {
            /// It was known, can never count, or fell out of the bounds.
            case ignored
            /// It is kept and changes nothing now.
            case kept
            /// It changed who is a member from a time on, up to another or without end.
            case changed(from: Int64, upTo: Int64?)
        }

        var result: Result
        /// Snapshots that were kept until now and fell out of the bounds. One that is still the earliest claim of its sender
        /// is not among them, though it has left the log.
        var dropped: [Moment] = []
        /// The snapshot was not kept because there are too many claimants; were its sender the creator one day, it would be
        /// wanted again.
        var isForgotten = false
    }

    /// The most snapshots that are kept of one sender: the greatest.
    public static let maximumSnapshots = 10_000
    /// The most claimants beside the creator whose facts are kept: those with the earliest claims.
    public static let maximumOtherClaimants = 8

    /// Everything one sender said about the session.
    struct Sender {
        /// Ascending.
        var snapshots: [Snapshot] = []
        var greatestDelete: Moment?
    }

    private(set) var senders: [Bytes32: Sender] = [:]
    /// The earliest claim of each sender who has one; few, because of the bound.
    private var claims: [Bytes32: Moment] = [:]
    /// Claims were dropped because there were too many claimants.
    public private(set) var hasDroppedClaimants: Bool
    /// Whose claim decides now; nil before the first claim.
    public private(set) var creator: Bytes32?
    private var folded: Membership?

    /// The log of a session of which no fact is known yet.
    public init(
        id: SessionID,
        owner: Bytes32,
        pin: Pin? = nil,
        tombstone: Tombstone? = nil,
        hasDroppedClaimants: Bool = false
    ) {
        self.hasDroppedClaimants = hasDroppedClaimants
        self.id = id
        self.owner = owner
        self.pin = pin
        self.tombstone = tombstone
    }

    /// Whether claims by two or more senders exist. A mark for the person: nothing else depends on it.
    public var isContested: Bool {
        hasDroppedClaimants || claims.count > 1
    }

    /// Those who claim to have made the session, the earliest claim first.
    public var claimants: [Bytes32] {
        claims.sorted { $0.value < $1.value }.map(\.key)
    }

    /// Whether a sender is one of them.
    func isClaimant(_ sender: Bytes32) -> Bool { claims[sender] != nil }

    /// Whether the creator asked for the end of the session.
    public var isDeleted: Bool {
        tombstone != nil || creator.map { senders[$0]?.greatestDelete != nil } == true
    }

    /// Whether another claimant than the creator asked for its end: shown as a question.
    public var isDeletedByOtherClaimant: Bool {
        claims.keys.contains { $0 != creator && senders[$0]?.greatestDelete != nil }
    }

    /// Whether sending into it needs the person's word first: several claim it, and only the time of their claims, which they
    /// choose themselves, has told them apart.
    public var needsConfirmation: Bool {
        guard let creator, creator != owner, !id.names(creator) else { return false }
        if let pin { return pin.creator == creator && pin.needsConfirmation }
        return isContested
    }

    /// Whether ``membership`` is at hand without computing.
    var isFolded: Bool { folded != nil }

    /// Members, intervals and name. Computed anew after a late snapshot or another creator, else kept.
    public var membership: Membership {
        mutating get {
            if let folded { return folded }
            let fold = Membership(folding: log)
            folded = fold
            return fold
        }
    }

    /// The snapshots that decide, ascending: those of the creator.
    public var log: [Snapshot] {
        creator.flatMap { senders[$0]?.snapshots } ?? []
    }

    /// The number of kept snapshots that count for nothing now.
    var waitingSnapshots: Int {
        senders.reduce(0) { $0 + ($1.key == creator ? 0 : $1.value.snapshots.count) }
    }

    // MARK: Facts

    /// Takes in a member list.
    mutating func insert(_ snapshot: Snapshot, by sender: Bytes32) -> Insertion {
        guard tombstone == nil, snapshot.belongs(to: sender, seenBy: owner) else { return Insertion(result: .ignored) }
        var entry = senders.removeValue(forKey: sender) ?? Sender()
        let index = entry.snapshots.partitioningIndex { $0.moment >= snapshot.moment }
        if index < entry.snapshots.count, entry.snapshots[index].moment == snapshot.moment {
            senders[sender] = entry
            return Insertion(result: .ignored)
        }
        let oldClaim = claims[sender]
        if snapshot.isClaim(by: sender, seenBy: owner) {
            claims[sender] = min(oldClaim ?? snapshot.moment, snapshot.moment)
        }
        entry.snapshots.insert(snapshot, at: index)
        var fallen: [Moment] = []
        if entry.snapshots.count > Self.maximumSnapshots { fallen.append(entry.snapshots.removeFirst().moment) }
        // Where a claim left the log before, it was kept for its time alone, and an earlier one takes its place.
        if let oldClaim, claims[sender] != oldClaim, let first = entry.snapshots.first?.moment, oldClaim < first,
            fallen.first != oldClaim
        {
            fallen.append(oldClaim)
        }
        let isInLog = fallen.first != snapshot.moment
        let next = index + 1 < entry.snapshots.count ? entry.snapshots[index + 1].moment.time : nil
        let isShifted = !fallen.isEmpty
        senders[sender] = entry
        let before = creator
        choose()
        let claim = claims[sender]
        fallen.removeAll { $0 == claim || $0 == snapshot.moment }
        fallen += boundClaimants()
        guard creator == before else {
            folded = nil
            return Insertion(result: .changed(from: 0, upTo: nil), dropped: fallen)
        }
        // A claim that left its log is kept for its time.
        let isKept = claim == snapshot.moment || isInLog
        let isForgotten = senders[sender]?.snapshots.isEmpty != false
        guard isKept, !isForgotten else {
            return Insertion(
                result: .ignored,
                dropped: fallen.filter { $0 != snapshot.moment },
                isForgotten: isForgotten
            )
        }
        guard sender == creator, isInLog else { return Insertion(result: .kept, dropped: fallen) }
        if isShifted {
            folded = nil
            return Insertion(result: .changed(from: 0, upTo: nil), dropped: fallen)
        }
        if let next {
            folded = nil
            return Insertion(result: .changed(from: snapshot.moment.time, upTo: next), dropped: fallen)
        }
        folded?.apply(snapshot)
        return Insertion(result: .changed(from: snapshot.moment.time, upTo: nil), dropped: fallen)
    }

    /// Takes in a wish to end the session. Whether it counts is asked by ``isDeleted``.
    /// - Returns: Whether it is new and the greatest of its sender.
    mutating func insertDelete(_ moment: Moment, by sender: Bytes32) -> Bool {
        if let tombstone {
            guard sender == tombstone.creator, moment > tombstone.moment else { return false }
            self.tombstone = Tombstone(creator: sender, moment: moment)
            return true
        }
        if let known = senders[sender]?.greatestDelete, known >= moment { return false }
        senders[sender, default: Sender()].greatestDelete = moment
        return true
    }

    // MARK: The person and the end of a restore

    /// Fixes the choice of the earliest claim, which happens at once outside the account's first restore and at its completion.
    /// A choice by the id or for the owner needs no pin.
    mutating func fixPin() {
        guard pin == nil, let creator, creator != owner, !id.names(creator) else { return }
        pin = Pin(creator: creator, needsConfirmation: isContested)
    }

    /// Moves the pin or confirms it, by the person's word.
    mutating func setPin(_ creator: Bytes32) {
        pin = Pin(creator: creator, needsConfirmation: false)
        let before = self.creator
        choose()
        if self.creator != before { folded = nil }
    }

    /// Closes the id for good if the creator asked for it, and forgets all other facts.
    /// - Returns: Whether it did now.
    mutating func closeIfDeleted() -> Bool {
        guard tombstone == nil, let creator, let moment = senders[creator]?.greatestDelete else { return false }
        tombstone = Tombstone(creator: creator, moment: moment)
        senders = [:]
        claims = [:]
        self.creator = nil
        folded = nil
        return true
    }

    // MARK: The choice

    private mutating func choose() {
        if let named = claims.keys.first(where: { id.names($0) }) {
            creator = named
        } else if claims[owner] != nil {
            creator = owner
        } else if let pin, claims[pin.creator] != nil {
            creator = pin.creator
        } else {
            creator = claims.min { $0.value < $1.value }?.key
        }
    }

    /// Forgets the claimants beyond the bound, which is a function of the set of claims: of those beside the creator the
    /// ones with the earliest claims stay. What they want deleted is not forgotten.
    /// - Returns: Their snapshots.
    private mutating func boundClaimants() -> [Moment] {
        guard claims.count > Self.maximumOtherClaimants + 1 else { return [] }
        var dropped: [Moment] = []
        let others = claims.filter { $0.key != creator }.sorted { $0.value < $1.value }
        for (sender, claim) in others.dropFirst(Self.maximumOtherClaimants) {
            let snapshots = senders[sender]?.snapshots ?? []
            dropped += snapshots.map(\.moment)
            if let first = snapshots.first?.moment, claim < first { dropped.append(claim) }
            claims[sender] = nil
            let delete = senders[sender]?.greatestDelete
            senders[sender] = delete.map { Sender(greatestDelete: $0) }
            hasDroppedClaimants = true
        }
        return dropped
    }
}

extension RandomAccessCollection {
    /// The first index whose element satisfies the predicate, in a collection in which all that do stand at the end.
    func partitioningIndex(where isInSecondPart: (Element) -> Bool) -> Index {
        var low = startIndex
        var count = self.count
        while count > 0 {
            let half = count / 2
            let middle = index(low, offsetBy: half)
            if isInSecondPart(self[middle]) {
                count = half
            } else {
                low = index(after: middle)
                count -= half + 1
            }
        }
        return low
    }
}
