public import NostrCrypto
import NostrEvents

/// What a relay says about itself (NIP-11). A nil field is left out.
public struct RelayInformation: Sendable {
    /// The relay's name.
    public var name: String?
    /// What the relay is for.
    public var description: String?
    /// The address of a picture.
    public var banner: String?
    /// The address of a square picture.
    public var icon: String?
    /// The administrator's key.
    public var pubkey: Bytes32?
    /// Another way to reach the administrator, a URI.
    public var contact: String?
    /// The address of the terms of service.
    public var termsOfService: String?
    /// The project's home page.
    public var software: String?
    /// The version of the software.
    public var version: String?

    /// Says nothing.
    public init() {}
}

extension RelayOptions {
    /// The numbers of the NIPs that the relay speaks with these options.
    var supportedNIPs: [Int64] {
        var numbers: [Int64] = [1, 9, 11, 13, 40, 42, 45, 59, 62, 65, 67, 70, 77]
        if supportsSearch { numbers.append(50) }
        if !administrators.isEmpty { numbers.append(86) }
        return numbers.sorted()
    }

    /// The document of NIP-11.
    func document(_ decisions: Decisions) -> JSONValue {
        var object = JSONObject()
        func set(_ key: String, _ value: String?) {
            if let value { object[key] = .string(value) }
        }
        set("name", decisions.name ?? information.name)
        set("description", decisions.description ?? information.description)
        set("banner", information.banner)
        set("icon", decisions.icon ?? information.icon)
        set("pubkey", information.pubkey?.hex)
        set("contact", information.contact)
        object["supported_nips"] = .array(supportedNIPs.map { .integer($0) })
        set("software", information.software)
        set("version", information.version)
        set("terms_of_service", information.termsOfService)
        var limitation = JSONObject()
        limitation["max_message_length"] = .integer(Int64(limits.messageSize))
        limitation["max_subscriptions"] = .integer(Int64(limits.subscriptions))
        limitation["max_limit"] = .integer(Int64(limits.eventsPerFilter))
        limitation["default_limit"] = .integer(Int64(limits.eventsPerFilter))
        limitation["max_subid_length"] = .integer(Int64(SubscriptionID.greatestLength))
        limitation["max_event_tags"] = .integer(Int64(limits.tags))
        limitation["max_content_length"] = .integer(Int64(limits.contentSize))
        limitation["min_pow_difficulty"] = .integer(Int64(minimumDifficulty))
        limitation["auth_required"] = .bool(!authentication.isEmpty)
        limitation["payment_required"] = .bool(false)
        limitation["restricted_writes"] = .bool(
            minimumDifficulty > 0 || !decisions.allowedKeys.isEmpty || !decisions.allowedKinds.isEmpty
        )
        object["limitation"] = .object(limitation)
        return .object(object)
    }
}
