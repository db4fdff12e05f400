public import NostrCrypto
public import NostrEvents

/// What is wrong with a gift wrap, a case for each layer and check (NIP-59). None carries what was decrypted.
public enum GiftWrapError: Error, Equatable, Sendable, CustomStringConvertible {
    // Opening, in the order of the checks.

    /// The wrap is no event, its id is not its hash, or its signature is not by its key.
    case invalidWrap(EventError)
    /// The outer event is of a kind that wraps nothing.
    case notAWrap(Kind)
    /// The wrap cannot be decrypted with this key: it is for somebody else, or damaged.
    case undecryptableWrap(CryptoError)
    /// What was wrapped is no event.
    case malformedSeal(EventError)
    /// What was wrapped is of another kind than 13.
    case notASeal(Kind)
    /// The seal's id is not its hash, or nobody signed it.
    case invalidSeal(EventError)
    /// The seal has tags that it must not have.
    case sealTags
    /// The seal cannot be decrypted with this key: it was made for another recipient, or damaged.
    case undecryptableSeal(CryptoError)
    /// What was sealed is no event.
    case malformedRumor(EventError)
    /// The rumor's id is not its hash.
    case rumorIDMismatch
    /// The rumor has a signature; even an empty one is one.
    case signedRumor
    /// The rumor names another author than the one who sealed it.
    case forgedAuthor

    // Making.

    /// The rumor names another author than the key that would seal it.
    case notTheAuthor
    /// There is nobody to wrap for.
    case noRecipients
    /// The rumor is too large to be encrypted twice within the limits.
    case tooLarge(CryptoError)

    public var description: String {
        switch self {
        case .invalidWrap(let error): "The gift wrap is not genuine: \(error)"
        case .notAWrap(let kind): "An event of kind \(kind) is no gift wrap."
        case .undecryptableWrap(let error): "The gift wrap cannot be opened with this key: \(error)"
        case .malformedSeal(let error): "The gift wrap holds no event: \(error)"
        case .notASeal(let kind): "The gift wrap holds an event of kind \(kind) instead of a seal."
        case .invalidSeal(let error): "The seal is not genuine: \(error)"
        case .sealTags: "The seal has tags, which a seal must not have."
        case .undecryptableSeal(let error): "The seal cannot be opened with this key: \(error)"
        case .malformedRumor(let error): "The seal holds no event: \(error)"
        case .rumorIDMismatch: "The sealed event's id is not its hash."
        case .signedRumor: "The sealed event is signed, which it must not be."
        case .forgedAuthor: "The sealed event names another author than the one who sealed it."
        case .notTheAuthor: "Only what its own author wrote can be sealed."
        case .noRecipients: "There is nobody to send the message to."
        case .tooLarge(let error): "The message cannot be encrypted: \(error)"
        }
    }
}
