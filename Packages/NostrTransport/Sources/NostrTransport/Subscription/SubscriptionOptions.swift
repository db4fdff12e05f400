/// How a subscription behaves. A value: change a copy.
public struct SubscriptionOptions: Sendable {
    /// When a subscription ends by itself.
    public enum Extent: Sendable, Equatable {
        /// Stored events and new ones, until it is closed. Survives reconnections and refusals that may pass.
        case live
        /// Stored events: over on each relay at its end of stored events, or when the relay fails.
        case stored
    }

    /// When it ends by itself.
    public var extent = Extent.live
    /// What the names of its requests begin with; a number follows. At most 52 characters.
    public var name = ""
    /// The events that are known. Share one between subscriptions whose consumer wants each event once in all; nil
    /// makes one for this subscription.
    public var seen: SeenEvents?
    /// Bytes of updates that wait for the consumer before relays are read no further.
    public var bufferBytes = 1 << 20
    /// How long a relay may leave the request without progress; nil: ``TransportOptions/stallTime``.
    public var stallTime: Duration?

    /// The default values.
    public init() {}

    /// A subscription that ends with the stored events.
    public static var stored: SubscriptionOptions {
        var options = SubscriptionOptions()
        options.extent = .stored
        return options
    }
}
