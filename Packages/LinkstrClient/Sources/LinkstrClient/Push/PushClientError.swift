public import Sockets

/// Why a push service did not do what it was asked for. Nothing here shows a device token, a session or a key.
public enum PushClientError: Error, Equatable, Sendable {
    /// The address of the push service cannot be used; why.
    case invalidAddress(reason: String)
    /// The push service would be told over a network in clear what only it may know: https is needed.
    case insecureAddress
    /// It cannot be reached, or does not answer properly.
    case connection(SocketsError)
    /// It does not accept the account's signature; the clock may be wrong.
    case notAuthorized
    /// It takes no more requests for now.
    case tooManyRequests
    /// It refuses the request; what it says, shortened.
    case refused(String)
    /// It has a problem of its own; the HTTP status.
    case unavailable(status: Int)
    /// Its answer is not one of a push service.
    case unexpectedAnswer
}

extension PushClientError: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .invalidAddress(let reason): "The address of the push service cannot be used: \(reason)."
        case .insecureAddress: "The address of the push service must begin with https://."
        case .connection(let error): error.description
        case .notAuthorized: "The push service does not accept the signature; check the clock."
        case .tooManyRequests: "The push service takes no more requests for now."
        case .refused(let text): "The push service refuses the request: \(text)"
        case .unavailable(let status): "The push service has a problem of its own (HTTP status \(status))."
        case .unexpectedAnswer: "The answer is not that of a push service."
        }
    }
}
