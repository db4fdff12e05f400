public import NostrCrypto
public import NostrEvents

/// Seals and wraps what one key says (NIP-59): the rumor is encrypted into a seal signed by its author, the seal into a wrap
/// signed by a key that is used once. Outsiders see the recipient and nothing else.
///
/// ```swift
/// let wrapper = GiftWrapper(sender: keyPair)
/// let wraps = try await wrapper.wrap(rumor, for: recipients, ownCopy: .first, now: now)
/// ```
public struct GiftWrapper: Sendable {
    /// Whose words are sealed.
    public let sender: KeyPair
    /// How wraps are made.
    public let options: GiftWrapOptions
    private let random: RandomSource
    private let cache: ConversationKeyCache

    /// - Parameter cache: Conversation keys by recipient; share the one that opens their answers to save an ECDH for each.
    public init(
        sender: KeyPair,
        options: GiftWrapOptions = GiftWrapOptions(),
        cache: ConversationKeyCache? = nil,
        random: RandomSource = .system
    ) {
        self.sender = sender
        self.options = options
        self.cache = cache ?? ConversationKeyCache(owner: sender.secretKey)
        self.random = random
    }

    /// A wrap and whom it is for.
    public struct Addressed: Sendable {
        /// Who can open it.
        public let recipient: PublicKey
        /// The wrap, to be published.
        public let event: Event
        /// Whether it is the sender's own copy.
        public let isOwnCopy: Bool
    }

    /// Where the sender's own copy stands among the wraps. Which copies decide whether a sending succeeded is the caller's.
    public enum OwnCopy: Sendable {
        /// Before those of all recipients.
        case first
        /// After those of all recipients.
        case last
        /// None, unless the sender is named as a recipient.
        case omitted
    }

    /// One wrap for each recipient, none twice, and one for the sender; on all cores.
    /// - Parameters:
    ///   - relayHints: A relay for the `p` tag by recipient.
    ///   - now: Seconds since 1970.
    /// - Throws: ``GiftWrapError/notTheAuthor``, ``GiftWrapError/noRecipients``, ``GiftWrapError/tooLarge(_:)``, or
    ///   `CancellationError`.
    public func wrap(
        _ rumor: Rumor,
        for recipients: [PublicKey],
        ownCopy: OwnCopy,
        relayHints: [Bytes32: String] = [:],
        now: Int64
    ) async throws -> [Addressed] {
        let own = sender.publicKey
        var order: [PublicKey] = []
        if ownCopy == .first { order.append(own) }
        for recipient in recipients where recipient != own || ownCopy == .omitted { order.append(recipient) }
        if ownCopy == .last { order.append(own) }
        var seen: Set<PublicKey> = []
        order = order.filter { seen.insert($0).inserted }
        guard !recipients.isEmpty else { throw GiftWrapError.noRecipients }
        let json = rumor.json
        try check(rumor)
        return try await Parallel.map(order, chunk: 4) { recipient in
            let event = try await wrap(json, for: recipient, relayHint: relayHints[recipient.bytes], now: now)
            return Addressed(recipient: recipient, event: event, isOwnCopy: recipient == own)
        }
    }

    /// One wrap for one recipient. With ``GiftWrapOptions/workBits`` it may take long: it can be cancelled.
    /// - Throws: ``GiftWrapError/notTheAuthor``, ``GiftWrapError/tooLarge(_:)``, or `CancellationError`.
    public func wrap(
        _ rumor: Rumor,
        for recipient: PublicKey,
        relayHint: String? = nil,
        now: Int64
    ) async throws -> Event {
        try check(rumor)
        return try await wrap(rumor.json, for: recipient, relayHint: relayHint, now: now)
    }

    /// The seal alone: kind 13, signed by the sender, for one recipient. Its time is drawn from the past.
    /// - Throws: ``GiftWrapError/notTheAuthor`` or ``GiftWrapError/tooLarge(_:)``.
    public func seal(_ rumor: Rumor, for recipient: PublicKey, now: Int64) throws(GiftWrapError) -> Event {
        try check(rumor)
        return try seal(rumor.json, for: recipient, now: now)
    }

