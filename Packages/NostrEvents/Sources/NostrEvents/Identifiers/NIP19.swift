public import NostrCrypto

/// What the texts of NIP-19 name: keys and ids as they are, or with hints where to find them.
///
/// ```swift
/// let text = try NIP19.npub(key).encoded()
/// guard case .npub(let key) = try NIP19(text) else { ... }
/// ```
///
/// Equality of secret keys takes constant time. A description never shows a secret key, ``encoded()`` does.
public enum NIP19: Sendable, Equatable {
    /// A public key.
    case npub(PublicKey)
    /// A secret key.
    case nsec(SecretKey)
    /// The id of an event.
    case note(EventID)
    /// A public key, and relays where its owner is found.
    case nprofile(ProfileReference)
    /// The id of an event, and where it is found.
    case nevent(EventReference)
    /// An addressable or replaceable event.
    case naddr(AddressReference)

    /// Longer texts are refused, as NIP-19 advises. In characters.
    public static let maximumLength = 5_000

    /// Reads the bech32 text of an identifier, wholly in lower or wholly in upper case, without a `nostr:` before it.
    ///
    /// Entries that NIP-19 does not know are ignored, so are relay hints that are not printable ASCII. Of an entry that may
    /// stand once the first counts.
    /// - Throws: ``EventError/invalidIdentifier(_:)``.
    public init(_ text: String) throws(EventError) {
        let decoded: Bech32.Decoded
        do {
            decoded = try Bech32.decode(text, limit: Self.maximumLength)
        } catch {
            throw .invalidIdentifier(.invalidBech32(error))
        }
        guard decoded.variant == .bech32 else { throw .invalidIdentifier(.wrongChecksumVariant) }
        let bytes = decoded.data
        switch decoded.humanReadablePart {
        case "npub": self = .npub(try Self.publicKey(Self.whole(bytes)))
        case "nsec": self = .nsec(try Self.secretKey(bytes))
        case "note": self = .note(EventID(try Self.whole(bytes)))
        case "nprofile": self = .nprofile(try ProfileReference(EntryList(bytes)))
        case "nevent": self = .nevent(try EventReference(EntryList(bytes)))
        case "naddr": self = .naddr(try AddressReference(EntryList(bytes)))
        default: throw .invalidIdentifier(.unknownPrefix)
        }
    }

    /// Reads a `nostr:` URI (NIP-21), the scheme in any case.
    /// - Throws: ``EventError/invalidIdentifier(_:)``, also for a secret key, which such a URI must not carry.
    public init(uri: String) throws(EventError) {
        guard let text = uri.droppingNostrScheme else { throw .invalidIdentifier(.notANostrURI) }
        self = try NIP19(text)
        if case .nsec = self { throw .invalidIdentifier(.secretKeyInURI) }
    }

    /// The bech32 text, in lower case.
    /// - Throws: ``EventError/invalidIdentifier(_:)`` for references that NIP-19 cannot write: an identifier or a relay of more
    ///   than 255 bytes, a relay that is not ASCII, or more than ``maximumLength`` characters in all.
    public func encoded() throws(EventError) -> String {
        switch self {
        case .npub(let key): try Self.encode("npub", key.bytes.array)
        case .nsec(let key): try Self.encode(key)
        case .note(let id): try Self.encode("note", id.bytes.array)
        case .nprofile(let profile): try Self.encode("nprofile", profile.entries().bytes)
        case .nevent(let event): try Self.encode("nevent", event.entries().bytes)
        case .naddr(let address): try Self.encode("naddr", address.entries().bytes)
        }
    }

    /// The `nostr:` URI (NIP-21).
    /// - Throws: ``EventError/invalidIdentifier(_:)`` for a secret key, and what ``encoded()`` throws.
    public func uri() throws(EventError) -> String {
        if case .nsec = self { throw .invalidIdentifier(.secretKeyInURI) }
        return "nostr:" + (try encoded())
    }

    /// The public key that is named, if one is: by an `npub` or an `nprofile`.
    public var publicKey: PublicKey? {
        switch self {
        case .npub(let key): key
        case .nprofile(let profile): profile.publicKey
        default: nil
        }
    }

    private static func encode(_ prefix: String, _ bytes: [UInt8]) throws(EventError) -> String {
        do {
            return try Bech32.encode(hrp: prefix, data: bytes, limit: maximumLength)
        } catch {
            throw .invalidIdentifier(.invalidBech32(error))
        }
    }

    private static func encode(_ key: SecretKey) throws(EventError) -> String {
        var bytes = unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }
        defer { zeroise(&bytes) }
        return try encode("nsec", bytes)
    }

    private static func secretKey(_ bytes: [UInt8]) throws(EventError) -> SecretKey {
        guard bytes.count == 32 else { throw .invalidIdentifier(.wrongLength) }
        do {
            return try SecretKey(bytes: bytes)
        } catch {
            throw .invalidIdentifier(.invalidKey)
        }
    }

    private static func whole(_ bytes: [UInt8]) throws(EventError) -> Bytes32 {
        do {
            return try Bytes32(bytes)
        } catch {
            throw .invalidIdentifier(.wrongLength)
        }
    }

    static func publicKey(_ bytes: Bytes32) throws(EventError) -> PublicKey {
        do {
            return try PublicKey(bytes)
        } catch {
            throw .invalidIdentifier(.invalidKey)
        }
    }
}

extension PublicKey {
    /// The key as `npub1...` (NIP-19).
    public var npub: String {
        // 32 bytes always fit.
        (try? NIP19.npub(self).encoded()) ?? hex
    }
}

extension EventID {
    /// The id as `note1...` (NIP-19).
    public var note: String {
        // 32 bytes always fit.
        (try? NIP19.note(self).encoded()) ?? hex
    }
}

extension String {
    /// What follows `nostr:`, in any case, at the beginning; nil if that is not there.
    var droppingNostrScheme: String? {
        let scheme = "nostr:"
        guard utf8.count > scheme.utf8.count, prefix(scheme.count).lowercased() == scheme else { return nil }
        return String(dropFirst(scheme.count))
    }
}
