public import NostrCrypto

/// How a request to a web server proves who makes it (NIP-98): an event in the `Authorization` header.
public enum HTTPAuthorization {
    /// How far `created_at` may be from the clock, in seconds, as NIP-98 advises.
    public static let standardTolerance: Int64 = 60
    /// Longer headers are refused. In bytes.
    public static let maximumHeaderLength = 16_384

    /// The value of the `Authorization` header for a request.
    /// - Parameters:
    ///   - url: The absolute URL with its query.
    ///   - method: The HTTP method, in upper case.
    ///   - body: The body, whose hash is signed too; nil if there is none.
    ///   - createdAt: Now, in seconds since 1970.
    public static func header(
        url: String,
        method: String,
        body: [UInt8]? = nil,
        createdAt: Int64,
        signedBy keyPair: KeyPair
    ) -> String {
        var tags = [Tag("u", url), Tag("method", method)]
        if let body { tags.append(Tag("payload", SHA256.hash(body).hex)) }
        let event = Event(
            kind: .httpAuthentication,
            content: "",
            tags: tags,
            createdAt: createdAt,
            signedBy: keyPair
        )
        return "Nostr " + Base64.encode(event.json)
    }

    /// Checks the `Authorization` header of a request.
    ///
    /// The scheme may be in any case and the Base64 without its padding. The same header can be sent twice within the
    /// tolerance: whoever minds that remembers the ids.
    /// - Parameters:
    ///   - url: The absolute URL as requested, with its query; it must be the signed one byte for byte.
    ///   - method: The request's method.
    ///   - body: The body; nil if there is none.
    ///   - requiresPayload: Whether the hash of a body must be signed. One that is signed is compared in any case.
    ///   - now: Seconds since 1970.
    ///   - tolerance: How far `created_at` may be from `now`, in seconds.
    /// - Returns: The event; its public key is who makes the request.
    /// - Throws: ``EventError/invalidAuthentication(_:)``, or what is wrong with the event.
    public static func check(
        header: String,
        url: String,
        method: String,
        body: [UInt8]? = nil,
        requiresPayload: Bool = true,
        now: Int64,
        tolerance: Int64 = standardTolerance
    ) throws(EventError) -> Event {
        let event = try event(in: header)
        guard event.kind == .httpAuthentication else { throw .invalidAuthentication(.wrongKind) }
        try AuthenticationProblem.checkTime(event.createdAt, now: now, tolerance: tolerance)
        guard let signedURL = event.tags.firstValue(named: "u"), signedURL.isExactly(url) else {
            throw .invalidAuthentication(.wrongURL)
        }
        guard let signedMethod = event.tags.firstValue(named: "method"), signedMethod.isExactly(method) else {
            throw .invalidAuthentication(.wrongMethod)
        }
        if let payload = event.tags.firstValue(named: "payload") {
            guard payload.isExactly(SHA256.hash(body ?? []).hex) else { throw .invalidAuthentication(.wrongPayload) }
        } else if requiresPayload, body?.isEmpty == false {
            throw .invalidAuthentication(.wrongPayload)
        }
        return event
    }

    private static func event(in header: String) throws(EventError) -> Event {
        let scheme = "nostr "
        guard header.utf8.count <= maximumHeaderLength, header.prefix(scheme.count).lowercased() == scheme else {
            throw .invalidAuthentication(.malformedHeader)
        }
        let text = String(header.dropFirst(scheme.count)).trimmed
        let padding = text.hasSuffix("=") ? 0 : (4 - text.utf8.count % 4) % 4
        let json: [UInt8]
        do {
            json = try Base64.decode(text + String(repeating: "=", count: padding))
        } catch {
            throw .invalidAuthentication(.malformedHeader)
        }
        return try Event(json: json)
    }
}
