public import NostrCrypto
public import NostrEvents

/// A rumor whose author is proven: the key that signed the seal.
public struct OpenedGiftWrap: Sendable {
    /// Who sealed and wrote it.
    public let sender: PublicKey
    /// What was said; its author is the sender.
    public let rumor: Rumor
    /// The seal, which proves the author to the recipient again when it is kept.
    public let seal: Event
    /// The id of the wrap.
    public let wrapID: EventID
    /// The wrap's time, which was drawn at random: for asking relays, never for ordering. Seconds since 1970.
    public let wrapTime: Int64
    /// When the message should be forgotten: the earlier of what wrap and seal say (NIP-40). Seconds since 1970.
    public let expiration: Int64?
}
