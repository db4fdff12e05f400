internal import COpenSSL

/// 12, 15, 18, 21 or 24 words that stand for a key and can be written on paper (BIP-39, English list), and the Nostr keys
/// that are derived from them (NIP-06).
///
/// The words are a secret: they are kept in ``SecretBytes``, and nothing but ``phrase`` shows them.
public struct Mnemonic: Sendable, Equatable {
    /// Why words are refused. No case tells a word.
    public enum Problem: Equatable, Sendable {
        /// Not 12, 15, 18, 21 or 24 words.
        case wordCount(Int)
        /// A word that the English list does not have; the first word is at position 1.
        case unknownWord(position: Int)
        /// All words are of the list but do not belong together: one is mistaken, or their order.
        case checksum
        /// Entropy of another size than 16, 20, 24, 28 or 32 bytes.
        case entropySize(Int)
    }

    /// Places in the list, two bytes each in the byte order of this machine.
    private let places: SecretBytes

    /// The number of words.
    public var wordCount: Int { places.count / 2 }

    /// Words of the English list, separated by any white space, in either case.
    /// - Throws: ``CryptoError/invalidMnemonic(_:)``.
    public init(phrase: String) throws(CryptoError) {
        let text = Normalization.compatibilityDecomposed(phrase)
        let words = text.withUnsafeBytes { bytes in
            // Ends after one word more than there can be, however long the text is.
            bytes.split(maxSplits: 25, whereSeparator: { $0 == 0x20 || (0x09...0x0d).contains($0) })
        }
        guard Self.isWordCount(words.count) else { throw .invalidMnemonic(.wordCount(words.count)) }
        places = try SecretBytes(count: words.count * 2) { (target) throws(CryptoError) in
            for (index, word) in words.enumerated() {
                guard let place = EnglishWords.place(of: word) else {
                    throw .invalidMnemonic(.unknownWord(position: index + 1))
                }
                target.storeBytes(of: place, toByteOffset: index * 2, as: UInt16.self)
            }
        }
        let entropy = entropy
        guard try Mnemonic(entropy: entropy) == self else { throw .invalidMnemonic(.checksum) }
    }

    /// The words for 16, 20, 24, 28 or 32 bytes.
    /// - Throws: ``CryptoError/invalidMnemonic(_:)``.
    public init(entropy: SecretBytes) throws(CryptoError) {
        let size = entropy.count
        guard size % 4 == 0, (16...32).contains(size) else { throw .invalidMnemonic(.entropySize(size)) }
        // Behind the entropy come the first bits of its digest, one for each four bytes.
        let digest = entropy.withUnsafeBytes { SHA256.hash($0) }
        let checksum = digest.withUnsafeBytes { $0[0] }
        places = SecretBytes(count: size / 4 * 3 * 2) { target in
            entropy.withUnsafeBytes { entropy in
                for index in 0..<(size / 4 * 3) {
                    var place: UInt16 = 0
                    for bit in (index * 11)..<(index * 11 + 11) {
                        let byte = bit / 8 < size ? entropy[bit / 8] : checksum
                        place = place << 1 | UInt16(byte >> UInt8(7 - bit % 8) & 1)
                    }
                    target.storeBytes(of: place, toByteOffset: index * 2, as: UInt16.self)
                }
            }
        }
    }

    /// New random words.
    /// - Parameter wordCount: 12, 15, 18, 21 or 24.
    /// - Throws: ``CryptoError/invalidMnemonic(_:)`` for another number.
    public static func generate(wordCount: Int = 12, random: RandomSource = .system) throws(CryptoError) -> Mnemonic {
        guard isWordCount(wordCount) else { throw .invalidMnemonic(.wordCount(wordCount)) }
        return try Mnemonic(entropy: SecretBytes(count: wordCount / 3 * 4) { random.fill($0) })
    }

    private static func isWordCount(_ count: Int) -> Bool {
        count % 3 == 0 && (12...24).contains(count)
    }

