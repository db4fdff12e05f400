/// Bech32 (BIP-173) and bech32m (BIP-350): text with a readable prefix and a checksum that finds typing errors.
///
/// Texts are decoded only if they are wholly lower-case or wholly upper-case; encoding writes lower case.
public enum Bech32 {
    /// The two checksums.
    public enum Variant: Sendable, Equatable, CaseIterable {
        /// BIP-173: what NIP-19 and NIP-49 use.
        case bech32
        /// BIP-350.
        case bech32m

        fileprivate var constant: UInt32 {
            switch self {
            case .bech32: 1
            case .bech32m: 0x2bc8_30a3
            }
        }
    }

    /// Why a text is refused.
    public enum Problem: Equatable, Sendable {
        /// More characters than the limit that was given.
        case tooLong(limit: Int)
        /// No `1` between prefix and data, or an empty prefix.
        case noSeparator
        /// A prefix of more than 83 characters, or with one outside ASCII 33 to 126; in encoding also upper case.
        case invalidPrefix
        /// Both upper-case and lower-case letters.
        case mixedCase
        /// A character outside the alphabet after the separator.
        case invalidCharacter
        /// Fewer than the six characters of a checksum after the separator.
        case tooShort
        /// The checksum fits neither variant: a typing error.
        case wrongChecksum
        /// The data are no whole number of bytes, or the bits that fill up the last character are not zero.
        case invalidPadding
    }

    /// What a text holds.
    public struct Decoded: Sendable, Equatable {
        /// In lower case.
        public let humanReadablePart: String
        /// Bytes, or five-bit values from ``Bech32/decodeValues(_:limit:)``.
        public let data: [UInt8]
        /// Which checksum the text has.
        public let variant: Variant
    }

    /// The length in characters that BIP-173 allows. Its checksum guarantees less for longer texts, but NIP-19 needs them.
    public static let standardLimit = 90

    /// Writes bytes.
    /// - Parameters:
    ///   - hrp: the prefix, 1 to 83 lower-case characters of ASCII 33 to 126.
    ///   - data: whole bytes; they are regrouped into five-bit values, filled up with zero bits.
    ///   - limit: the greatest length in characters.
    /// - Throws: ``CryptoError/invalidBech32(_:)`` for an impossible prefix or a text above the limit.
    public static func encode(
        hrp: String,
        data: some Collection<UInt8>,
        variant: Variant = .bech32,
        limit: Int = standardLimit
    ) throws(CryptoError) -> String {
        try encode(hrp: hrp, values: values(of: Array(data)), variant: variant, limit: limit)
    }

    /// Reads bytes. The variant is whichever the checksum fits: compare it with what you expect.
    /// - Parameter limit: the greatest length in characters; a longer text is refused before anything is read.
    /// - Throws: ``CryptoError/invalidBech32(_:)``.
    public static func decode(_ text: String, limit: Int = standardLimit) throws(CryptoError) -> Decoded {
        let decoded = try decodeValues(text, limit: limit)
        guard let bytes = bytes(of: decoded.data) else { throw .invalidBech32(.invalidPadding) }
        return Decoded(humanReadablePart: decoded.humanReadablePart, data: bytes, variant: decoded.variant)
    }

    /// Reads the five-bit values without regrouping them, as an address of BIP-173 needs them.
    /// - Parameter limit: the greatest length in characters; a longer text is refused before anything is read.
    /// - Throws: ``CryptoError/invalidBech32(_:)``.
    public static func decodeValues(_ text: String, limit: Int = standardLimit) throws(CryptoError) -> Decoded {
        return try text.withTypedUTF8 { (characters) throws(CryptoError) in
            try decodeValues(characters, limit)
        }
    }

    private static func decodeValues(
        _ characters: UnsafeBufferPointer<UInt8>,
        _ limit: Int
    ) throws(CryptoError) -> Decoded {
        guard characters.count <= limit else { throw .invalidBech32(.tooLong(limit: limit)) }
        guard let separator = characters.lastIndex(of: UInt8(ascii: "1")), separator > 0 else {
            throw .invalidBech32(.noSeparator)
        }
        let prefix = characters[..<separator]
        guard isPrefix(prefix) else { throw .invalidBech32(.invalidPrefix) }
        guard
            !characters.contains(where: { (0x41...0x5a).contains($0) })
                || !characters.contains(where: { (0x61...0x7a).contains($0) })
        else { throw .invalidBech32(.mixedCase) }
        let tail = characters[(separator + 1)...]
        guard tail.count >= 6 else { throw .invalidBech32(.tooShort) }

        let lowerPrefix = prefix.map(lowered)
        var checksum = Checksum(prefix: lowerPrefix)
        var values: [UInt8] = []
        values.reserveCapacity(tail.count)
        for character in tail {
            guard let value = value(of: lowered(character)) else { throw .invalidBech32(.invalidCharacter) }
            checksum.add(value)
            values.append(value)
        }
        guard let variant = Variant.allCases.first(where: { $0.constant == checksum.state }) else {
            throw .invalidBech32(.wrongChecksum)
        }
        values.removeLast(6)
        return Decoded(
            humanReadablePart: String(decoding: lowerPrefix, as: UTF8.self),
            data: values,
            variant: variant
        )
    }

