/// How much one client may cost. Sizes are in bytes.
public struct RelayLimits: Sendable, Equatable {
    /// Connections open at the same time; the next are turned away with status 503.
    public var connections = 10_000
    /// Connections open at the same time from one IP address; nil: no limit. Leave it nil behind a proxy.
    public var connectionsPerAddress: Int?
    /// Connections that are taken in a second; more of them wait in the system's backlog, so that those who come again and again
    /// do not keep the others from being served. Nil: as many as come.
    public var connectionsPerSecond: Int? = 500
    /// How long a request may take to come in before the connection is a WebSocket, the TLS handshake too; then it is closed.
    public var requestTime = Duration.seconds(15)
    /// How long a message of a client may take from its first byte to its last; then the connection is closed.
    public var messageTime = Duration.seconds(60)
    /// One message of a client. A longer one closes the connection.
    public var messageSize = 1 << 20
    /// The content of an event, as written in its JSON.
    public var contentSize = 1 << 20
    /// Tags of an event; a follow list (kind 3) may have 10,000 in any case.
    public var tags = 2_000
    /// Subscriptions open on one connection.
    public var subscriptions = 100
    /// Filters of one request.
    public var filters = 32
    /// Values of all filters of all open subscriptions of one connection.
    public var filterValues = 50_000
    /// Values of all filters of all subscriptions of all connections, of which no connection may hold more than is left.
    public var allFilterValues = 4_000_000
    /// Stored events that one filter gets, and gets if it names no limit.
    public var eventsPerFilter = 5_000
    /// Requests of one connection that are answered from the database at the same time; the others wait.
    public var runningQueries = 2
    /// How long the database may look until it finds another event for an answer, or has a count or a set complete.
    public var queryTime = Duration.seconds(10)
    /// Events of one connection that are on their way to the database; then the connection is read no further.
    public var eventsInFlight = 256
    /// Bytes of events of all connections that are on their way to the database; then no connection is read further.
    public var bytesInFlight = 64 << 20
    /// Messages that wait for a client that does not read; then it is dropped. What its connection holds comes on top,
    /// 64 KiB and what the system has on its way.
    public var outgoingBytes = 4 << 20
    /// Messages that wait for all clients together. No client may hold more than is left of it, so that those who hold most
    /// are dropped first, and before it is used up.
    public var allOutgoingBytes = 256 << 20
    /// How long a client may read nothing of what waits for it; then it is dropped. One that reads slowly is not.
    public var stallTime = Duration.seconds(30)
    /// Keys that may be authenticated on one connection.
    public var authenticatedKeys = 16
    /// Messages of a connection that make no sense; then it is closed.
    public var violations = 64
    /// Reconciliations (NIP-77) open on one connection.
    public var reconciliations = 4
    /// Events that one reconciliation may be about.
    public var reconciliationEvents = 1_000_000
    /// Events that all open reconciliations may be about; each takes 40 bytes, beyond 16,384 of one in a file without a name
    /// beside the database.
    public var allReconciliationEvents = 4_000_000
    /// How long a reconciliation may wait for its client.
    public var reconciliationIdleTime = Duration.seconds(60)

    /// The default values.
    public init() {}
}
