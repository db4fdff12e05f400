public import NostrCrypto
public import NostrEvents

/// Opens gift wraps for one key, with every check of NIP-59 in order: wrap id and signature, wrap kind, decryption, seal kind,
/// seal id and signature, seal tags, decryption, rumor id, no signature on the rumor, rumor author.
///
/// The most repeated mistake with gift wraps is to believe the author a rumor names. Here only the key that signed the seal is
/// ever given as the sender.
public struct GiftWrapOpener: Sendable {
    /// What is accepted.
    public struct Limits: Sendable {
        /// Size of decrypted messages, and whether NIP-44's extended length is read.
        public var encryption: NIP44.Limits
        /// Sizes of seal and rumor.
        public var events: EventLimits
        /// Kinds of rumors whose seal may carry an expiration and no other tag: those of chats, where NIP-17 asks for it.
        public var kindsWithSealExpiration: Set<Kind>

        /// Limits of these parts.
        public init(
            encryption: NIP44.Limits = .standard,
            events: EventLimits = .standard,
            kindsWithSealExpiration: Set<Kind> = [.chatMessage, .fileMessage, .reaction]
        ) {
            self.encryption = encryption
            self.events = events
            self.kindsWithSealExpiration = kindsWithSealExpiration
        }
    }

    /// For whom wraps are opened.
    public let owner: KeyPair
    /// What is accepted.
    public let limits: Limits
    /// Keys shared with those who wrote before.
    public let cache: ConversationKeyCache

    /// - Parameter cache: The conversation keys of this owner; one of its own by default.
    public init(owner: KeyPair, limits: Limits = Limits(), cache: ConversationKeyCache? = nil) {
        self.owner = owner
        self.limits = limits
        self.cache = cache ?? ConversationKeyCache(owner: owner.secretKey)
    }

    /// Opens what came from the network.
    public func open(_ wrap: WireEvent) throws(GiftWrapError) -> OpenedGiftWrap {
        let event: Event
        do throws(EventError) {
            event = try Event(verifying: wrap)
        } catch {
            throw .invalidWrap(error)
        }
        return try open(event)
    }

    /// Opens a wrap whose id and signature were checked before.
    public func open(_ wrap: Event) throws(GiftWrapError) -> OpenedGiftWrap {
        guard wrap.kind == .giftWrap || wrap.kind == .ephemeralGiftWrap else { throw .notAWrap(wrap.kind) }
        let sealJSON: [UInt8]
        do throws(CryptoError) {
            let key = ConversationKey(owner.secretKey, wrap.publicKey)
            sealJSON = try NIP44.decryptBytes(wrap.content, with: key, limits: limits.encryption)
        } catch {
            throw .undecryptableWrap(error)
        }
        let (seal, key) = try checkedSeal(sealJSON)
        let rumor = try rumor(in: seal, with: key)
        let sealExpiration = Expiration.time(in: seal.tags)
        guard sealExpiration == nil || limits.kindsWithSealExpiration.contains(rumor.kind) else { throw .sealTags }
        let expirations = [Expiration.time(in: wrap.tags), sealExpiration].compactMap(\.self)
        return OpenedGiftWrap(
            sender: seal.publicKey,
            rumor: rumor,
            seal: seal,
            wrapID: wrap.id,
            wrapTime: wrap.createdAt,
            expiration: expirations.min()
        )
    }

    /// Opens a seal that was kept: everything from the seal's kind on is checked again.
    public func open(seal: WireEvent) throws(GiftWrapError) -> (sender: PublicKey, rumor: Rumor) {
        let (seal, key) = try checkedSeal(seal)
        return (seal.publicKey, try rumor(in: seal, with: key))
    }

    private func checkedSeal(_ json: [UInt8]) throws(GiftWrapError) -> (seal: Event, key: ConversationKey) {
        let wire: WireEvent
        do throws(EventError) {
            wire = try WireEvent(json: json, limits: limits.events)
        } catch {
            throw .malformedSeal(error)
        }
        return try checkedSeal(wire)
    }

    private func checkedSeal(_ wire: WireEvent) throws(GiftWrapError) -> (seal: Event, key: ConversationKey) {
        guard wire.kind == .seal else { throw .notASeal(wire.kind) }
        let seal: Event
        let known = cache.known(wire.pubkey)
        do throws(EventError) {
            if let known {
                seal = try Event(verifying: wire, by: known.publicKey)
            } else {
                seal = try Event(verifying: wire)
            }
        } catch {
            throw .invalidSeal(error)
        }
        guard hasAllowedTags(seal) else { throw .sealTags }
        return (seal, known?.conversation ?? cache.key(with: seal.publicKey))
    }

    /// No tags, or an expiration alone, which is allowed for some kinds of rumors.
    private func hasAllowedTags(_ seal: Event) -> Bool {
        if seal.tags.isEmpty { return true }
        return !limits.kindsWithSealExpiration.isEmpty && seal.tags.count == 1 && Expiration.time(in: seal.tags) != nil
    }

    private func rumor(in seal: Event, with key: ConversationKey) throws(GiftWrapError) -> Rumor {
        let json: [UInt8]
        do throws(CryptoError) {
            json = try NIP44.decryptBytes(seal.content, with: key, limits: limits.encryption)
        } catch {
            throw .undecryptableSeal(error)
        }
        let rumor: Rumor
        do throws(EventError) {
            rumor = try Rumor(json: json, limits: limits.events)
        } catch {
            switch error {
            case .idMismatch: throw .rumorIDMismatch
            case .unexpectedSignature, .invalidField(.signature): throw .signedRumor
            default: throw .malformedRumor(error)
            }
        }
        guard rumor.pubkey == seal.pubkey else { throw .forgedAuthor }
        return rumor
    }
}
