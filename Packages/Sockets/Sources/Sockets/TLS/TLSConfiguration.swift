/// How a client sets up TLS.
public struct TLSConfiguration: Sendable {
    /// Whether the server must prove who it is.
    public enum Verification: Sendable {
        /// The certificate must be valid, for this host, and from an issuer that is trusted.
        case full
        /// INSECURE: any certificate of anybody is accepted, so that whoever sits in between reads and changes everything.
        case insecureAcceptAnyCertificate
    }

    /// Whether the server must prove who it is: fully, unless the insecure choice is named.
    public var verification = Verification.full
    /// Whether the issuers that the system trusts are trusted.
    public var trustsSystemAuthorities = true
    /// The path of a PEM file with more issuers to trust.
    public var extraAuthoritiesFile: String?
    /// The application protocols to offer (ALPN), the preferred first: `["http/1.1"]`.
    public var applicationProtocols: [String] = []
    /// How many sessions are kept to be resumed; 0 turns resumption off.
    public var sessionCacheSize = 256

    /// Full verification by the issuers that the system trusts.
    public init() {}
}
