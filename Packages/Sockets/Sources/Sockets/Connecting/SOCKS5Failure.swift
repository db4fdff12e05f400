/// Why a SOCKS5 proxy did not open a connection (RFC 1928 section 6, RFC 1929).
public enum SOCKS5Failure: Error, Equatable, Sendable, CustomStringConvertible {
    /// The proxy wants a way to authenticate that was not offered.
    case authenticationNeeded
    /// The proxy did not accept the user name and password.
    case authenticationRefused
    /// The proxy's rules forbid the connection.
    case notAllowed
    /// The proxy reports that the network or the host cannot be reached.
    case unreachable
    /// The target refused the connection that the proxy tried to make.
    case refused
    /// The proxy failed, or the reply code is one that no other case names.
    case failed(code: UInt8)
    /// The peer does not speak SOCKS5.
    case protocolViolation
    /// The name is longer than the 255 bytes that SOCKS5 can carry, or a credential is.
    case nameTooLong

    /// One plain sentence.
    public var description: String {
        switch self {
        case .authenticationNeeded: "The proxy demands a login."
        case .authenticationRefused: "The proxy did not accept the login."
        case .notAllowed: "The proxy does not allow this connection."
        case .unreachable: "The proxy cannot reach the host."
        case .refused: "The host refused the proxy's connection."
        case .failed(let code): "The proxy failed with code \(code)."
        case .protocolViolation: "The proxy does not speak SOCKS5."
        case .nameTooLong: "The name is too long for a SOCKS5 proxy."
        }
    }
}
