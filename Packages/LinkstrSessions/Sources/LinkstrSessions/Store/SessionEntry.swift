import NostrCrypto
import NostrEvents

/// A session in memory: its row and its log.
final class SessionEntry {
    let number: Int64
    let id: SessionID
    var log: SessionLog
    var request: SessionRequest
    var isArchived: Bool
    var lostFacts: LostFacts
    /// No post of the session is newer.
    var newestRoot: Int64
    /// Its pin or tombstone does not open, so the columns of both stay as they are.
    var isSealedForGood = false
    /// When it was last asked for, counted in askings.
    var lastUse: UInt64 = 0

    enum LostFacts: Int64 {
        case no = 0
        case yes = 1
        /// The session counts now, so they are wanted back.
        case wanted = 2
    }

    init(
        number: Int64,
        log: SessionLog,
        request: SessionRequest = .none,
        isArchived: Bool = false,
        lostFacts: LostFacts = .no,
        newestRoot: Int64 = -1
    ) {
        self.number = number
        self.id = log.id
        self.log = log
        self.request = request
        self.isArchived = isArchived
        self.lostFacts = lostFacts
        self.newestRoot = newestRoot
    }

    /// Whether the session exists for the owner now.
    var isVisible: Bool { log.creator != nil && !log.isDeleted }

    /// The members now and before; empty for a session that does not exist.
    var membership: Membership { isVisible ? log.membership : Membership() }

    func counts(_ sender: Bytes32, at time: Int64) -> Bool {
        isVisible && log.membership.covers(sender, and: log.owner, at: time)
    }

    /// Roughly how many keys the log holds.
    var cost: Int { 8 + log.senders.values.reduce(0) { $0 + $1.snapshots.reduce(0) { $0 + 2 + $1.members.count } } }
}

/// What the person said about a session by somebody who is no contact.
public enum SessionRequest: Int64, Hashable, Sendable {
    /// It needs no word.
    case none = 0
    /// It waits for one.
    case waiting = 1
    /// Yes.
    case accepted = 2
    /// No; it is kept and not shown.
    case declined = 3
}
