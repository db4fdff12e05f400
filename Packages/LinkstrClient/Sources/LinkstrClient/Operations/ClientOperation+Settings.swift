import NostrEvents

extension ClientOperation {
    static let settingOperations: [ClientOperation] = [
        configList, configSet, configUnset, backupStatus, backupPush, backupPull,
    ]

    private static let key = OperationField("key", .text, "The setting's name")
    private static let setting = [
        OperationField("key", .text, "The setting's name"),
        OperationField("value", .text, optional: true, "What it is now: true, false or a text"),
        OperationField("default", .text, optional: true, "What it is without the person's word"),
        OperationField("summary", .text, "What it does, and what it tells others"),
    ]

    /// The settings of the account.
    public static let configList = ClientOperation(
        "config.list",
        "List the settings of the account",
        takes: [OperationField("key", .text, optional: true, "One setting")],
        gives: setting
    ) { call in
        let settings = await call.runtime.currentSettings
        if let name = call.optionalText("key") { return [try Setting.named(name).value(settings)] }
        return Setting.all.map { $0.value(settings) }
    }

    /// Changes a setting.
    public static let configSet = ClientOperation(
        "config.set",
        "Change a setting",
        takes: [key, OperationField("value", .text, "true, false or a text")],
        gives: setting
    ) { call in
        try await call.change(try Setting.named(call.text("key")), to: call.text("value"))
    }

    /// Brings a setting back to its default.
    public static let configUnset = ClientOperation(
        "config.unset",
        "Bring a setting back to its default",
        takes: [key],
        gives: setting
    ) { call in
        try await call.change(try Setting.named(call.text("key")), to: nil)
    }

    private static let backup = [
        OperationField("records", .integer, "How many private preferences there are"),
        OperationField("pending", .integer, "How many wait to be sent to the relays"),
    ]

    /// How the private preferences stand.
    public static let backupStatus = ClientOperation(
        "backup.status",
        "Say how many private preferences there are and how many wait to be sent",
        gives: backup
    ) { call in
        [await call.backup]
    }

    /// Sends what waits.
    public static let backupPush = ClientOperation(
        "backup.push",
        "Send private preferences that wait",
        takes: [],
        gives: backup
    ) { call in
        try await call.runtime.waitForRelay()
        _ = await call.runtime.uploadPreferences()
        return [await call.backup]
    }

    /// Reads what other devices sent.
    public static let backupPull = ClientOperation(
        "backup.pull",
        "Read private preferences from the relays",
        gives: backup
    ) { call in
        if try await !call.runtime.downloadPreferences() {
            call.warn("not every relay was read to its end; there may be more")
        }
        return [await call.backup]
    }
}

extension OperationCall {
    fileprivate var backup: JSONValue {
        get async {
            let counts = await runtime.preferenceCounts
            return ["records": .integer(Int64(counts.records)), "pending": .integer(Int64(counts.pending))]
        }
    }

    fileprivate func change(_ setting: Setting, to text: String?) async throws -> [JSONValue] {
        // Checked before it is changed, so that a wrong text changes nothing.
        var trial = await runtime.currentSettings
        try setting.set(&trial, text)
        let changed = trial
        try await runtime.changeSettings { settings in settings = changed }
        return [setting.value(await runtime.currentSettings)]
    }
}

/// One setting of an account, as a person names it.
private struct Setting: Sendable {
    let name: String
    let summary: String
    let get: @Sendable (AccountSettings) -> String?
    let set: @Sendable (inout AccountSettings, String?) throws(OperationFailure) -> Void

    static func named(_ name: String) throws(OperationFailure) -> Setting {
        guard let setting = all.first(where: { $0.name == name }) else {
            let known = (all.map(\.name) + NetworkSettings.Key.allCases.map(\.rawValue)).joined(separator: ", ")
            throw OperationFailure(.usage, "there is no setting \(TypedText.repeated(name)); there are: \(known)")
        }
        return setting
    }

    func value(_ settings: AccountSettings) -> JSONValue {
        [
            "key": .string(name), "value": get(settings).map { .string($0) } ?? .null,
            "default": get(AccountSettings()).map { .string($0) } ?? .null, "summary": .string(summary),
        ]
    }

    private static func flag(
        _ name: String,
        _ summary: String,
        _ path: any WritableKeyPath<AccountSettings, Bool> & Sendable
    ) -> Setting {
        Setting(
            name: name,
            summary: summary,
            get: { $0[keyPath: path] ? "true" : "false" },
            set: { (settings, text) throws(OperationFailure) in
                switch text {
                case nil: settings[keyPath: path] = AccountSettings()[keyPath: path]
                case "true", "yes", "on": settings[keyPath: path] = true
                case "false", "no", "off": settings[keyPath: path] = false
                default: throw OperationFailure(.badInput, "\(name) is true or false")
                }
            }
        )
    }

    static let all: [Setting] = [
        flag(
            "requests_by_strangers",
            "sessions by people who are no contacts wait for a word before they are shown",
            \.requestsByStrangers
        ),
        flag(
            "live_admission_check",
            "refuses what a former member dates back as long as it comes live; from history it counts all the same",
            \.checksLiveAdmission
        ),
        flag(
            "delete_all_copies",
            "asks relays to drop all members' copies of a deleted post, which tells them who sent what to whom",
            \.deletesAllCopies
        ),
        flag(
            "link_metadata",
            "fetches titles and thumbnails of links, which tells their servers this machine's address",
            \.fetchesMetadata
        ),
        Setting(
            name: "push_service",
            summary: "the push service that wakes members' phones; it learns who posts to whom and when",
            get: { $0.pushService },
            set: { (settings, text) throws(OperationFailure) in
                do throws(PushClientError) {
                    settings.pushService = try text.map { (text) throws(PushClientError) in try PushClient.address(text)
                    }
                } catch {
                    throw OperationFailure(.badInput, error.description)
                }
            }
        ),
    ]
}
