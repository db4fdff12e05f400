/// How much an event database holds.
public struct StoreStatistics: Hashable, Sendable {
    /// Stored events, those included whose time is over but which are not yet deleted.
    public let events: Int
    /// The size of the database, without its log.
    public let bytes: Int
    /// How much of it is free for new events.
    public let freeBytes: Int
    /// Index keys that wait to be merged into the tables.
    public let keysInMemory: Int
}
