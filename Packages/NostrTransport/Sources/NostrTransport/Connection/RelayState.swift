/// Where a relay connection stands, and why.
public enum RelayState: Equatable, Sendable {
    /// Nothing was started yet, or ``RelayConnection/stop()`` was called.
    case disconnected
    /// A connection is being made.
    case connecting
    /// The connection is open.
    case connected
    /// The connection is open, and the relay has been told who this is but has not yet answered (NIP-42).
    case authenticating
    /// The connection is open, but the relay refused to take events or to authenticate; its words.
    case readOnly(String)
    /// The connection could not be made or ended; when it is tried again, if it is.
    case failed(TransportError, retryIn: Duration?)
    /// ``RelayConnection/disable()`` was called.
    case disabled

    /// Whether messages can be exchanged.
    public var isOpen: Bool {
        switch self {
        case .connected, .authenticating, .readOnly: true
        case .disconnected, .connecting, .failed, .disabled: false
        }
    }
}

extension RelayState: CustomStringConvertible {
    /// The state in a word or a sentence.
    public var description: String {
        switch self {
        case .disconnected: "disconnected"
        case .connecting: "connecting"
        case .connected: "connected"
        case .authenticating: "authenticating"
        case .readOnly(let reason): reason.isEmpty ? "read-only" : "read-only: \(reason)"
        case .failed(let error, _): "failed: \(error)"
        case .disabled: "disabled"
        }
    }
}
