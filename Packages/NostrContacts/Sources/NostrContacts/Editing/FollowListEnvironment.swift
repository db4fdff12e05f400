public import NostrEvents

/// What ``FollowListEditor`` needs from outside: any relay library and any database do.
public struct FollowListEnvironment: Sendable {
    /// Publishes an event and returns once it is accepted, by as many relays as the caller's rules ask for; throws if it is not.
    public var publish: @Sendable (Event) async throws -> Void
    /// The newest kind 3 of the owner on each relay that is asked, none if a relay has none. Throws if one of the relays gave no
    /// answer, as a time-out, a CLOSED or a lost connection: see ``FollowListLoad``.
    public var fetchNewest: @Sendable () async throws -> [Event]
    /// Stores what the editor knows, in one transaction; called after each change that was accepted and each newer list.
    public var save: @Sendable (FollowListState, FollowListHistory) async throws -> Void
    /// Seconds since 1970.
    public var now: @Sendable () -> Int64

    /// An environment of its parts.
    public init(
        publish: @escaping @Sendable (Event) async throws -> Void,
        fetchNewest: @escaping @Sendable () async throws -> [Event],
        save: @escaping @Sendable (FollowListState, FollowListHistory) async throws -> Void = { _, _ in },
        now: @escaping @Sendable () -> Int64
    ) {
        self.publish = publish
        self.fetchNewest = fetchNewest
        self.save = save
        self.now = now
    }
}