    private static func encode(
        hrp: String,
        values: [UInt8],
        variant: Variant,
        limit: Int
    ) throws(CryptoError) -> String {
        let prefix = Array(hrp.utf8)
        guard isPrefix(prefix), !prefix.contains(where: { (0x41...0x5a).contains($0) }) else {
            throw .invalidBech32(.invalidPrefix)
        }
        guard prefix.count + 1 + values.count + 6 <= limit else { throw .invalidBech32(.tooLong(limit: limit)) }
        var checksum = Checksum(prefix: prefix)
        var text = prefix
        text.reserveCapacity(prefix.count + 7 + values.count)
        text.append(UInt8(ascii: "1"))
        for value in values {
            checksum.add(value)
            text.append(character(of: value))
        }
        for value in checksum.values(for: variant) { text.append(character(of: value)) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isPrefix(_ characters: some Collection<UInt8>) -> Bool {
        (1...83).contains(characters.count) && characters.allSatisfy { (33...126).contains($0) }
    }

    private static func lowered(_ character: UInt8) -> UInt8 {
        (0x41...0x5a).contains(character) ? character | 0x20 : character
    }

    // MARK: - Five-bit values

    private static let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

    private static let valueOfCharacter: [UInt8] = {
        var table = [UInt8](repeating: 0xff, count: 256)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        return table
    }()

    private static func value(of character: UInt8) -> UInt8? {
        let value = valueOfCharacter[Int(character)]
        return value == 0xff ? nil : value
    }

    private static func character(of value: UInt8) -> UInt8 {
        alphabet[Int(value & 31)]
    }

    private static func values(of bytes: [UInt8]) -> [UInt8] {
        var values: [UInt8] = []
        values.reserveCapacity(bytes.count / 5 * 8 + 8)
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = (pending << 8 | UInt32(byte)) & 0xfff
            bits += 8
            while bits >= 5 {
                bits -= 5
                values.append(UInt8(pending >> UInt32(bits) & 31))
            }
        }
        if bits > 0 { values.append(UInt8(pending << UInt32(5 - bits) & 31)) }
        return values
    }

    private static func bytes(of values: [UInt8]) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(values.count / 8 * 5 + 5)
        var pending: UInt32 = 0
        var bits = 0
        for value in values {
            pending = (pending << 5 | UInt32(value)) & 0xfff
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(pending >> UInt32(bits) & 0xff))
            }
        }
        // A fifth left-over bit would be a character that says nothing.
        guard bits < 5, pending & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return bytes
    }

    /// The BCH code over five-bit values that both variants share.
    private struct Checksum {
        private(set) var state: UInt32 = 1

        init(prefix: some Collection<UInt8>) {
            for character in prefix { add(character >> 5) }
            add(0)
            for character in prefix { add(character & 31) }
        }

        mutating func add(_ value: UInt8) {
            let top = state >> 25
            state = (state & 0x1ff_ffff) << 5 ^ UInt32(value)
            if top & 1 != 0 { state ^= 0x3b6a_57b2 }
            if top & 2 != 0 { state ^= 0x2650_8e6d }
            if top & 4 != 0 { state ^= 0x1ea1_19fa }
            if top & 8 != 0 { state ^= 0x3d42_33dd }
            if top & 16 != 0 { state ^= 0x2a14_62b3 }
        }

        /// The six values that make the state the variant's constant.
        func values(for variant: Variant) -> [UInt8] {
            var closed = self
            for _ in 0..<6 { closed.add(0) }
            let difference = closed.state ^ variant.constant
            return (0..<6).map { UInt8(difference >> UInt32(5 * (5 - $0)) & 31) }
        }
    }
}

extension Bech32.Problem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLong(let limit): "The bech32 text is longer than \(limit) characters."
        case .noSeparator: "The bech32 text has no prefix, or no 1 behind it."
        case .invalidPrefix: "The bech32 prefix is longer than 83 characters or has one that is not allowed."
        case .mixedCase: "The bech32 text mixes upper and lower case."
        case .invalidCharacter: "The bech32 text has a character outside its alphabet."
        case .tooShort: "The bech32 text is too short to have a checksum."
        case .wrongChecksum: "The checksum of the bech32 text is wrong; it was mistyped or cut off."
        case .invalidPadding: "The bech32 text does not hold a whole number of bytes."
        }
    }
}