    /// A wrap around a seal that was made before, for the key that the seal is encrypted to.
    /// - Throws: ``GiftWrapError/tooLarge(_:)`` or `CancellationError`.
    public func wrap(
        seal: Event,
        for recipient: PublicKey,
        relayHint: String? = nil,
        now: Int64
    ) async throws -> Event {
        let (outer, throwAway) = try envelope(seal, for: recipient, relayHint: relayHint, now: now)
        let worked = options.workBits > 0 ? try await ProofOfWork.mine(outer, difficulty: options.workBits) : outer
        return try Event(signing: worked, with: throwAway, random: random)
    }

    /// One wrap for one recipient, made at once on the calling thread: ``GiftWrapOptions/workBits`` do not count.
    /// - Throws: ``GiftWrapError/notTheAuthor`` or ``GiftWrapError/tooLarge(_:)``.
    public func wrapWithoutWork(
        _ rumor: Rumor,
        for recipient: PublicKey,
        relayHint: String? = nil,
        now: Int64
    ) throws(GiftWrapError) -> Event {
        let seal = try seal(rumor, for: recipient, now: now)
        let (outer, throwAway) = try envelope(seal, for: recipient, relayHint: relayHint, now: now)
        do throws(EventError) {
            return try Event(signing: outer, with: throwAway, random: random)
        } catch {
            throw .notTheAuthor
        }
    }

    /// What the wrap says, and the key that signs it and is then forgotten.
    private func envelope(
        _ seal: Event,
        for recipient: PublicKey,
        relayHint: String?,
        now: Int64
    ) throws(GiftWrapError) -> (Rumor, KeyPair) {
        let throwAway = KeyPair.generate(random: random)
        let content: String
        do throws(CryptoError) {
            content = try NIP44.encrypt(
                seal.json,
                with: ConversationKey(throwAway.secretKey, recipient),
                limits: options.encryption,
                random: random
            )
        } catch {
            throw .tooLarge(error)
        }
        var tags = [relayHint.map { Tag("p", recipient.hex, $0) } ?? Tag("p", recipient.hex)]
        if let expiration = options.expiration { tags.append(Expiration.tag(at: expiration)) }
        let outer = Rumor(
            pubkey: throwAway.publicKey.bytes,
            kind: options.kind,
            content: content,
            tags: tags,
            createdAt: drawTime(before: now)
        )
        return (outer, throwAway)
    }

    private func check(_ rumor: Rumor) throws(GiftWrapError) {
        guard rumor.pubkey == sender.publicKey.bytes else { throw .notTheAuthor }
    }

    private func wrap(
        _ rumor: [UInt8],
        for recipient: PublicKey,
        relayHint: String?,
        now: Int64
    ) async throws -> Event {
        try await wrap(seal: seal(rumor, for: recipient, now: now), for: recipient, relayHint: relayHint, now: now)
    }

    private func seal(_ rumor: [UInt8], for recipient: PublicKey, now: Int64) throws(GiftWrapError) -> Event {
        let content: String
        do throws(CryptoError) {
            content = try NIP44.encrypt(
                rumor,
                with: cache.key(with: recipient),
                limits: options.encryption,
                random: random
            )
        } catch {
            throw .tooLarge(error)
        }
        let expiration = options.sealCarriesExpiration ? options.expiration : nil
        return Event(
            kind: .seal,
            content: content,
            tags: expiration.map { [Expiration.tag(at: $0)] } ?? [],
            createdAt: drawTime(before: now),
            signedBy: sender,
            random: random
        )
    }

    /// A time in the past, as far back as the options allow.
    private func drawTime(before now: Int64) -> Int64 {
        let span = UInt64(options.backdating.upperBound - options.backdating.lowerBound) + 1
        let drawn = random.bytes32().words.0 % span
        return now.subtractingReportingOverflow(options.backdating.lowerBound + Int64(drawn)).partialValue
    }
}
