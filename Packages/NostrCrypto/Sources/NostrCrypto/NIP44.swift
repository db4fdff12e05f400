/// Encrypted payloads of NIP-44, version 2: ChaCha20 and HMAC-SHA256 under keys derived from a ``ConversationKey`` and a
/// random nonce, padded to hide the length, in Base64.
///
/// A payload says nothing about its author: check the signature of the event that carries it first.
///
/// ```swift
/// let key = ConversationKey(mySecretKey, theirPublicKey)
/// let payload = try NIP44.encrypt("hello", with: key)
/// let text = try NIP44.decrypt(payload, with: key)
/// ```
public enum NIP44 {
    /// What is accepted and made.
    public struct Limits: Sendable, Equatable {
        /// The longest plaintext in bytes of UTF-8, in both directions. A payload that could only hold a longer one is
        /// refused before any work is done on it. At most 2^32 - 1.
        public var maximumPlaintextSize: Int

        /// Whether plaintexts of 65,536 bytes and more are made and accepted; they have the extended length prefix that
        /// older implementations cannot read.
        public var allowsExtendedLength: Bool

        /// - Parameters:
        ///   - maximumPlaintextSize: in bytes of UTF-8, 1 MiB unless given.
        ///   - allowsExtendedLength: false for peers that know only the two-byte length prefix.
        public init(maximumPlaintextSize: Int = 1 << 20, allowsExtendedLength: Bool = true) {
            self.maximumPlaintextSize = maximumPlaintextSize
            self.allowsExtendedLength = allowsExtendedLength
        }

        /// 1 MiB, extended lengths allowed.
        public static let standard = Limits()

        /// The longest plaintext that all of this leaves possible.
        var effectiveMaximum: Int {
            min(max(maximumPlaintextSize, 0), allowsExtendedLength ? 0xffff_ffff : NIP44.extendedLength - 1)
        }
    }

    /// The length from which the prefix is six bytes instead of two.
    static let extendedLength = 0x1_0000

    /// Characters of the shortest payload and bytes of its content.
    static let minimumPayloadCount = 132
    static let minimumContentCount = 99

    /// The length to which a plaintext of `count` bytes is padded, without its length prefix: 32 for up to 32 bytes, then
    /// the next multiple of 32 up to 256, then of an eighth of the next power of two.
    ///
    /// - Parameter count: 1...2^32-1; less gives 32.
    public static func paddedLength(_ count: Int) -> Int {
        guard count > 32 else { return 32 }
        let bits = Int.bitWidth - (count - 1).leadingZeroBitCount
        let chunk = bits <= 8 ? 32 : 1 << (bits - 3)
        return ((count - 1) / chunk + 1) * chunk
    }

    /// Bytes of the prefix that holds a length.
    static func prefixCount(_ count: Int) -> Int {
        count < extendedLength ? 2 : 6
    }

    /// Bytes of a version 2 payload before Base64.
    static func contentCount(_ plaintextCount: Int) -> Int {
        Version2.overhead + prefixCount(plaintextCount) + paddedLength(plaintextCount)
    }

    /// Bytes asked for beyond the result, so that the last cipher block can be processed whole.
    private static let slack = 32

    // MARK: Encrypting

    /// Encrypts text; the payload is the only allocation.
    ///
    /// - Parameters:
    ///   - plaintext: at least one byte.
    ///   - key: shared with the recipient.
    ///   - limits: what is allowed.
    ///   - random: gives the 32-byte nonce. Two messages must never have the same.
    /// - Throws: ``CryptoError/nip44(_:)`` with `emptyPlaintext` or `plaintextTooLong`.
    public static func encrypt(
        _ plaintext: String,
        with key: ConversationKey,
        limits: Limits = .standard,
        random: RandomSource = .system
    ) throws(CryptoError) -> String {
        var plaintext = plaintext
        return try plaintext.withUTF8 { bytes in
            Result { () throws(CryptoError) in
                try encrypt(UnsafeRawBufferPointer(bytes), with: key, limits: limits, random: random)
            }
        }.get()
    }

