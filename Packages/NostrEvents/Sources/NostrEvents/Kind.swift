/// The kind of an event, an integer from 0 to 65,535 (NIP-01).
public struct Kind: RawRepresentable, Hashable, Comparable, Sendable, BitwiseCopyable {
    /// The number.
    public let rawValue: UInt16

    /// The kind of a number.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    public static func < (left: Kind, right: Kind) -> Bool {
        left.rawValue < right.rawValue
    }
}

extension Kind: ExpressibleByIntegerLiteral, CustomStringConvertible {
    public init(integerLiteral value: UInt16) {
        self.init(rawValue: value)
    }

    public var description: String { String(rawValue) }
}

extension Kind {
    /// What relays do with events of a kind (NIP-01, "Kinds").
    public enum Retention: Sendable {
        /// All are kept.
        case regular
        /// The latest of each author and kind is kept.
        case replaceable
        /// None is kept.
        case ephemeral
        /// The latest of each author, kind and `d` tag is kept.
        case addressable
    }

    /// What relays do with events of this kind. Kinds for which NIP-01 names no class (45 to 999, and 40,000 and above)
    /// count as regular.
    public var retention: Retention {
        switch rawValue {
        case 0, 3, 10_000..<20_000: .replaceable
        case 20_000..<30_000: .ephemeral
        case 30_000..<40_000: .addressable
        default: .regular
        }
    }
}

extension Kind {
    /// User metadata (NIP-01).
    public static let metadata: Kind = 0
    /// Short text note (NIP-10).
    public static let textNote: Kind = 1
    /// Follow list (NIP-02).
    public static let followList: Kind = 3
    /// Deletion request (NIP-09).
    public static let deletion: Kind = 5
    /// Repost of a text note (NIP-18).
    public static let repost: Kind = 6
    /// Reaction (NIP-25).
    public static let reaction: Kind = 7
    /// Seal around a rumor (NIP-59).
    public static let seal: Kind = 13
    /// Chat message (NIP-17).
    public static let chatMessage: Kind = 14
    /// File message (NIP-17).
    public static let fileMessage: Kind = 15
    /// Repost of any other event (NIP-18).
    public static let genericRepost: Kind = 16
    /// Request to vanish (NIP-62).
    public static let requestToVanish: Kind = 62
    /// Application data, every record kept (NIP-78).
    public static let applicationRecord: Kind = 78
    /// Gift wrap around a seal (NIP-59).
    public static let giftWrap: Kind = 1059
    /// Comment (NIP-22).
    public static let comment: Kind = 1111
    /// Report (NIP-56).
    public static let report: Kind = 1984
    /// Zap request (NIP-57).
    public static let zapRequest: Kind = 9734
    /// Zap receipt (NIP-57).
    public static let zapReceipt: Kind = 9735
    /// Mute list (NIP-51).
    public static let muteList: Kind = 10_000
    /// The relays a user reads from and writes to (NIP-65).
    public static let relayList: Kind = 10_002
    /// The relays a user receives direct messages at (NIP-17).
    public static let directMessageRelays: Kind = 10_050
    /// Gift wrap that no relay keeps (NIP-59).
    public static let ephemeralGiftWrap: Kind = 21_059
    /// Authentication of a client to a relay (NIP-42).
    public static let clientAuthentication: Kind = 22_242
    /// Remote signing (NIP-46).
    public static let remoteSigning: Kind = 24_133
    /// Authentication of an HTTP request (NIP-98).
    public static let httpAuthentication: Kind = 27_235
    /// Long-form text (NIP-23).
    public static let longFormText: Kind = 30_023
    /// Application data, the latest of each `d` tag kept (NIP-78).
    public static let applicationData: Kind = 30_078
}
