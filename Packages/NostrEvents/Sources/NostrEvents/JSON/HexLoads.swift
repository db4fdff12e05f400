import NostrCrypto

extension RawSpan {
    /// 64 lower-case hexadecimal digits as 32 bytes; nil if one of them is something else.
    @inline(__always)
    func bytes32(_ offset: Int) -> Bytes32? {
        var wrong: UInt64 = 0
        let word0 = eightBytes(offset, &wrong)
        let word1 = eightBytes(offset &+ 16, &wrong)
        let word2 = eightBytes(offset &+ 32, &wrong)
        let word3 = eightBytes(offset &+ 48, &wrong)
        guard wrong == 0 else { return nil }
        return Bytes32(words: word0, word1, word2, word3)
    }

    /// Sixteen digits as eight bytes in the order of memory; sets a bit of `wrong` if one is no digit.
    @inline(__always)
    private func eightBytes(_ offset: Int, _ wrong: inout UInt64) -> UInt64 {
        let low = Self.fourBytes(word(offset), &wrong)
        let high = Self.fourBytes(word(offset &+ 8), &wrong)
        return UInt64(littleEndian: low | high << 32)
    }

    /// Eight digits, the first in the lowest byte, as four bytes likewise. All eight are handled at once: bit 7 of each
    /// byte of `digits` and `letters` says whether the byte is one.
    @inline(__always)
    private static func fourBytes(_ word: UInt64, _ wrong: inout UInt64) -> UInt64 {
        let digits = (word &+ 0x5050_5050_5050_5050) & ~(word &+ 0x4646_4646_4646_4646)
        let letters = (word &+ 0x1F1F_1F1F_1F1F_1F1F) & ~(word &+ 0x1919_1919_1919_1919)
        wrong |= (~(digits | letters) | word) & 0x8080_8080_8080_8080
        let values = (word & 0x0F0F_0F0F_0F0F_0F0F) &+ 9 &* ((word >> 6) & 0x0101_0101_0101_0101)
        var pairs = (values << 4 | values >> 8) & 0x00FF_00FF_00FF_00FF
        pairs = (pairs | pairs >> 8) & 0x0000_FFFF_0000_FFFF
        return (pairs | pairs >> 16) & 0xFFFF_FFFF
    }
}

extension Bytes32 {
    /// Appends 64 lower-case hexadecimal digits.
    func appendHex(to output: inout [UInt8]) {
        unsafe withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { digits in
            unsafe writeHex(to: digits, at: 0)
            unsafe output.append(contentsOf: digits)
        }
    }

    /// Writes 64 lower-case hexadecimal digits.
    func writeHex(to target: UnsafeMutableRawBufferPointer, at offset: Int) {
        let (word0, word1, word2, word3) = words
        unsafe Self.write(word0, to: target, at: offset)
        unsafe Self.write(word1, to: target, at: offset + 16)
        unsafe Self.write(word2, to: target, at: offset + 32)
        unsafe Self.write(word3, to: target, at: offset + 48)
    }

    @inline(__always)
    private static func write(_ word: UInt64, to target: UnsafeMutableRawBufferPointer, at offset: Int) {
        let bytes = word.littleEndian
        unsafe target.storeBytes(
            of: eightDigits(bytes & 0xFFFF_FFFF).littleEndian,
            toByteOffset: offset,
            as: UInt64.self
        )
        unsafe target.storeBytes(of: eightDigits(bytes >> 32).littleEndian, toByteOffset: offset + 8, as: UInt64.self)
    }

    /// The digits of four bytes, the first in the lowest byte.
    @inline(__always)
    private static func eightDigits(_ bytes: UInt64) -> UInt64 {
        var spread = (bytes | bytes << 16) & 0x0000_FFFF_0000_FFFF
        spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF
        let values = (spread >> 4 & 0x000F_000F_000F_000F) | (spread & 0x000F_000F_000F_000F) << 8
        let letters = (values &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return values &+ 0x3030_3030_3030_3030 &+ letters &* 39
    }
}
