public import NostrEvents

/// A choice that follows the account from device to device.
///
/// A record writes its members into an object and leaves those that it does not know: what a newer version of the application put
/// there survives a change by an older one. Clearing is a record too, not the absence of one: otherwise an older value that some
/// relay still has would come back.
public protocol PreferenceRecord: Equatable, Sendable {
    /// Tells records apart: stable, and the same on every device. It is never published.
    var itemKey: String { get }

    /// The same item without a value.
    var cleared: Self { get }

    /// Reads a record.
    /// - Throws: ``PreferencesError/malformedRecord(_:)``.
    init(_ object: JSONObject) throws(PreferencesError)

    /// Sets the record's members in an object, which holds those of an earlier version of the same item, or nothing.
    func write(into object: inout JSONObject)
}

extension JSONObject {
    /// Changes the object that is a member's value; one is made if the value is absent or something else.
    public mutating func changeObject(_ key: String, _ change: (inout JSONObject) -> Void) {
        var object = self[key]?.object ?? JSONObject()
        change(&object)
        self[key] = .object(object)
    }
}
