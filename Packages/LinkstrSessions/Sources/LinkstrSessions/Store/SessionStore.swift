public import NostrCrypto
public import NostrEvents
public import SQLite

/// The sessions of one account on disk: the same decisions as ``Sessions``, with names, links, notes and people sealed under
/// the account's data key, and with no more in memory than the logs of the sessions that are in use.
///
/// Facts are stored, not what follows from them. Whether a post counts is decided when it is read, from the member lists of
/// its session; so a late member list changes no stored row.
public actor SessionStore {
    private let thread = DatabaseThread()
    public nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// The account's key.
    public nonisolated let owner: Bytes32
    private var engine: StoreEngine?

    private init(owner: Bytes32) {
        self.owner = owner
    }

    /// Opens the database of an account, or makes it.
    ///
    /// What cannot be opened is left as it is. A key is never made here: a database that holds sealed rows and whose key is
    /// missing is an error, and so is a new one without a key.
    /// - Parameter key: The account's data key, 32 bytes.
    /// - Throws: ``SessionStoreError``.
    public static func open(
        _ location: Location,
        owner: Bytes32,
        key: SecretBytes?,
        options: SessionStoreOptions = SessionStoreOptions()
    ) async throws(SessionStoreError) -> SessionStore {
        let store = SessionStore(owner: owner)
        try await store.start(location, key, options)
        return store
    }

    private func start(
        _ location: Location,
        _ key: SecretBytes?,
        _ options: SessionStoreOptions
    ) throws(SessionStoreError) {
        do {
            engine = try StoreEngine(location, owner: owner, dataKey: key, options: options)
        } catch SQLiteError.busy(let path, _) {
            throw .inUse(path: path)
        } catch {
            throw SessionStoreError(error)
        }
    }

    /// What tells this database from any other, also from another one of the same account that was here before: 16 bytes that
    /// say nothing else.
    public var identity: [UInt8] {
        get throws(SessionStoreError) { try work { try $0.identity() } }
    }

    // MARK: Facts

    /// Takes in facts, all or none, in one transaction. Returns when they are as durable as the options say.
    /// - Parameter now: The local clock, seconds since 1970; only the late mark and reminders depend on it.
    public func apply(_ arrivals: [Arrival], now: Int64) throws(SessionStoreError) -> Applied {
        try work { try $0.apply(arrivals, now: now) }
    }

    /// Whether the account's first restore is still on.
    public var isRestoring: Bool {
        get throws(SessionStoreError) { try work { $0.isRestoring } }
    }

    /// Every relay was read to its end once. The first time this fixes the choices among claimants and closes deleted
    /// sessions; in every run, what history brings from now on is unread.
    public func completeRestore() throws(SessionStoreError) -> [SessionEffect] {
        try work { try $0.completeRestore() }
    }

    /// The whole history was read again: facts that count for nothing are kept within their bounds.
    /// - Returns: The ids that were forgotten and must not count as known.
    public func settleHistory() throws(SessionStoreError) -> [EventID] {
        try work { try $0.settleHistory() }
    }

    /// Whether a session that lost facts to a bound counts now, so that the whole history is wanted.
    public var wantsFullHistory: Bool {
        get throws(SessionStoreError) { try work { try $0.wantsFullHistory() } }
    }

    /// Whether a fact is stored.
    public func isKnown(_ id: EventID) throws(SessionStoreError) -> Bool {
        try work { try $0.fact(id) != nil }
    }

    // MARK: Reading

    /// The sessions that exist for the owner, newest activity first.
    /// - Parameter limit: Unread posts are counted up to so many for each.
    public func sessions(countingUnreadUpTo limit: Int = 1_000) throws(SessionStoreError) -> [SessionSummary] {
        try work { try $0.summaries(countingUnreadUpTo: limit) }
    }

    /// One session; nil where there is none or it was deleted.
    public func session(
        _ id: SessionID,
        countingUnreadUpTo limit: Int = 1_000
    ) throws(SessionStoreError) -> SessionSummary? {
        try work { engine in try engine.entry(id).flatMap { try engine.summary($0, countingUnreadUpTo: limit) } }
    }

    /// What is known of a session, for ``OutgoingPlanner`` and for who wants its members and its history.
    public func log(_ id: SessionID) throws(SessionStoreError) -> SessionLog? {
        try work { try $0.entry(id)?.log }
    }

    /// The sessions that their creators ended, ascending by id.
    public func deletedSessions() throws(SessionStoreError) -> [DeletedSession] {
        try work { try $0.deletedSessions() }
    }

    /// Posts that count, newest first.
    public func feed(_ query: FeedQuery) throws(SessionStoreError) -> FeedPage {
        try work { try $0.feed(query) }
    }

    /// One post that counts.
    public func post(_ id: EventID) throws(SessionStoreError) -> FeedItem? {
        try work { try $0.post(id) }
    }

    /// Posts that count and whose ids begin with these hex digits, by id.
    /// - Parameters:
    ///   - prefix: 1 to 64 lower-case hex digits; nothing is found for anything else.
    ///   - limit: how many are looked for.
    public func posts(idPrefix prefix: String, limit: Int = 100) throws(SessionStoreError) -> [FeedItem] {
        try work { try $0.posts(idPrefix: prefix, limit: limit) }
    }

    /// What somebody said about a post with an emoji, for ``OutgoingPlanner``.
    public func reactions(
        to post: EventID,
        in session: SessionID,
        _ emoji: ExactText,
        by sender: Bytes32
    ) throws(SessionStoreError) -> ReactionSlot {
        try work { try $0.slot(post, session, emoji, sender) }
    }

    /// The gift wraps that a post came in or was sent in.
    public func wraps(of post: EventID) throws(SessionStoreError) -> [WrapReference] {
        try work { try $0.wraps(of: post) }
    }

    /// Seals that are kept so that they can be wrapped again, in their order.
    /// - Parameter row: Where the part before ended.
    public func keptSeals(after row: Int64 = 0, limit: Int = 500) throws(SessionStoreError) -> [KeptSeal] {
        try work { try $0.keptSeals(after: row, limit: limit) }
    }

    /// How many kept facts count for nothing, reckoned when history was last settled and estimated since.
    public var waitingCount: Int {
        get throws(SessionStoreError) { try work { Int(clamping: $0.waiting) } }
    }

    /// How many posts are stored, those too that do not count.
    public var postCount: Int {
        get throws(SessionStoreError) { try work { try $0.postCount() } }
    }

    /// The posts of a session that are here and do not count.
    public func hiddenPosts(in id: SessionID) throws(SessionStoreError) -> HiddenPosts {
        try work { engine in
            guard let entry = try engine.entry(id), entry.isVisible else { throw SessionStoreError.unknownSession }
            return try engine.hiddenPosts(entry)
        }
    }

    // MARK: Moving to another machine

    /// Stored facts in the order in which they came, for a move to another machine.
    /// - Parameter row: Where the part before ended.
    public func storedArrivals(after row: Int64 = 0, limit: Int = 1_000) throws(SessionStoreError) -> [StoredArrival] {
        try work { try $0.storedArrivals(after: row, limit: limit) }
    }

    /// What was decided about sessions, ascending by id.
    /// - Parameter last: The last session of the part before.
    public func states(after last: SessionID? = nil, limit: Int = 1_000) throws(SessionStoreError) -> [SessionState] {
        try work { try $0.states(after: last, limit: limit) }
    }

    /// Takes over what was decided about sessions elsewhere. To be called before their facts are applied: a session of which
    /// facts are here is left as it is.
    public func take(_ states: [SessionState]) throws(SessionStoreError) {
        try work { try $0.take(states) }
    }

    // MARK: The person

    /// Confirms who made a session, or moves the choice to another claimant.
    public func setCreator(_ creator: Bytes32, of id: SessionID) throws(SessionStoreError) -> [SessionEffect] {
        try work { try $0.setCreator(creator, of: id) }
    }

    /// Marks a post as read.
    /// - Returns: Whether it was unread.
    @discardableResult
    public func markRead(_ post: EventID) throws(SessionStoreError) -> Bool {
        try work { try $0.markRead(post) }
    }

    /// Marks all posts of a session as read.
    /// - Returns: How many were unread.
    @discardableResult
    public func markRead(session id: SessionID) throws(SessionStoreError) -> Int {
        try work { engine in
            guard let entry = try engine.entry(id) else { throw SessionStoreError.unknownSession }
            return try engine.markAllRead(entry)
        }
    }

    /// Archives a session or takes it back, even one of which nothing has arrived yet.
    public func setArchived(_ isArchived: Bool, _ id: SessionID) throws(SessionStoreError) {
        try work { engine in try engine.change(id) { $0.isArchived = isArchived } }
    }

    /// Says whether a session by a stranger waits, was accepted or declined.
    public func setRequest(_ request: SessionRequest, _ id: SessionID) throws(SessionStoreError) {
        try work { engine in try engine.change(id) { $0.request = request } }
    }

    /// Hides one key's posts in a session on this device, or shows them again.
    public func setBlocked(_ isBlocked: Bool, _ key: Bytes32, in id: SessionID) throws(SessionStoreError) {
        try work { try $0.setBlocked(isBlocked, key, in: id) }
    }

    // MARK: Care

    /// Looks for damage; empty for a sound database.
    public func integrityCheck() throws(SessionStoreError) -> [String] {
        try work { try $0.connection.integrityCheck() }
    }

    /// Writes a copy to a new file. It opens with the same key.
    public func backUp(to path: String) throws(SessionStoreError) {
        try work { engine in
            try engine.merge()
            try engine.connection.backUp(to: path)
        }
    }

    /// Puts the keys in their places and closes the database.
    public func close() throws(SessionStoreError) {
        guard let engine else { return }
        self.engine = nil
        do {
            try engine.merge()
            _ = try engine.connection.checkpoint(.truncate)
        } catch {
            throw SessionStoreError(error)
        }
    }

    func work<Result>(_ body: (StoreEngine) throws -> Result) throws(SessionStoreError) -> Result {
        guard let engine else { throw .closed }
        do {
            return try body(engine)
        } catch {
            throw SessionStoreError(error)
        }
    }
}

/// A session that its creator ended.
public struct DeletedSession: Sendable, Hashable {
    /// Which session it was.
    public let id: SessionID
    /// Who made and ended it.
    public let creator: Bytes32
}
