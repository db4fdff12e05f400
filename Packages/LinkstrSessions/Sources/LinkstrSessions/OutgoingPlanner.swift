public import LinkstrLinks
public import NostrCrypto
import NostrEvents

/// Makes the statements of one account from what is known of a session. It sends and stores nothing.
///
/// Own statements never lean on the local clock alone: a member list is later than every list in the log, a post not earlier
/// than the newest list, so that it lies inside the interval of everybody it is sent to, however far the clocks differ.
public struct OutgoingPlanner: Sendable {
    /// Whose statements are made.
    public let owner: Bytes32
    /// Seconds since 1970.
    public let now: Int64
    private let random: RandomSource
    private let isOnCurve: @Sendable (Bytes32) -> Bool

    /// - Parameter isOnCurve: Whether 32 bytes are a public key. One listed member that is none would make every receiver drop
    ///   the whole list.
    public init(
        owner: Bytes32,
        now: Int64,
        random: RandomSource = .system,
        isOnCurve: @escaping @Sendable (Bytes32) -> Bool = { (try? PublicKey($0)) != nil }
    ) {
        self.isOnCurve = isOnCurve
        self.owner = owner
        self.now = min(max(now, 0), Self.latest)
        self.random = random
    }

    /// The latest time an event can have.
    private static let latest = Moment.times.upperBound

    /// A new session with an id that names the owner, who is always a member.
    public func create(name: String, members: [Bytes32]) throws(OutgoingError) -> Outgoing {
        let trimmed = name.linkstrTrimmed
        guard !trimmed.isEmpty else { throw .emptyName }
        let all = listed(members)
        return try outgoing(
            SessionID.draw(creator: owner, random: random),
            .create(operation: operation(), name: trimmed, members: all),
            at: now,
            to: all
        )
    }

    /// The complete next member list of a session, and its name if that changes too.
    ///
    /// An interval ends before its last second, so a list of the second in which somebody has just posted would take that post
    /// away from whoever it removes: it is dated one second later then.
    /// - Parameter newestPost: When the newest known post or change of the session was made, in seconds since 1970.
    public func update(
        _ log: SessionLog,
        name: String? = nil,
        members: [Bytes32]? = nil,
        after newestPost: Int64? = nil
    ) throws(OutgoingError) -> Outgoing {
        let membership = try usable(log)
        guard log.creator == owner else { throw .notTheCreator }
        let next = members ?? membership.members
        guard next.contains(owner) else { throw .creatorLeftOut }
        let name = name?.linkstrTrimmed ?? membership.name ?? ""
        guard !name.isEmpty else { throw .emptyName }
        let all = listed(next)
        // A post from a clock that runs ahead must not carry the list with it: one second at most.
        let first = (newestPost ?? -1) >= now ? now + 1 : now
        let plan = try outgoing(
            log.id,
            .members(operation: operation(), name: name, members: all),
            at: max(first, (membership.newest?.time ?? 0) + 1),
            to: all,
            bestEffort: membership.members
        )
        // At the end of all times no list can be later than the last.
        if let newest = membership.newest, plan.fact.moment < newest { throw .wouldNotCount }
        return plan
    }

    /// The end of a session, told to everybody who ever was in it.
    public func delete(_ log: SessionLog) throws(OutgoingError) -> Outgoing {
        let membership = try usable(log)
        guard log.creator == owner else { throw .notTheCreator }
        return try outgoing(
            log.id,
            .sessionDelete(operation: operation()),
            at: now,
            to: membership.members,
            bestEffort: Array(membership.intervals.keys)
        )
    }

    /// A post to the members of now. A blank note is none.
    public func post(_ url: WebURL, note: String? = nil, in log: SessionLog) throws(OutgoingError) -> Outgoing {
        let membership = try memberOf(log)
        let note = note?.linkstrTrimmed ?? ""
        guard note.count <= Outgoing.maximumNoteLength else { throw .noteTooLong(limit: Outgoing.maximumNoteLength) }
        let plan = try outgoing(
            log.id,
            .root(url: url, note: note.isEmpty ? nil : note),
            at: max(now, membership.newest?.time ?? 0),
            to: membership.members
        )
        guard membership.covers(owner, and: owner, at: plan.fact.time) else { throw .wouldNotCount }
        return plan
    }

