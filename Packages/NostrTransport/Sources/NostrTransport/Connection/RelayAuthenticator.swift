public import NostrCrypto
public import NostrEvents

/// What a relay wants to know: who is there (NIP-42).
public struct AuthenticationRequest: Sendable {
    /// Why it is answered now.
    public enum Occasion: Sendable, Equatable {
        /// The relay has sent its challenge. Nothing has been refused yet, and the relay learns who is there by an answer.
        case offered
        /// The relay refused a request or an event until it knows; its words.
        case required(StatusMessage)
    }

    /// The relay that this client is connected to: what the answer must name.
    public let relay: RelayURL
    /// The relay's challenge: what the answer must repeat.
    public let challenge: String
    /// Why it is answered now.
    public let occasion: Occasion
    /// Seconds since 1970.
    public let now: Int64

    /// The answer of one key.
    public func answer(signedBy keyPair: KeyPair) -> Event {
        RelayAuthentication.event(challenge: challenge, relay: relay, createdAt: now, signedBy: keyPair)
    }
}

/// Who a client is to relays, and which relays may know (NIP-42).
///
/// Answers that name another relay or another challenge than the connection's own are not sent, whoever made them.
public struct RelayAuthenticator: Sendable {
    /// Decides, and signs: an event for each key that the relay may know; none refuses.
    public var answers: @Sendable (AuthenticationRequest) async -> [Event]

    /// An authenticator that decides and signs itself, for instance by asking a person or a remote signer.
    public init(answers: @escaping @Sendable (AuthenticationRequest) async -> [Event]) {
        self.answers = answers
    }

    /// Answers with keys.
    ///
    /// - Parameters:
    ///   - keys: one or several; each gets an answer of its own.
    ///   - onlyWhenRequired: whether a challenge alone is not answered, but only a refusal.
    ///   - allows: whether this relay may know at all.
    public init(
        keys: [KeyPair],
        onlyWhenRequired: Bool = true,
        allows: @escaping @Sendable (RelayURL) -> Bool = { _ in true }
    ) {
        answers = { request in
            if onlyWhenRequired, request.occasion == .offered { return [] }
            return allows(request.relay) ? keys.map(request.answer(signedBy:)) : []
        }
    }
}
