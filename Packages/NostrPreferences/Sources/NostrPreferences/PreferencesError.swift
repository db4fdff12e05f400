public import NostrCrypto

/// Why an event is no usable preference, or none can be made.
public enum PreferencesError: Error, Equatable, Sendable, CustomStringConvertible {
    /// It is no event of kind 30078 by the owner.
    case foreignEvent
    /// The `d` tag does not begin with the namespace.
    case foreignNamespace
    /// The content cannot be decrypted with the owner's key.
    case undecryptable(CryptoError)
    /// The content is no JSON object.
    case notAnObject
    /// The object is no record of the kind that was asked for; the text names the member that is wrong, never its value.
    case malformedRecord(String)
    /// The `d` tag belongs to another item than the record.
    case otherItem
    /// The record is too large to be encrypted.
    case tooLarge(CryptoError)
    /// No later time can be written than the one that the stored record has.
    case timeExhausted
    /// Not all history has arrived, so that a seed could replace a choice made elsewhere.
    case historyIncomplete
    /// What was stored on this machine cannot be read.
    case damagedStorage

    public var description: String {
        switch self {
        case .foreignEvent: "The event is no preference of this account."
        case .foreignNamespace: "The preference belongs to another application."
        case .undecryptable(let error): "The preference cannot be decrypted: \(error)"
        case .notAnObject: "The preference is not a JSON object."
        case .malformedRecord(let member): "The preference is malformed: \(member)."
        case .otherItem: "The preference is published under the name of another one."
        case .tooLarge(let error): "The preference cannot be encrypted: \(error)"
        case .timeExhausted: "The stored preference has the greatest time there is."
        case .historyIncomplete: "The preferences have not been restored from all relays yet."
        case .damagedStorage: "The stored preferences are damaged."
        }
    }
}
