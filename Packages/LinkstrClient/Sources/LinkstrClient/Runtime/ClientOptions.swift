public import LinkMetadata
public import NostrCrypto
public import NostrEvents
public import NostrTransport
public import Sockets
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How the runtime of an account works. A value: change a copy.
public struct ClientOptions: Sendable {
    /// How long a sending waits for a relay that can be used.
    public var gateTime: Duration = .seconds(12)
    /// How long relays may take to confirm.
    public var acceptanceTime: Duration = .seconds(8)
    /// How long a page of history may go without progress.
    public var stallTime: Duration = .seconds(15)
    /// While receiving: how long after a history that broke off it is tried again; doubled each time, up to an hour.
    public var historyRetryTime: Duration = .seconds(60)
    /// While receiving: how much history is read at each start and after each new connection.
    public var historyExtent = AccountRuntime.Extent.full
    /// Relays that others cannot reach, such as one in the own daemon: they store, and decide only where there is no other.
    public var unreachableRelays: Set<RelayURL> = []
    /// Keeps everything in memory, for this run only: the way on where a database cannot be opened.
    public var isTemporary = false
    /// How titles and thumbnails of links are fetched, where the person wants them.
    public var metadataFetcher = MetadataFetcher()
    /// The push service, in place of the account's setting; nil: what the setting says. ``PushClient/environmentVariable`` names it.
    public var pushService: String?
    /// How a push service is reached.
    public var pushHTTP = PushClient.standardHTTP
    /// How long closing an account waits for what a push service has yet to be told.
    public var pushClosingTime: Duration = .seconds(10)
    /// How long push services are waited for when an account leaves this device.
    public var pushLeavingTime: Duration = .seconds(5)
    /// What the passphrase of an export costs: the base-2 logarithm of scrypt's cost, 18 at most.
    public var exportLogN = 16
    /// How relays are talked to.
    public var transport = TransportOptions()
    /// Where random bytes come from.
    public var random = RandomSource.system
    /// Seconds since 1970.
    public var now: @Sendable () -> Int64 = { Int64(time(nil)) }
    /// The loops on which relays are talked to.
    public var loops = EventLoopGroup.shared
    /// Waits, by the clock of ``loops`` where that is not the machine's.
    public var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    /// Told each stage of start-up, the first ones while the runtime is being opened. On any thread.
    public var onStage: (@Sendable (BootStage) -> Void)?

    /// What an account is run with unless something is changed.
    public init() {}

    /// Gift wraps are back-dated by up to two days, and clocks differ: so far before its last complete reading history is read
    /// again, and so far back new events are subscribed to. In seconds.
    static let overlap: Int64 = 259_200
    /// The most stored events that a subscription to new ones asks for.
    static let liveLimit = 500
    /// So many statements that relays have lost are put back in one day.
    static let restoredSealsPerDay = 50
    /// Between two readings of the whole history that the sessions ask for, in seconds.
    static let wantedHistoryInterval: Int64 = 600
}
