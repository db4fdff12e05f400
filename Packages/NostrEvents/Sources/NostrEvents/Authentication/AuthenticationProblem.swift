/// Why an event does not authenticate somebody (NIP-42, NIP-98).
public enum AuthenticationProblem: Error, Equatable, Sendable {
    /// The event is of another kind.
    case wrongKind
    /// The event is older or newer than the tolerance allows.
    case outsideTimeWindow
    /// The challenge is missing or another one.
    case wrongChallenge
    /// The relay is missing or another one.
    case wrongRelay
    /// The URL is missing or another one.
    case wrongURL
    /// The method is missing or another one.
    case wrongMethod
    /// The body is not the one that was signed for, or was not signed for where it must be.
    case wrongPayload
    /// The header is not `Nostr` and Base64.
    case malformedHeader
}

extension AuthenticationProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wrongKind: "The authentication event is of the wrong kind."
        case .outsideTimeWindow: "The authentication event is too old or too new; check the clock."
        case .wrongChallenge: "The authentication event answers another challenge."
        case .wrongRelay: "The authentication event is for another relay."
        case .wrongURL: "The authentication event is for another URL."
        case .wrongMethod: "The authentication event is for another HTTP method."
        case .wrongPayload: "The authentication event is not for this request body."
        case .malformedHeader: "The Authorization header is not of the form: Nostr <event in Base64>."
        }
    }

    static func checkTime(_ time: Int64, now: Int64, tolerance: Int64) throws(EventError) {
        let (difference, overflow) = time.subtractingReportingOverflow(now)
        guard !overflow, difference.magnitude <= UInt64(max(0, tolerance)) else {
            throw .invalidAuthentication(.outsideTimeWindow)
        }
    }
}
