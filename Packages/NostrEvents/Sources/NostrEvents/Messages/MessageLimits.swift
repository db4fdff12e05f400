/// How large a message between client and relay may be.
public struct MessageLimits: Sendable, Equatable {
    /// Bytes of the whole message.
    public var size: Int
    /// Filters in one REQ or COUNT.
    public var filters: Int
    /// What an event may have.
    public var event: EventLimits
    /// What a filter may have.
    public var filter: FilterLimits

    /// - Parameters:
    ///   - size: Bytes of the whole message, by default 4 MiB.
    ///   - filters: Filters in one REQ or COUNT, by default 64.
    ///   - event: What an event may have.
    ///   - filter: What a filter may have.
    public init(
        size: Int = 4 << 20,
        filters: Int = 64,
        event: EventLimits = .standard,
        filter: FilterLimits = .standard
    ) {
        self.size = size
        self.filters = filters
        self.event = event
        self.filter = filter
    }

    /// The defaults of ``init(size:filters:event:filter:)``.
    public static let standard = MessageLimits()
}
