/// Where a database lies.
public enum Location: Hashable, Sendable {
    /// A file, with its `-wal` and `-shm` files beside it.
    case file(String)
    /// In memory, gone when the connection closes.
    case memory

    /// The path, for messages.
    public var path: String {
        switch self {
        case .file(let path): path
        case .memory: ":memory:"
        }
    }
}

/// What a connection may do with the database.
public enum Access: Hashable, Sendable {
    /// Read an existing database.
    case read
    /// Read and write an existing database.
    case readWrite
    /// Read and write; make the database when there is none yet, readable by its owner alone.
    case create
}

/// What an acknowledged commit survives.
public enum Synchronous: Hashable, Sendable {
    /// Every commit waits for the disk: it survives a crash of the program, of the system, and a power cut.
    case full
    /// The disk is waited for at checkpoints only: a commit survives a crash of the program (`kill -9`), but the last ones
    /// may be missing after a power cut. The database stays consistent.
    case normal
}

/// How a connection works.
public struct Options: Hashable, Sendable {
    /// What a commit survives.
    public var synchronous: Synchronous
    /// The size of the page cache in bytes; each connection has its own, so choose it for the connection's role.
    public var cacheBytes: Int
    /// How long to wait for a lock that another connection holds.
    public var busyTimeout: Duration
    /// The length of the write-ahead log, in pages, from which a commit copies it into the database; zero leaves that to
    /// ``Connection/checkpoint(_:)``.
    public var checkpointPages: Int
    /// How many prepared statements that are not in use are kept.
    public var cachedStatements: Int

    /// Options; what is left out is as for a small database of which nothing acknowledged may be lost.
    public init(
        synchronous: Synchronous = .full,
        cacheBytes: Int = 2 << 20,
        busyTimeout: Duration = .seconds(5),
        checkpointPages: Int = 1_000,
        cachedStatements: Int = 64
    ) {
        self.synchronous = synchronous
        self.cacheBytes = cacheBytes
        self.busyTimeout = busyTimeout
        self.checkpointPages = checkpointPages
        self.cachedStatements = cachedStatements
    }
}
