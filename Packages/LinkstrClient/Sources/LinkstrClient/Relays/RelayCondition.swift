public import NostrEvents
public import NostrTransport

/// How the connection to a relay stands, as commands and the control socket tell it.
public struct RelayCondition: Sendable {
    /// Its connection.
    public let state: RelayState
    /// How long the relay took to answer last.
    public let roundTrip: Duration?
    /// Since when there is no connection though one is wanted, in seconds since 1970.
    public let failingSince: Int64?

    /// What a connection says of itself; without one it is not connected.
    /// - Parameter now: Seconds since 1970.
    public init(_ status: RelayStatus?, now: Int64) {
        state = status?.state ?? .disconnected
        roundTrip = status?.statistics.roundTrip
        failingSince = status?.statistics.failingSince.map { now - $0.duration(to: .now).components.seconds }
    }

    /// `problem` (why it fails or takes nothing), `failing_since`, `round_trip_ms` and `role` (`read-write` or `read-only`); null where
    /// there is nothing to tell.
    public var members: JSONObject {
        let problem: String? =
            switch state {
            case .failed(let error, _): error.description
            case .readOnly(let reason): reason.isEmpty ? nil : reason
            default: nil
            }
        let milliseconds = roundTrip.map { Int64($0 / .milliseconds(1)) }
        return [
            "problem": problem.map { .string($0) } ?? .null,
            "failing_since": failingSince.map { .integer($0) } ?? .null,
            "round_trip_ms": milliseconds.map { .integer($0) } ?? .null,
            "role": state.isReadOnly ? "read-only" : state.isWritable ? "read-write" : .null,
        ]
    }
}
