public import NostrEvents

/// Application settings as one document for each device. Every device writes its own document and reads those of all, so that two
/// devices never overwrite each other; ``MergedSettings`` is what counts.
///
/// ```json
/// {"settings":{"device":"laptop","values":{"theme":{"value":"dark","at":1700000000}}}}
/// ```
///
/// A value that was unset has no `value` member. That is not the same as `null`, which is a value.
public struct DeviceSettings: PreferenceRecord {
    /// What a device says of one setting.
    public struct Setting: Equatable, Sendable {
        /// The value; nil if it was unset.
        public let value: JSONValue?
        /// Seconds since 1970.
        public let at: Int64

        /// A setting of its parts.
        public init(_ value: JSONValue?, at: Int64) {
            self.value = value
            self.at = at
        }
    }

    /// The device's own name, unique in the account.
    public let device: String
    /// By name of the setting.
    public private(set) var settings: [ExactText: Setting] = [:]

    /// A document without settings.
    public init(device: String) {
        self.device = device
    }

    /// `settings:` and the device's name.
    public var itemKey: String { "settings:" + device }

    /// All settings unset, a second after each was set.
    public var cleared: DeviceSettings {
        var cleared = self
        for (name, setting) in settings where setting.value != nil {
            cleared.settings[name] = Setting(nil, at: setting.at == .max ? .max : setting.at + 1)
        }
        return cleared
    }

    /// Reads a document.
    /// - Throws: ``PreferencesError/malformedRecord(_:)``.
    public init(_ object: JSONObject) throws(PreferencesError) {
        guard let document = object["settings"]?.object, let device = document["device"]?.string, !device.isEmpty else {
            throw .malformedRecord("device is no name")
        }
        self.init(device: device)
        guard let values = document["values"]?.object else { throw .malformedRecord("values is no object") }
        for member in values.members {
            guard let setting = member.value.object, let at = setting["at"]?.integer else {
                throw .malformedRecord("a setting has no time")
            }
            settings[ExactText(member.key)] = Setting(setting["value"], at: at)
        }
    }

    /// Sets each setting in the object's `settings.values`; others and their unknown members stay.
    public func write(into object: inout JSONObject) {
        object.changeObject("settings") { document in
            document["device"] = .string(device)
            document.changeObject("values") { values in
                for (name, setting) in settings.sorted(by: { $0.key < $1.key }) {
                    values.changeObject(name.text) { member in
                        member["value"] = setting.value
                        member["at"] = .integer(setting.at)
                    }
                }
            }
        }
    }

    /// Sets a value, or with nil unsets it; the same value again changes nothing.
    /// - Parameter now: Seconds since 1970. The setting's time is later than those in `merged`, so that the change counts.
    public mutating func set(_ name: String, to value: JSONValue?, now: Int64, over merged: MergedSettings? = nil) {
        let name = ExactText(name)
        let known = [settings[name], merged?.setting(name)].compactMap(\.self)
        if let newest = known.max(by: { $0.at < $1.at }), newest.value == value { return }
        let last = known.map(\.at).max()
        let time = last.map { $0 < now ? now : ($0 == .max ? .max : $0 + 1) } ?? now
        settings[name] = Setting(value, at: time)
    }
}

/// The settings of all devices put together: of each the one that was set last, at the same second that of the device whose name is
/// greater.
public struct MergedSettings: Equatable, Sendable {
    private struct Winner: Equatable, Sendable {
        let setting: DeviceSettings.Setting
        let device: ExactText
    }

    private var winners: [ExactText: Winner] = [:]

    /// Merges documents; their order does not matter.
    public init(_ documents: some Sequence<DeviceSettings>) {
        for document in documents {
            let device = ExactText(document.device)
            for (name, setting) in document.settings {
                if let known = winners[name], (known.setting.at, known.device) >= (setting.at, device) { continue }
                winners[name] = Winner(setting: setting, device: device)
            }
        }
    }

    /// The value of a setting; nil if no device has set it, or the last one unset it.
    public subscript(name: String) -> JSONValue? { winners[ExactText(name)]?.setting.value }

    /// The names of settings that have a value, in their order.
    public var names: [String] { winners.filter { $0.value.setting.value != nil }.keys.sorted().map(\.text) }

    func setting(_ name: ExactText) -> DeviceSettings.Setting? { winners[name]?.setting }
}
