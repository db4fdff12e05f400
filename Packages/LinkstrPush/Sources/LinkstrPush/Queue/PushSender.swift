/// Who brings notifications to devices.
public protocol PushSender: Sendable {
    /// Sends one notification. It returns in time, and soon after the task is cancelled.
    ///
    /// - Parameters:
    ///   - expiration: when the notification is of no use any more, in seconds since 1970.
    ///   - time: how long it may take.
    func send(
        _ notification: PushNotification,
        to device: PushTarget,
        expiration: Int64,
        within time: Duration
    ) async -> PushOutcome

    /// Ends all connections.
    func close() async
}

/// What became of a notification.
public enum PushOutcome: Sendable, Equatable {
    /// It was accepted.
    case delivered
    /// The device does not exist or does not belong to this app: it is forgotten.
    case deviceGone
    /// It was not accepted, or nobody knows: it is sent again later. The reason is for the log.
    case failed(reason: String)
    /// It was refused because of how the gateway is set up; it is sent again later. The reason is for the log.
    case misconfigured(reason: String)
    /// The task was cancelled: the notification stays as it was.
    case interrupted
}

/// Sends nothing and says so: for trying a gateway without Apple.
public struct LogSender: PushSender {
    private let log: @Sendable (String) -> Void

    /// - Parameter log: is given a line for each notification. It has neither the token nor the payload.
    public init(log: @escaping @Sendable (String) -> Void) {
        self.log = log
    }

    /// Logs, and counts as delivered.
    public func send(
        _ notification: PushNotification,
        to device: PushTarget,
        expiration: Int64,
        within time: Duration
    ) async -> PushOutcome {
        log("would send \(notification.payload.count) bytes to a \(device.environment.rawValue) device")
        return .delivered
    }

    /// Nothing is open.
    public func close() async {}
}
