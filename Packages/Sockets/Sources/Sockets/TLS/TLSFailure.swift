/// Why a TLS session could not be set up, or why it broke.
public enum TLSFailure: Error, Equatable, Sendable {
    /// The peer's certificate, or one that it rests on, has expired.
    case certificateExpired
    /// The peer's certificate, or one that it rests on, is not valid yet.
    case certificateNotYetValid
    /// The certificate is good, but for another host than the one that was asked for.
    case wrongHost(String)
    /// The certificate is signed by itself and not trusted.
    case selfSigned
    /// Nobody who is trusted has signed the certificate.
    case unknownIssuer
    /// The certificate has been revoked.
    case certificateRevoked
    /// The certificate was refused for another reason: OpenSSL's `X509_V_ERR_` code.
    case certificateRefused(code: Int)
    /// The peer offers only versions of the protocol before TLS 1.2.
    case protocolTooOld
    /// The two sides have no cipher in common.
    case noCommonCipher
    /// The two sides have no application protocol (ALPN) in common.
    case noCommonProtocol
    /// What answers does not speak TLS.
    case notTLS
    /// The peer broke off with an alert: the number of RFC 8446 section 6.
    case alert(UInt8)
    /// The connection ended without the closing message of TLS: what came before may be cut short.
    case truncated
    /// A certificate, key or CA file could not be read or used.
    case badCredentials(String)
    /// OpenSSL failed in a way that no other case names; its packed error code.
    case other(code: UInt)
}

extension TLSFailure: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .certificateExpired: "The server's certificate has expired."
        case .certificateNotYetValid: "The server's certificate is not valid yet; is the clock right?"
        case .wrongHost(let host): "The server's certificate is not for \(host)."
        case .selfSigned: "The server's certificate is self-signed and not trusted."
        case .unknownIssuer: "The server's certificate is from an issuer that is not trusted."
        case .certificateRevoked: "The server's certificate has been revoked."
        case .certificateRefused(let code): "The server's certificate was refused (code \(code))."
        case .protocolTooOld: "The other side speaks only versions of TLS that are too old; TLS 1.2 is needed."
        case .noCommonCipher: "There is no cipher that both sides accept."
        case .noCommonProtocol: "There is no application protocol that both sides accept."
        case .notTLS: "What answers does not speak TLS."
        case .alert(let number): "The other side ended the TLS session with alert \(number)."
        case .truncated: "The TLS session was cut off."
        case .badCredentials(let what): "The TLS credentials cannot be used: \(what)."
        case .other(let code): "The TLS session failed (code \(code))."
        }
    }
}
