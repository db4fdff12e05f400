public import SQLite

/// How a session store works.
public struct SessionStoreOptions: Sendable {
    /// What an applied batch survives; see `Synchronous`.
    public var synchronous: Synchronous
    /// The size of the page cache in bytes.
    public var cacheBytes: Int
    /// After so many facts their keys are merged into the tables. Opening makes at most as many keys again.
    public var recentFacts: Int
    /// Roughly how many member keys the remembered logs may hold in all, 32 bytes each.
    public var rememberedKeys: Int
    /// Refuse what ``Membership/admitsLive(_:and:at:)`` refuses. Off unless the person wants it.
    public var checksLiveAdmission: Bool
    /// Bounds on facts that count for nothing.
    public var waiting: WaitingBounds

    /// The defaults, but for what is given.
    public init(
        synchronous: Synchronous = .full,
        cacheBytes: Int = 16 << 20,
        recentFacts: Int = 16_000,
        rememberedKeys: Int = 200_000,
        checksLiveAdmission: Bool = false,
        waiting: WaitingBounds = WaitingBounds()
    ) {
        self.synchronous = synchronous
        self.cacheBytes = cacheBytes
        self.recentFacts = recentFacts
        self.rememberedKeys = rememberedKeys
        self.checksLiveAdmission = checksLiveAdmission
        self.waiting = waiting
    }

    /// How many facts that count for nothing are kept.
    public struct WaitingBounds: Hashable, Sendable {
        /// Of one sender, when a reading of history has settled.
        public var perSender: Int
        /// In all, when a reading of history has settled.
        public var perAccount: Int
        /// In all, at any moment.
        public var ever: Int
        /// Deletes of one sender whose post is not here, at any moment.
        public var deletesPerSender: Int

        /// The defaults, but for what is given.
        public init(
            perSender: Int = 1_000,
            perAccount: Int = 20_000,
            ever: Int = 1_000_000,
            deletesPerSender: Int = 100_000
        ) {
            self.perSender = perSender
            self.perAccount = perAccount
            self.ever = ever
            self.deletesPerSender = deletesPerSender
        }
    }
}
