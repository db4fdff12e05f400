public import NostrEvents
public import SQLite

/// How an event database works.
public struct StoreOptions: Sendable {
    /// What an acknowledged event survives; see `Synchronous`.
    public var synchronous: Synchronous
    /// How many queries run at the same time.
    public var readers: Int
    /// The page cache of the writer, in bytes.
    public var writerCacheBytes: Int
    /// The page cache of each reader, in bytes.
    public var readerCacheBytes: Int
    /// How many events go into one commit at most.
    public var groupSize: Int
    /// How many index keys wait in memory before they are merged into the tables; an event has about four and one for
    /// each tag. More is faster and takes longer to open after a crash.
    public var keysInMemory: Int
    /// The addresses of the relay that serves the database: requests to vanish (NIP-62) that name one of them are obeyed,
    /// as are those that name all relays. A `Relay` adds its own.
    public var serviceURLs: Set<String>
    /// The kinds whose contents can be searched (NIP-50). None by default: the index is about as large as the text. A
    /// change takes effect when the database is opened, which then reads every event once.
    public var searchKinds: Set<Kind>
    /// Seconds since 1970.
    public var now: @Sendable () -> Int64

    /// Options; what is left out suits a relay of up to some million events.
    public init(
        synchronous: Synchronous = .full,
        readers: Int = 2,
        writerCacheBytes: Int = 32 << 20,
        readerCacheBytes: Int = 8 << 20,
        groupSize: Int = 512,
        keysInMemory: Int = 80_000,
        serviceURLs: Set<String> = [],
        searchKinds: Set<Kind> = [],
        now: @escaping @Sendable () -> Int64 = StoreClock.seconds
    ) {
        self.synchronous = synchronous
        self.readers = readers
        self.writerCacheBytes = writerCacheBytes
        self.readerCacheBytes = readerCacheBytes
        self.groupSize = groupSize
        self.keysInMemory = keysInMemory
        self.serviceURLs = serviceURLs
        self.searchKinds = searchKinds
        self.now = now
    }
}

/// What became of an event that was handed to the database.
public enum IngestOutcome: Hashable, Sendable {
    /// It is stored, committed as durably as ``StoreOptions/synchronous`` says.
    case stored
    /// It was there already.
    case duplicate
    /// A newer version of the replaceable or addressable event is there.
    case superseded
    /// Its kind is not stored (NIP-01).
    case ephemeral
    /// Its time is over (NIP-40).
    case expired
    /// Its author asked for its deletion (NIP-09).
    case deleted
    /// Its author, or the addressee of a gift wrap, asked to vanish (NIP-62).
    case vanished
}
