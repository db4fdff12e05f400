public import NostrCrypto

/// What is wrong with a NIP-19 text or a NIP-21 URI.
public enum IdentifierProblem: Error, Equatable, Sendable {
    /// The text is not bech32, or the identifier is too long to be written as such.
    case invalidBech32(CryptoError)
    /// The text is bech32m, which NIP-19 does not use.
    case wrongChecksumVariant
    /// The prefix is none of npub, nsec, note, nprofile, nevent and naddr.
    case unknownPrefix
    /// A key, an id or a kind has another number of bytes than it must.
    case wrongLength
    /// The bytes are no key.
    case invalidKey
    /// The last entry is cut off.
    case truncated
    /// An entry that must be there is missing.
    case missingEntry
    /// The kind is above 65,535.
    case invalidKind
    /// An identifier is not UTF-8, or has more than 255 bytes.
    case invalidIdentifierText
    /// A relay hint is not printable ASCII, or has more than 255 bytes.
    case invalidRelayHint
    /// The text does not begin with `nostr:`.
    case notANostrURI
    /// A secret key must not stand in a URI (NIP-21).
    case secretKeyInURI
    /// The text names no public key.
    case noPublicKey
    /// The text is too long to be searched; the limit in bytes of UTF-8.
    case textTooLong(limit: Int)
}

extension IdentifierProblem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .invalidBech32(let error): error.description
        case .wrongChecksumVariant: "The text has the checksum of bech32m instead of bech32."
        case .unknownPrefix: "The text is none of npub, nsec, note, nprofile, nevent and naddr."
        case .wrongLength: "The identifier holds a key, an id or a kind of the wrong length."
        case .invalidKey: "The identifier holds bytes that are no valid key."
        case .truncated: "The identifier is cut off."
        case .missingEntry: "The identifier lacks something that must be in it."
        case .invalidKind: "The identifier has a kind above 65535."
        case .invalidIdentifierText: "The identifier of an address must be text of 255 bytes at most."
        case .invalidRelayHint: "A relay hint must be printable ASCII of 255 bytes at most."
        case .notANostrURI: "The text does not begin with nostr:."
        case .secretKeyInURI: "A secret key must not be written as a nostr: link."
        case .noPublicKey: "The text holds no public key; type an npub, an nprofile or 64 hexadecimal digits."
        case .textTooLong(let limit): "The text is longer than \(limit) bytes."
        }
    }
}