    /// Encrypts bytes. The recipient accepts them as text only if they are UTF-8.
    ///
    /// - Throws: ``CryptoError/nip44(_:)`` with `emptyPlaintext` or `plaintextTooLong`.
    public static func encrypt(
        _ plaintext: [UInt8],
        with key: ConversationKey,
        limits: Limits = .standard,
        random: RandomSource = .system
    ) throws(CryptoError) -> String {
        try plaintext.span.bytes.withUnsafeBytes { bytes throws(CryptoError) in
            try encrypt(bytes, with: key, limits: limits, random: random)
        }
    }

    /// Encrypts bytes. The recipient accepts them as text only if they are UTF-8.
    ///
    /// - Throws: ``CryptoError/nip44(_:)`` with `emptyPlaintext` or `plaintextTooLong`.
    public static func encrypt(
        _ plaintext: UnsafeRawBufferPointer,
        with key: ConversationKey,
        limits: Limits = .standard,
        random: RandomSource = .system
    ) throws(CryptoError) -> String {
        guard !plaintext.isEmpty else { throw .nip44(.emptyPlaintext) }
        let maximum = limits.effectiveMaximum
        guard plaintext.count <= maximum else { throw .nip44(.plaintextTooLong(maximum: maximum)) }
        let count = Base64.encodedCount(contentCount(plaintext.count))
        var failure: CryptoError?
        let payload = String(unsafeUninitializedCapacity: count + slack) { memory in
            do throws(CryptoError) {
                try Version2.seal(
                    plaintext,
                    with: key,
                    random: random,
                    into: UnsafeMutableRawBufferPointer(memory),
                    textCount: count
                )
                return count
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return payload
    }

    // MARK: Decrypting

    /// Decrypts a payload to text; the text is the only allocation.
    ///
    /// - Throws: ``CryptoError/nip44(_:)``, whose ``Problem`` says what is wrong.
    public static func decrypt(
        _ payload: String,
        with key: ConversationKey,
        limits: Limits = .standard
    ) throws(CryptoError) -> String {
        var payload = payload
        return try payload.withUTF8 { payload in
            Result { () throws(CryptoError) in
                try decrypt(UnsafeRawBufferPointer(payload), with: key, limits: limits)
            }
        }.get()
    }

    /// Decrypts a payload that is given as bytes, for instance where it lies in an event, to text.
    ///
    /// - Throws: ``CryptoError/nip44(_:)``, whose ``Problem`` says what is wrong.
    public static func decrypt(
        _ payload: UnsafeRawBufferPointer,
        with key: ConversationKey,
        limits: Limits = .standard
    ) throws(CryptoError) -> String {
        let capacity = try roomNeeded(payload, limits)
        var failure: CryptoError?
        let plaintext = String(unsafeUninitializedCapacity: capacity) { text in
            do throws(CryptoError) {
                return try open(payload, with: key, limits, into: text, requiringText: true)
            } catch {
                failure = error
                return 0
            }
        }
        if let failure { throw failure }
        return plaintext
    }

    /// Decrypts a payload to bytes, which need not be UTF-8; they are the only allocation.
    ///
    /// - Throws: ``CryptoError/nip44(_:)``, whose ``Problem`` says what is wrong.
    public static func decryptBytes(
        _ payload: String,
        with key: ConversationKey,
        limits: Limits = .standard
    ) throws(CryptoError) -> [UInt8] {
        var payload = payload
        return try payload.withUTF8 { payload in
            Result { () throws(CryptoError) in
                try decryptBytes(UnsafeRawBufferPointer(payload), with: key, limits: limits)
            }
        }.get()
    }

    /// Decrypts a payload that is given as bytes to bytes, which need not be UTF-8.
    ///
    /// - Throws: ``CryptoError/nip44(_:)``, whose ``Problem`` says what is wrong.
    public static func decryptBytes(
        _ payload: UnsafeRawBufferPointer,
        with key: ConversationKey,
        limits: Limits = .standard
    ) throws(CryptoError) -> [UInt8] {
        let capacity = try roomNeeded(payload, limits)
        var failure: CryptoError?
        let plaintext = [UInt8](unsafeUninitializedCapacity: capacity) { bytes, count in
            do throws(CryptoError) {
                count = try open(payload, with: key, limits, into: bytes, requiringText: false)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return plaintext
    }

    /// The bytes a payload decodes to at most, after the checks that need only its length and its first character.
    private static func roomNeeded(
        _ payload: UnsafeRawBufferPointer,
        _ limits: Limits
    ) throws(CryptoError) -> Int {
        guard payload.first != UInt8(ascii: "#") else { throw .nip44(.unsupportedVersion(nil)) }
        guard payload.count >= minimumPayloadCount else { throw .nip44(.payloadTooShort) }
        let maximum = limits.effectiveMaximum
        guard payload.count <= Base64.encodedCount(contentCount(maximum)) else {
            throw .nip44(.plaintextTooLong(maximum: maximum))
        }
        return payload.count / 4 * 3 + slack
    }

    /// Decodes and decrypts inside the memory of the result and returns how many bytes of it are the plaintext.
    private static func open(
        _ payload: UnsafeRawBufferPointer,
        with key: ConversationKey,
        _ limits: Limits,
        into memory: UnsafeMutableBufferPointer<UInt8>,
        requiringText: Bool
    ) throws(CryptoError) -> Int {
        let memory = UnsafeMutableRawBufferPointer(memory)
        guard let count = Base64.decode(payload, into: memory) else { throw .nip44(.notBase64) }
        let content = UnsafeMutableRawBufferPointer(rebasing: memory[..<count])
        guard count >= minimumContentCount else { throw .nip44(.payloadTooShort) }
        switch content[0] {
        case Version2.number:
            let range = try Version2.open(memory, count: count, with: key, limits)
            let plaintext = UnsafeRawBufferPointer(rebasing: content[range])
            if requiringText, !UTF8Validation.isValid(plaintext) {
                zeroise(content)
                throw .nip44(.plaintextNotUTF8)
            }
            UnsafeMutableRawBufferPointer(rebasing: content[..<range.count]).copyMemory(from: plaintext)
            return range.count
        case let version:
            throw .nip44(.unsupportedVersion(version))
        }
    }
}

extension NIP44 {
    /// Why a payload or a plaintext is refused.
    public enum Problem: Error, Equatable, Sendable, CustomStringConvertible {
        /// The payload has another version than 2, or, without a number, begins with `#`, which announces an encoding other
        /// than Base64.
        case unsupportedVersion(UInt8?)
        /// The payload is shorter than the shortest that can be.
        case payloadTooShort
        /// The payload is not Base64.
        case notBase64
        /// The payload was changed, or belongs to another conversation.
        case wrongMAC
        /// The length inside the payload does not fit its padding.
        case wrongPadding
        /// The plaintext is not text in UTF-8.
        case plaintextNotUTF8
        /// There is nothing to encrypt: NIP-44 has no empty messages.
        case emptyPlaintext
        /// The plaintext has, or by the payload's length must have, more bytes than the limits allow.
        case plaintextTooLong(maximum: Int)

        public var description: String {
            switch self {
            case .unsupportedVersion(let version?): "The NIP-44 payload has version \(version); only 2 is supported."
            case .unsupportedVersion(nil): "The NIP-44 payload has a version that is not supported."
            case .payloadTooShort: "The NIP-44 payload is too short."
            case .notBase64: "The NIP-44 payload is not Base64."
            case .wrongMAC: "The NIP-44 payload was changed, or is not for this key."
            case .wrongPadding: "The NIP-44 payload has a wrong padding."
            case .plaintextNotUTF8: "The decrypted message is not UTF-8 text."
            case .emptyPlaintext: "An empty message cannot be encrypted."
            case .plaintextTooLong(let maximum): "The message is longer than the \(maximum) bytes allowed."
            }
        }
    }
}