    /// The bytes that the words stand for, without the checksum: four for each three words.
    public var entropy: SecretBytes {
        SecretBytes(count: wordCount / 3 * 4) { target in
            places.withUnsafeBytes { places in
                for bit in 0..<(target.count * 8) {
                    let place = places.load(fromByteOffset: bit / 11 * 2, as: UInt16.self)
                    target[bit / 8] |= UInt8(place >> UInt16(10 - bit % 11) & 1) << UInt8(7 - bit % 8)
                }
            }
        }
    }

    /// The words, one space between them, to be shown to their owner. A `String` is ordinary memory.
    public var phrase: String {
        phraseBytes.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    private var phraseBytes: SecretBytes {
        places.withUnsafeBytes { places in
            let words = places.bindMemory(to: UInt16.self)
            let count = words.reduce(words.count - 1) { $0 + EnglishWords.all[Int($1)].utf8.count }
            return SecretBytes(count: count) { target in
                var index = 0
                for place in words {
                    if index > 0 {
                        target[index] = 0x20
                        index += 1
                    }
                    for byte in EnglishWords.all[Int(place)].utf8 {
                        target[index] = byte
                        index += 1
                    }
                }
            }
        }
    }

    /// The seed of 64 bytes (BIP-39). Takes 2048 rounds of HMAC-SHA512, about a millisecond.
    /// - Parameter passphrase: an additional secret; any other one gives other keys, and none is wrong.
    /// - Throws: ``CryptoError/libraryFailure`` when OpenSSL lacks memory.
    public func seed(passphrase: String = "") throws(CryptoError) -> SecretBytes {
        let phrase = phraseBytes
        let salt = Normalization.compatibilityDecomposed("mnemonic" + passphrase)
        guard let saltCount = Int32(exactly: salt.count) else { throw .libraryFailure }
        return try SecretBytes(count: 64) { (target) throws(CryptoError) in
            let done = phrase.withUnsafeBytes { phrase in
                salt.withUnsafeBytes { salt in
                    PKCS5_PBKDF2_HMAC(
                        phrase.assumingMemoryBound(to: CChar.self).baseAddress,
                        Int32(phrase.count),
                        salt.bound,
                        saltCount,
                        2048,
                        EVP_sha512(),
                        Int32(target.count),
                        target.bound
                    )
                }
            }
            guard done == 1 else { throw .libraryFailure }
        }
    }

    /// The Nostr key at `m/44'/1237'/<account>'/0/0` (NIP-06).
    /// - Parameters:
    ///   - account: at most 2^31 - 1.
    ///   - passphrase: see ``seed(passphrase:)``.
    /// - Throws: ``CryptoError/invalidDerivationIndex(_:)``, ``CryptoError/derivationFailed`` or
    ///   ``CryptoError/libraryFailure``.
    public func secretKey(account: UInt32 = 0, passphrase: String = "") throws(CryptoError) -> SecretKey {
        try ExtendedSecretKey(seed: seed(passphrase: passphrase))
            .derived([.hardened(44), .hardened(1237), .hardened(account), .normal(0), .normal(0)])
            .secretKey
    }
}

extension EnglishWords {
    /// Where the list has the word, in either case.
    fileprivate static func place(of word: some Collection<UInt8>) -> UInt16? {
        // No word is longer; longer ones need not be searched for.
        guard word.count <= 8 else { return nil }
        let lower = word.lazy.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        var low = 0
        var high = all.count
        while low < high {
            let middle = (low + high) / 2
            if all[middle].utf8.lexicographicallyPrecedes(lower) { low = middle + 1 } else { high = middle }
        }
        return low < all.count && all[low].utf8.elementsEqual(lower) ? UInt16(low) : nil
    }
}

extension Mnemonic: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "Mnemonic(redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension Mnemonic.Problem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .wordCount(let count): "A mnemonic has 12, 15, 18, 21 or 24 words, not \(count)."
        case .unknownWord(let position): "Word \(position) is not in the English list."
        case .checksum: "The words do not belong together: one is mistaken, or their order."
        case .entropySize(let size): "A mnemonic stands for 16, 20, 24, 28 or 32 bytes, not \(size)."
        }
    }
}
