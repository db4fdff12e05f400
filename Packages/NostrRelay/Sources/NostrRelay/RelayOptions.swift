public import NostrCrypto
public import NostrEvents
import NostrStore

/// How a relay works.
public struct RelayOptions: Sendable {
    /// What clients have to be authenticated for (NIP-42).
    public struct Authentication: OptionSet, Sendable {
        /// One bit for each member.
        public let rawValue: UInt8

        /// The members whose bits are set.
        public init(rawValue: UInt8) {
            self.rawValue = rawValue
        }

        /// To read: REQ, COUNT and NEG-OPEN.
        public static let read = Authentication(rawValue: 1)
        /// To write: EVENT.
        public static let write = Authentication(rawValue: 2)
    }

    /// What one client may cost.
    public var limits = RelayLimits()
    /// What the information document says (NIP-11).
    public var information = RelayInformation()
    /// The addresses under which clients know the relay, `wss://relay.example.com`: authentication (NIP-42) and
    /// management calls (NIP-98) have to name one of them. Empty: the address that is listened on.
    public var urls: [RelayURL] = []
    /// For what clients have to be authenticated. By default for nothing.
    public var authentication: Authentication = []
    /// Whether gift wraps (kinds 1059 and 21059) are given only to those they are addressed to, who must be authenticated.
    public var protectsGiftWraps = false
    /// The least difficulty of an event's id in bits (NIP-13).
    public var minimumDifficulty = 0
    /// Who may manage the relay over HTTP (NIP-86). Nobody by default.
    public var administrators: Set<Bytes32> = []
    /// Where decisions of the administrators are kept; nil: until the relay ends.
    public var managementFile: String?
    /// Whether the database answers searches (NIP-50): what the information document says.
    public var supportsSearch = false
    /// Whether messages may be compressed (RFC 7692). Off by default: it costs more time than it saves nearby.
    public var compresses = false
    /// Seconds since 1970.
    public var now: @Sendable () -> Int64 = { StoreClock.seconds() }

    /// The default values.
    public init() {}
}
