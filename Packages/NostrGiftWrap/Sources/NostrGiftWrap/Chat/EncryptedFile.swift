public import NostrCrypto
import NostrEvents

/// A file that a message of kind 15 points to: encrypted with AES-256-GCM under a key that only the message tells (NIP-17).
public struct EncryptedFile: Sendable, Equatable {
    /// Where the encrypted bytes are.
    public var url: String
    /// The MIME type before encryption.
    public var type: String
    /// 32 bytes.
    public var key: [UInt8]
    /// 12 bytes here; some applications use 16.
    public var nonce: [UInt8]
    /// SHA-256 of the encrypted bytes.
    public var digest: Bytes32
    /// SHA-256 of the bytes before encryption.
    public var originalDigest: Bytes32?
    /// Bytes of the encrypted file.
    public var size: Int?
    /// Width and height in pixels.
    public var dimensions: (width: Int, height: Int)?
    /// A placeholder to show while the file loads, as thumbhash computes it.
    public var thumbhash: String?
    /// A placeholder to show while the file loads, as blurhash computes it.
    public var blurhash: String?
    /// A thumbnail, encrypted with the same key and nonce.
    public var thumbnail: String?
    /// Other places for the same bytes.
    public var fallbacks: [String]

    /// The name of AES-256-GCM in the tags.
    public static let algorithm = "aes-gcm"

    /// A file that was encrypted with ``encrypt(_:random:)`` and stored at a URL.
    public init(url: String, type: String, encrypted: Encrypted) {
        self.url = url
        self.type = type
        key = encrypted.key
        nonce = encrypted.nonce
        digest = SHA256.hash(encrypted.bytes)
        originalDigest = encrypted.originalDigest
        size = encrypted.bytes.count
        fallbacks = []
    }

    /// Reads the tags of a kind 15 rumor.
    init(_ rumor: Rumor) throws(ChatMessage.Problem) {
        func value(_ name: String) throws(ChatMessage.Problem) -> String {
            guard let value = rumor.tags.firstValue(named: name) else { throw .missingTag(name) }
            return value
        }
        guard try value("encryption-algorithm") == Self.algorithm else { throw .unknownEncryption }
        guard let key = try? Hex.decode(value("decryption-key")), key.count == 32 else {
            throw .missingTag("decryption-key")
        }
        guard let nonce = try? Hex.decode(value("decryption-nonce")), (8...64).contains(nonce.count) else {
            throw .missingTag("decryption-nonce")
        }
        guard let digest = try? Bytes32(hex: value("x")) else { throw .missingTag("x") }
        url = rumor.content
        type = try value("file-type")
        self.key = key
        self.nonce = nonce
        self.digest = digest
        originalDigest = rumor.tags.firstValue(named: "ox").flatMap { try? Bytes32(hex: $0) }
        size = rumor.tags.firstValue(named: "size").flatMap { Int($0) }
        let sides = rumor.tags.firstValue(named: "dim")?.split(separator: "x").map { Int($0) } ?? []
        if sides.count == 2, let width = sides[0], let height = sides[1], width > 0, height > 0 {
            dimensions = (width, height)
        }
        thumbhash = rumor.tags.firstValue(named: "thumbhash")
        blurhash = rumor.tags.firstValue(named: "blurhash")
        thumbnail = rumor.tags.firstValue(named: "thumb")
        fallbacks = rumor.tags.values(named: "fallback")
    }

    var tags: [Tag] {
        var tags = [
            Tag("file-type", type), Tag("encryption-algorithm", Self.algorithm), Tag("decryption-key", Hex.encode(key)),
            Tag("decryption-nonce", Hex.encode(nonce)), Tag("x", digest.hex),
        ]
        if let originalDigest { tags.append(Tag("ox", originalDigest.hex)) }
        if let size { tags.append(Tag("size", String(size))) }
        if let dimensions { tags.append(Tag("dim", "\(dimensions.width)x\(dimensions.height)")) }
        if let thumbhash { tags.append(Tag("thumbhash", thumbhash)) }
        if let blurhash { tags.append(Tag("blurhash", blurhash)) }
        if let thumbnail { tags.append(Tag("thumb", thumbnail)) }
        return tags + fallbacks.map { Tag("fallback", $0) }
    }

    public static func == (left: EncryptedFile, right: EncryptedFile) -> Bool {
        left.url == right.url && left.tags == right.tags
    }

    /// Bytes as they are stored for others, and what opens them.
    public struct Encrypted: Sendable {
        /// Ciphertext followed by the tag of 16 bytes.
        public let bytes: [UInt8]
        /// 32 bytes.
        public let key: [UInt8]
        /// 12 bytes.
        public let nonce: [UInt8]
        /// SHA-256 of the bytes before encryption.
        public let originalDigest: Bytes32
    }
}
