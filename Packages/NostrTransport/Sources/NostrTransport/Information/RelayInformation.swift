public import NostrCrypto
public import NostrEvents

/// What a relay says of itself (NIP-11). Everything may be absent, and what has the wrong type counts as absent.
public struct RelayInformation: Sendable, Equatable {
    /// What the relay takes (NIP-11, `limitation`). Numbers that are negative or absurd count as absent.
    public struct Limits: Sendable, Equatable {
        /// Bytes of one message.
        public var messageBytes: Int?
        /// Open subscriptions of one connection.
        public var subscriptions: Int?
        /// Characters of a subscription's name.
        public var subscriptionIDLength: Int?
        /// Filters of one request. NIP-11 had it once and relays still tell it.
        public var filters: Int?
        /// To what a filter's `limit` is cut.
        public var filterLimit: Int?
        /// The `limit` of a filter that has none.
        public var defaultLimit: Int?
        /// Tags of an event.
        public var eventTags: Int?
        /// Characters of an event's content.
        public var contentLength: Int?
        /// Bits of proof of work (NIP-13).
        public var proofOfWork: Int?
        /// Seconds that an event may be in the past.
        public var oldestCreatedAt: Int?
        /// Seconds that an event may be in the future.
        public var newestCreatedAt: Int?
        /// Whether nothing works without authenticating (NIP-42).
        public var requiresAuthentication = false
        /// Whether nothing works without paying.
        public var requiresPayment = false
        /// Whether it takes the events of some only.
        public var restrictsWrites = false

        /// No limits.
        public init() {}
    }

    /// What it is called.
    public var name: String?
    /// Plain text that the operator wrote about it.
    public var description: String?
    /// The administrator's public key.
    public var pubkey: Bytes32?
    /// The relay's own public key.
    public var ownKey: Bytes32?
    /// How to reach the administrator, as a URI.
    public var contact: String?
    /// The home page of what it runs.
    public var software: String?
    /// The version of what it runs.
    public var version: String?
    /// The URL of a small picture.
    public var icon: String?
    /// The URL of a large picture.
    public var banner: String?
    /// The URL of its terms.
    public var termsOfService: String?
    /// Where to pay.
    public var paymentsURL: String?
    /// The NIPs that it speaks, in order, each once.
    public var supportedNIPs: [Int] = []
    /// What it takes.
    public var limits = Limits()

    /// A relay that says nothing.
    public init() {}

    /// Reads a document.
    ///
    /// - Throws: `EventError.malformedJSON(_:at:)` for what is no JSON object; unknown members are ignored.
    public init(json: [UInt8]) throws(EventError) {
        let limits = JSONLimits(size: 1 << 20, depth: 32, allowsDuplicateKeys: true)
        try self.init(JSONValue(json: json, limits: limits))
    }

    init(_ value: JSONValue) throws(EventError) {
        guard value.object != nil else { throw .malformedJSON(.unexpectedByte, at: 0) }
        name = value["name"]?.string
        description = value["description"]?.string
        pubkey = value["pubkey"]?.string.flatMap { try? Bytes32(hex: $0) }
        ownKey = value["self"]?.string.flatMap { try? Bytes32(hex: $0) }
        contact = value["contact"]?.string
        software = value["software"]?.string
        version = value["version"]?.string
        icon = value["icon"]?.string
        banner = value["banner"]?.string
        termsOfService = value["terms_of_service"]?.string
        paymentsURL = value["payments_url"]?.string
        let numbers = value["supported_nips"]?.array ?? []
        supportedNIPs = Set(numbers.prefix(1_000).compactMap { Self.number($0) }).sorted()
        if let limitation = value["limitation"] { limits = Self.limits(limitation) }
    }

    private static func limits(_ value: JSONValue) -> Limits {
        var limits = Limits()
        // A limit of zero would make the relay useless; it means that none is set.
        func positive(_ key: String) -> Int? { number(value[key]).flatMap { $0 > 0 ? $0 : nil } }
        limits.messageBytes = positive("max_message_length")
        limits.subscriptions = positive("max_subscriptions")
        limits.subscriptionIDLength = positive("max_subid_length")
        limits.filters = positive("max_filters")
        limits.filterLimit = positive("max_limit")
        limits.defaultLimit = positive("default_limit")
        limits.eventTags = positive("max_event_tags")
        limits.contentLength = positive("max_content_length")
        limits.proofOfWork = number(value["min_pow_difficulty"])
        limits.oldestCreatedAt = number(value["created_at_lower_limit"])
        limits.newestCreatedAt = number(value["created_at_upper_limit"])
        limits.requiresAuthentication = value["auth_required"]?.bool ?? false
        limits.requiresPayment = value["payment_required"]?.bool ?? false
        limits.restrictsWrites = value["restricted_writes"]?.bool ?? false
        return limits
    }

    private static func number(_ value: JSONValue?) -> Int? {
        guard let number = value?.integer, number >= 0, number <= 1 << 53 else { return nil }
        return Int(number)
    }

    /// Whether the relay says that it speaks a NIP.
    public func supports(_ nip: Int) -> Bool { supportedNIPs.contains(nip) }
}
