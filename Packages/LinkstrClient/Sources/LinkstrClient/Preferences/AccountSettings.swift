import NostrEvents

/// What the person chose for an account on this device.
public struct AccountSettings: Hashable, Sendable {
    /// A session by somebody who is no contact waits for a word before it is shown and notified of.
    public var requestsByStrangers = true
    /// Refuses what a former member dates back, as long as it comes live. Takes effect when the account is opened again.
    public var checksLiveAdmission = false
    /// Asks relays to remove the copies of all members of a deleted post, which tells them who sent what to whom.
    public var deletesAllCopies = false
    /// Fetches titles and thumbnails of links, which tells their servers this machine's address.
    public var fetchesMetadata = false
    /// The push service, in the form of ``PushClient/address(_:)``; nil: none.
    public var pushService: String?

    /// The defaults.
    public init() {}

    static let document = "settings"

    init(json: [UInt8]) {
        guard let object = try? JSONValue(json: json) else { return }
        requestsByStrangers = object["requests_by_strangers"]?.bool ?? requestsByStrangers
        checksLiveAdmission = object["live_admission_check"]?.bool ?? checksLiveAdmission
        deletesAllCopies = object["delete_all_copies"]?.bool ?? deletesAllCopies
        fetchesMetadata = object["link_metadata"]?.bool ?? fetchesMetadata
        pushService = object["push_service"]?.string
    }

    var json: [UInt8] {
        var object = JSONObject()
        object["requests_by_strangers"] = .bool(requestsByStrangers)
        object["live_admission_check"] = .bool(checksLiveAdmission)
        object["delete_all_copies"] = .bool(deletesAllCopies)
        object["link_metadata"] = .bool(fetchesMetadata)
        object["push_service"] = pushService.map { .string($0) }
        return JSONValue.object(object).json
    }
}

extension AccountRuntime {
    /// What the person chose.
    public var currentSettings: AccountSettings { settings }

    /// Changes what the person chose.
    /// - Throws: ``ClientError/store(_:)``; nothing is changed then.
    public func changeSettings(_ body: @Sendable (inout AccountSettings) -> Void) async throws(ClientError) {
        var changed = settings
        body(&changed)
        try await save(AccountSettings.document, changed.json)
        let hadRequests = settings.requestsByStrangers
        settings = changed
        guard hadRequests != changed.requestsByStrangers else { return }
        await contactsChanged()
    }
}
