public import NostrCrypto

/// Why a change to contacts was not made, or what was read is not usable.
public enum ContactsError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The relays have not answered for the current list, so that publishing could overwrite what is there.
    case listUnknown
    /// The new list follows less than half of those whom the current one follows.
    case shrinks(from: Int, to: Int)
    /// The list that has to be replaced is dated this many seconds ahead of this machine's clock.
    case clockBehind(seconds: Int64)
    /// Somebody else changed the list each time it was published.
    case conflict
    /// The new list was published but not saved here: what is kept here is older than what the relays have.
    case notSaved
    /// No list was replaced, so that there is none to bring back.
    case nothingReplaced
    /// The list kept in the history at that place is not there.
    case noSuchVersion
    /// The editor was closed, because its account was left.
    case closed
    /// The content of a kind 0 event is no JSON object.
    case notMetadata
    /// The name has more characters than are allowed.
    case nameTooLong(limit: Int)
    /// The private part of a list is encrypted in a way that is no longer used (NIP-04).
    case legacyEncryption
    /// The private part of a list cannot be decrypted, or holds no tags.
    case unreadablePrivatePart
    /// The private part of a list cannot be encrypted.
    case tooLarge(CryptoError)
    /// What was stored on this machine cannot be read.
    case damagedStorage

    public var description: String {
        switch self {
        case .listUnknown: "The current follow list is not known yet, so a new one could overwrite it."
        case .shrinks(let old, let new):
            "The list would shrink from \(old) to \(new), which needs a confirmation."
        case .clockBehind(let seconds):
            "The current version is dated \(seconds) seconds in the future: check the clock of this machine."
        case .conflict: "The follow list was changed elsewhere at the same time, again and again."
        case .notSaved: "The follow list was published but could not be saved here; connect again to load it."
        case .nothingReplaced: "No follow list was ever replaced here, so there is nothing to undo."
        case .noSuchVersion: "There is no such earlier list."
        case .closed: "The account was left before the change was made."
        case .notMetadata: "The profile is not a JSON object."
        case .nameTooLong(let limit): "The name is longer than \(limit) characters."
        case .legacyEncryption: "The private part of the list is encrypted in an old way that is not supported."
        case .unreadablePrivatePart: "The private part of the list cannot be read with this key."
        case .tooLarge(let error): "The private part of the list cannot be encrypted: \(error)"
        case .damagedStorage: "The stored contacts are damaged."
        }
    }
}
