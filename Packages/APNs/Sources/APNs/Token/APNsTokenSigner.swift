internal import COpenSSL
internal import Locking

/// Makes the tokens by which a provider authenticates (Apple: "Establishing a token-based connection"; RFC 7519). One for all
/// connections: Apple refuses a provider whose tokens change more often than every 20 minutes, and tokens older than an hour.
public final class APNsTokenSigner: Sendable {
    /// The age in seconds at which a token is replaced.
    public static let renewal: Int64 = 40 * 60
    /// The age in seconds from which a token may be replaced before ``renewal``.
    public static let earliestRenewal: Int64 = 20 * 60

    private struct Token {
        var text: String
        var issued: Int64
    }

    private let key: APNsSigningKey
    private let keyID: String
    private let teamID: String
    private let current = Locked<Token?>(nil)

    /// - Parameters:
    ///   - keyID: the ten characters that Apple names the key by.
    ///   - teamID: the ten characters that Apple names the team by.
    /// - Throws: ``APNsError/invalidIdentifier(_:)``
    public init(key: APNsSigningKey, keyID: String, teamID: String) throws(APNsError) {
        for (name, value) in [("key id", keyID), ("team id", teamID)] {
            guard value.utf8.count == 10, value.utf8.allSatisfy(Self.isLetterOrDigit) else {
                throw .invalidIdentifier(name)
            }
        }
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
    }

    /// A token that is good now: the last one, or a new one when that is 40 minutes old, or dated ahead after the clock was set
    /// back.
    ///
    /// - Parameter now: seconds since 1970.
    /// - Throws: ``APNsError/signingFailed``
    public func token(at now: Int64) throws(APNsError) -> String {
        try current.withLock { (current) throws(APNsError) in
            if let known = current, known.issued <= now, now - known.issued < Self.renewal { return known.text }
            let token = Token(text: try sign(now), issued: now)
            current = token
            return token.text
        }
    }

    /// Says that Apple found a token too old. It is replaced, unless that would be too soon after the last time.
    ///
    /// - Returns: whether another token will be used from now on.
    public func refuse(_ token: String, at now: Int64) -> Bool {
        current.withLock { current in
            guard let known = current else { return true }
            guard known.text == token else { return true }
            guard now - known.issued >= Self.earliestRenewal else { return false }
            current = nil
            return true
        }
    }

    private func sign(_ now: Int64) throws(APNsError) -> String {
        let head = Self.base64URL(Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8))
        let claims = Self.base64URL(Array(#"{"iss":"\#(teamID)","iat":\#(now)}"#.utf8))
        let message = head + "." + claims
        return message + "." + Self.base64URL(try key.sign(Array(message.utf8)))
    }

    /// RFC 4648 section 5, without padding.
    static func base64URL(_ bytes: [UInt8]) -> String {
        var encoded = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = Int(EVP_EncodeBlock(&encoded, bytes, Int32(bytes.count)))
        let text = encoded[..<count].filter { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
