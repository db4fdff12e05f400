public import NostrCrypto
import NostrEvents

/// How gift wraps are made.
public struct GiftWrapOptions: Sendable {
    /// Whether relays keep the wraps.
    public enum Persistence: Sendable {
        /// Kind 1059.
        case stored
        /// Kind 21059: for those who are connected now.
        case ephemeral
    }

    /// Kind 1059 or 21059.
    public var persistence: Persistence
    /// Seconds into the past from which the times of seal and wrap are drawn, each on its own. NIP-59 asks for up to two days.
    public var backdating: ClosedRange<Int64>
    /// Leading zero bits of the wrap's id (NIP-13), 0 for none.
    public var workBits: Int
    /// When relays and clients should forget the message, seconds since 1970 (NIP-40).
    public var expiration: Int64?
    /// Whether the expiration stands on the seal too, in case it leaks (NIP-17). Receivers that ask for seals without tags
    /// refuse it.
    public var sealCarriesExpiration: Bool
    /// What NIP-44 may make of it.
    public var encryption: NIP44.Limits

    /// - Parameters:
    ///   - persistence: Kind 1059 unless ephemeral.
    ///   - backdating: Seconds, by default 0 to 172,800. A negative bound counts as 0.
    ///   - encryption: By default without NIP-44's extended length, which many clients cannot read; the rumor's JSON then has at
    ///     most about 40 KB.
    public init(
        persistence: Persistence = .stored,
        backdating: ClosedRange<Int64> = 0...172_800,
        workBits: Int = 0,
        expiration: Int64? = nil,
        sealCarriesExpiration: Bool = false,
        encryption: NIP44.Limits = NIP44.Limits(allowsExtendedLength: false)
    ) {
        self.persistence = persistence
        self.backdating = max(backdating.lowerBound, 0)...max(backdating.upperBound, 0)
        self.workBits = workBits
        self.expiration = expiration
        self.sealCarriesExpiration = sealCarriesExpiration
        self.encryption = encryption
    }

    var kind: Kind {
        switch persistence {
        case .stored: .giftWrap
        case .ephemeral: .ephemeralGiftWrap
        }
    }
}
