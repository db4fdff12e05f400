/// Hexadecimal text (RFC 4648 section 8, without white space or prefixes).
public enum Hex {
    /// Which letters a decoder accepts; digits are the same in all.
    public enum LetterCase: Sendable {
        /// `a` to `f`, what NIP-01 demands.
        case lower
        /// `a` to `f` and `A` to `F`, also mixed: what people type.
        case either
    }

    /// Two lower-case digits a byte.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        if let text = bytes.withContiguousStorageIfAvailable({ encode(UnsafeRawBufferPointer($0)) }) { return text }
        return encode([UInt8](bytes))
    }

    /// Two lower-case digits a byte.
    public static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { target in
            for (index, byte) in bytes.enumerated() {
                target[index * 2] = digit(byte >> 4)
                target[index * 2 + 1] = digit(byte & 15)
            }
            return bytes.count * 2
        }
    }

    /// The bytes that `text` spells.
    /// - Throws: ``CryptoError/invalidHex`` for another character or an odd number of digits.
    public static func decode(_ text: String, accepting letters: LetterCase = .lower) throws(CryptoError) -> [UInt8] {
        return try text.withTypedUTF8 { (digits) throws(CryptoError) in
            guard digits.count % 2 == 0 else { throw .invalidHex }
            // For no elements the initialiser below would write a count of zero to the empty array that all threads share.
            guard !digits.isEmpty else { return [] }
            var isValid = true
            let bytes = [UInt8](unsafeUninitializedCapacity: digits.count / 2) { target, count in
                isValid = read(UnsafeRawBufferPointer(digits), into: UnsafeMutableRawBufferPointer(target), letters)
                count = digits.count / 2
            }
            guard isValid else { throw .invalidHex }
            return bytes
        }
    }

    /// Fills `target` exactly with the bytes that `text` spells.
    /// - Throws: ``CryptoError/invalidLength(expected:actual:)`` when the text spells more or fewer bytes,
    ///   ``CryptoError/invalidHex`` for another character or an odd number of digits. `target` then holds anything.
    public static func decode(
        _ text: String,
        into target: UnsafeMutableRawBufferPointer,
        accepting letters: LetterCase = .lower
    ) throws(CryptoError) {
        try text.withTypedUTF8 { (digits) throws(CryptoError) in
            guard digits.count % 2 == 0 else { throw .invalidHex }
            guard digits.count / 2 == target.count else {
                throw .invalidLength(expected: target.count, actual: digits.count / 2)
            }
            guard read(UnsafeRawBufferPointer(digits), into: target, letters) else { throw .invalidHex }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        // Without a table or a branch on the value: it may be part of a secret key.
        let beyondNine = (9 &- value) >> 7
        return 0x30 &+ value &+ 39 &* beyondNine
    }

    /// `digits` has twice the bytes of `target`. The work does not depend on the values of the digits.
    private static func read(
        _ digits: UnsafeRawBufferPointer,
        into target: UnsafeMutableRawBufferPointer,
        _ letters: LetterCase
    ) -> Bool {
        var bad: UInt64 = 0
        var index = 0
        while index + 4 <= target.count {
            var word = UInt64(littleEndian: digits.loadUnaligned(fromByteOffset: index * 2, as: UInt64.self))
            if letters == .either { word = lowered(word) }
            target.storeBytes(of: fourBytes(word, &bad).littleEndian, toByteOffset: index, as: UInt32.self)
            index += 4
        }
        while index < target.count {
            // The other six digits of the word are zeros, which are valid.
            var word = UInt64(digits[index * 2]) | UInt64(digits[index * 2 + 1]) << 8 | 0x3030_3030_3030_0000
            if letters == .either { word = lowered(word) }
            target[index] = UInt8(truncatingIfNeeded: fourBytes(word, &bad))
            index += 1
        }
        return bad == 0
    }

    /// Sets bit 5 of every byte that has bit 6, which makes `A` to `F` lower case and no other byte a digit.
    private static func lowered(_ word: UInt64) -> UInt64 {
        word | ((word & 0x4040_4040_4040_4040) >> 1)
    }

    /// Eight digits, the first in the lowest byte, to four bytes; a byte that is no digit sets a bit of `bad`.
    @inline(__always)
    private static func fourBytes(_ word: UInt64, _ bad: inout UInt64) -> UInt32 {
        // In each byte bit 7 says: at least '0' and at most '9'; at least 'a' and at most 'f'. Bytes above 127 are refused
        // by their own bit 7, and the bit 7 of the operands is cleared so that no sum carries into the next byte.
        let low = word & 0x7f7f_7f7f_7f7f_7f7f
        let decimal = (low &+ 0x5050_5050_5050_5050) & ~(low &+ 0x4646_4646_4646_4646)
        let letter = (low &+ 0x1f1f_1f1f_1f1f_1f1f) & ~(low &+ 0x1919_1919_1919_1919)
        bad |= (~(decimal | letter) | word) & 0x8080_8080_8080_8080
        let value = (word & 0x0f0f_0f0f_0f0f_0f0f) &+ 9 &* ((word >> 6) & 0x0101_0101_0101_0101)
        var pairs = ((value << 4) | (value >> 8)) & 0x00ff_00ff_00ff_00ff
        pairs = (pairs | (pairs >> 8)) & 0x0000_ffff_0000_ffff
        return UInt32(truncatingIfNeeded: pairs | (pairs >> 16))
    }
}

extension String {
    /// `withUTF8`, which rethrows any error as an untyped one, with the type kept; a copy is made only of a bridged string.
    func withTypedUTF8<Result, Failure>(
        _ body: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var text = self
        let result = text.withUTF8 { bytes in
            Swift.Result { () throws(Failure) in try body(bytes) }
        }
        return try result.get()
    }
}
