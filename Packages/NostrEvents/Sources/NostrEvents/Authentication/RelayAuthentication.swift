public import NostrCrypto

/// How a client proves to a relay who it is (NIP-42).
public enum RelayAuthentication {
    /// How far `created_at` may be from the clock, in seconds, as NIP-42 advises.
    public static let standardTolerance: Int64 = 600

    /// The client's answer to a challenge.
    /// - Parameters:
    ///   - challenge: What the relay sent in its AUTH message.
    ///   - relay: The relay that the client is connected to, and never what somebody else says it is.
    ///   - createdAt: Now, in seconds since 1970.
    public static func event(
        challenge: String,
        relay: RelayURL,
        createdAt: Int64,
        signedBy keyPair: KeyPair
    ) -> Event {
        Event(
            kind: .clientAuthentication,
            content: "",
            tags: [Tag("relay", relay.text), Tag("challenge", challenge)],
            createdAt: createdAt,
            signedBy: keyPair
        )
    }

    /// Checks a client's answer; id and signature have been checked with the event's type.
    /// - Parameters:
    ///   - challenge: What was sent last on this connection.
    ///   - relay: This relay. Scheme and host may be in another case, a default port and a last slash make no difference.
    ///   - now: Seconds since 1970.
    ///   - tolerance: How far `created_at` may be from `now`, in seconds.
    /// - Throws: ``EventError/invalidAuthentication(_:)``.
    public static func check(
        _ event: Event,
        challenge: String,
        relay: RelayURL,
        now: Int64,
        tolerance: Int64 = standardTolerance
    ) throws(EventError) {
        guard event.kind == .clientAuthentication else { throw .invalidAuthentication(.wrongKind) }
        try AuthenticationProblem.checkTime(event.createdAt, now: now, tolerance: tolerance)
        guard let answered = event.tags.firstValue(named: "challenge"), answered.isExactly(challenge) else {
            throw .invalidAuthentication(.wrongChallenge)
        }
        guard let named = event.tags.firstValue(named: "relay"), let url = try? RelayURL(named),
            url.isSameRelay(as: relay)
        else { throw .invalidAuthentication(.wrongRelay) }
    }
}
