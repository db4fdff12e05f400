public import NostrCrypto
public import NostrEvents

/// How a request to a push gateway proves which account makes it: a signed event in the `Authorization` header, in the manner of
/// NIP-98 but with tags of its own.
public struct PushAuthorization: Sendable {
    /// The event's kind, 27235.
    public static let kind = Kind.httpAuthentication
    /// How far `created_at` may be from the clock, in seconds, both ends included.
    public static let tolerance: Int64 = 300
    /// For how long a nonce is remembered, in seconds: an event may be dated ``tolerance`` ahead and is accepted until
    /// ``tolerance`` after its date.
    public static let nonceMemory: Int64 = 600

    /// What makes an event of no use to authenticate a request. The client is not told which.
    public enum Problem: Error, Equatable, Sendable {
        /// The header is no event in Base64.
        case malformedHeader
        /// The event's kind is not that of NIP-98.
        case wrongKind
        /// It is dated more than ``tolerance`` seconds away from now.
        case outsideTimeWindow
        /// It is for another method.
        case wrongMethod
        /// It is for another address.
        case wrongPath
        /// It names the hash of another body.
        case wrongBody
        /// It has no nonce, or one that is too short or long.
        case missingNonce
        /// Its id or signature is wrong.
        case wrongSignature
    }

    /// The event, its id and signature not looked at yet.
    let event: WireEvent
    /// The random text that makes the event good for one request only.
    public let nonce: String

    /// Checks everything but the signature, which costs the most.
    ///
    /// - Parameters:
    ///   - header: the value of `Authorization`.
    ///   - path: the path that must be signed, without a query.
    ///   - body: the body as it came.
    ///   - now: seconds since 1970.
    public init(header: String, method: String, path: String, body: [UInt8], now: Int64) throws(Problem) {
        let scheme = "Nostr "
        guard header.hasPrefix(scheme),
            let json = try? Base64.decode(String(header.dropFirst(scheme.count))),
            let event = try? WireEvent(json: json)
        else { throw .malformedHeader }
        guard event.kind == Self.kind else { throw .wrongKind }
        let (age, overflow) = now.subtractingReportingOverflow(event.createdAt)
        guard !overflow, age.magnitude <= UInt64(Self.tolerance) else { throw .outsideTimeWindow }
        guard Self.value("method", of: event, is: method) else { throw .wrongMethod }
        guard Self.value("path", of: event, is: path) else { throw .wrongPath }
        guard Self.value("payload_sha256", of: event, is: SHA256.hash(body).hex) else { throw .wrongBody }
        guard let nonce = event.tags.firstValue(named: "nonce"), !nonce.trimmedOfBlanks.isEmpty else {
            throw .missingNonce
        }
        self.event = event
        self.nonce = nonce
    }

    /// Checks the id and the signature.
    ///
    /// - Returns: the event; its public key is the account that makes the request.
    public func verified(keys: PublicKeyCache) throws(Problem) -> Event {
        do {
            return try Event(verifying: event, keys: keys)
        } catch {
            throw .wrongSignature
        }
    }

    /// Byte for byte.
    private static func value(_ name: String, of event: WireEvent, is wanted: String) -> Bool {
        event.tags.firstValue(named: name)?.utf8.elementsEqual(wanted.utf8) ?? false
    }
}