    /// The end of an own post, told to everybody who ever was in the session.
    public func delete(_ post: Post, in log: SessionLog) throws(OutgoingError) -> Outgoing {
        let membership = try usable(log)
        guard post.sender == owner else { throw .notTheAuthor }
        return try outgoing(
            log.id,
            .rootDelete(root: post.id.hex),
            at: now,
            to: membership.members,
            bestEffort: Array(membership.intervals.keys)
        )
    }

    /// A reaction set or taken back. `known` is what the owner said with this emoji before.
    public func react(
        to post: Post,
        _ emoji: String,
        isActive: Bool,
        known: ReactionSlot = ReactionSlot(),
        in log: SessionLog
    ) throws(OutgoingError) -> Outgoing {
        let membership = try memberOf(log)
        let emoji = emoji.linkstrTrimmed
        guard emoji.isOneVisibleCharacter else { throw .notOneEmoji }
        let last = known.reactions.last.map { $0.moment.time + 1 } ?? 0
        let plan = try outgoing(
            log.id,
            .reaction(root: post.id.hex, emoji: emoji, isActive: isActive),
            at: max(now, membership.newest?.time ?? 0, last),
            to: membership.members
        )
        guard membership.covers(owner, and: owner, at: plan.fact.time) else { throw .wouldNotCount }
        return plan
    }

    private func usable(_ log: SessionLog) throws(OutgoingError) -> Membership {
        var log = log
        guard log.creator != nil, !log.isDeleted else { throw .unknownSession }
        guard !log.needsConfirmation else { throw .unconfirmedCreator }
        return log.membership
    }

    private func memberOf(_ log: SessionLog) throws(OutgoingError) -> Membership {
        let membership = try usable(log)
        guard membership.isMember(owner) else { throw .notAMember }
        return membership
    }

    /// The owner first, then the others in their order, without repetition.
    private func listed(_ members: [Bytes32]) -> [Bytes32] {
        var seen: Set<Bytes32> = []
        return ([owner] + members).filter { seen.insert($0).inserted }
    }

    /// 32 random upper-case hex digits, the form of the wire's operation ids.
    private func operation() -> String {
        String(random.bytes32().hex.prefix(32)).uppercased()
    }

    private func outgoing(
        _ session: SessionID,
        _ body: Payload.Body,
        at time: Int64,
        to members: [Bytes32],
        bestEffort: [Bytes32] = []
    ) throws(OutgoingError) -> Outgoing {
        let time = min(time, Self.latest)
        let rumor = Rumor(
            pubkey: owner,
            kind: Payload.kind,
            content: Payload(session: session, body: body, timestamp: time).json,
            tags: body.tags,
            createdAt: time
        )
        let size = rumor.json.count
        guard size <= Outgoing.maximumRumorSize else {
            throw .tooLarge(size: size, limit: Outgoing.maximumRumorSize)
        }
        // What is sent is read as every receiver will read it.
        guard let fact = try? Fact(rumor, sender: owner, isOnCurve: isOnCurve) else { throw .wouldNotCount }
        let recipients = [owner] + Set(members).subtracting([owner]).sorted()
        var warnings: [Outgoing.Warning] = []
        if time - now > Outgoing.toleratedClockAhead { warnings.append(.sessionClockAhead(seconds: time - now)) }
        if size > Outgoing.largeRumorSize { warnings.append(.large(size: size)) }
        if recipients.count > Outgoing.manyMembers { warnings.append(.manyMembers(recipients.count)) }
        return Outgoing(
            rumor: rumor,
            fact: fact,
            recipients: recipients,
            bestEffort: Set(bestEffort).subtracting(recipients).sorted(),
            warnings: warnings
        )
    }
}

extension Payload.Body {
    /// The rumor's tags: reactions and post deletions name their post as clients of threads expect it (NIP-10); receivers
    /// go by the payload alone.
    var tags: [Tag] {
        switch self {
        case .rootDelete(let root), .reaction(let root, _, _): [Tag("e", root, "", "root")]
        case .create, .members, .sessionDelete, .root: []
        }
    }
}

extension String {
    /// Whether it is one grapheme cluster that shows something: no control or format character, nor a mark without anything under it.
    /// A cluster has no end of its own, so that what no emoji needs is too much: the longest that are sent have ten scalars.
    fileprivate var isOneVisibleCharacter: Bool {
        guard count == 1, let first = unicodeScalars.first, unicodeScalars.count <= 16 else { return false }
        switch first.properties.generalCategory {
        case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .spaceSeparator, .nonspacingMark,
            .enclosingMark, .spacingMark:
            return false
        default: return true
        }
    }
}
