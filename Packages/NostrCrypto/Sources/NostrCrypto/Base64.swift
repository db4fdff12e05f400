/// Base64 with padding (RFC 4648 section 4), strict: the length is a multiple of four, padding is only at the end, the
/// bits that padding leaves over are zero, and nothing else (no white space, no other alphabet) is accepted. So every
/// byte sequence has exactly one text.
public enum Base64 {
    /// Characters needed for `count` bytes.
    public static func encodedCount(_ count: Int) -> Int {
        (count / 3 + (count % 3 == 0 ? 0 : 1)) * 4
    }

    /// The text of `bytes`.
    public static func encode(_ bytes: [UInt8]) -> String {
        bytes.withUnsafeBytes { encode($0) }
    }

    /// The text of `bytes`.
    public static func encode(_ bytes: UnsafeRawBufferPointer) -> String {
        let count = encodedCount(bytes.count)
        return String(unsafeUninitializedCapacity: count) { text in
            encode(bytes, into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(text)[..<count]))
            return count
        }
    }

    /// The bytes of `text`.
    ///
    /// - Throws: ``CryptoError/invalidBase64``.
    public static func decode(_ text: String) throws(CryptoError) -> [UInt8] {
        var text = text
        var isValid = false
        let bytes = text.withUTF8 { text in
            // For no elements this initialiser would write a count of zero to the empty array that all threads share.
            [UInt8](unsafeUninitializedCapacity: max(1, text.count / 4 * 3)) { bytes, count in
                if let decoded = decode(UnsafeRawBufferPointer(text), into: UnsafeMutableRawBufferPointer(bytes)) {
                    isValid = true
                    count = decoded
                }
            }
        }
        guard isValid else { throw .invalidBase64 }
        return bytes
    }

    /// Writes the text of `bytes` into `text`, which has exactly `encodedCount` bytes. Both may be parts of one buffer
    /// when `bytes` ends where `text` ends: each group is read before its place is written.
    public static func encode(_ bytes: UnsafeRawBufferPointer, into text: UnsafeMutableRawBufferPointer) {
        precondition(text.count == encodedCount(bytes.count), "the text has another length")
        guard let input = bytes.baseAddress, let output = text.baseAddress else { return }
        let pairs = Base64Tables.pairs
        var read = 0
        var write = 0
        let whole = bytes.count - bytes.count % 3
        // Six bytes a turn while eight can be read.
        while read + 8 <= bytes.count {
            let bits = UInt64(bigEndian: (input + read).loadUnaligned(as: UInt64.self))
            let first = UInt64(pairs[Int(truncatingIfNeeded: bits >> 52)])
            let second = UInt64(pairs[Int(truncatingIfNeeded: bits >> 40 & 0xfff)])
            let third = UInt64(pairs[Int(truncatingIfNeeded: bits >> 28 & 0xfff)])
            let fourth = UInt64(pairs[Int(truncatingIfNeeded: bits >> 16 & 0xfff)])
            (output + write).storeBytes(
                of: (first | second << 16 | third << 32 | fourth << 48).littleEndian,
                as: UInt64.self
            )
            read += 6
            write += 8
        }
        while read < whole {
            let bits = UInt32(bytes[read]) << 16 | UInt32(bytes[read + 1]) << 8 | UInt32(bytes[read + 2])
            let group = UInt32(pairs[Int(bits >> 12)]) | UInt32(pairs[Int(bits & 0xfff)]) << 16
            (output + write).storeBytes(of: group.littleEndian, as: UInt32.self)
            read += 3
            write += 4
        }
        let equals = UInt8(ascii: "=")
        switch bytes.count - whole {
        case 1:
            let pair = pairs[Int(bytes[read]) << 4]
            (output + write).storeBytes(of: pair.littleEndian, as: UInt16.self)
            text[write + 2] = equals
            text[write + 3] = equals
        case 2:
            let bits = (Int(bytes[read]) << 8 | Int(bytes[read + 1])) << 2
            let pair = pairs[bits >> 6]
            let last = pairs[bits & 0x3f]
            (output + write).storeBytes(of: pair.littleEndian, as: UInt16.self)
            text[write + 2] = UInt8(truncatingIfNeeded: last >> 8)
            text[write + 3] = equals
        default:
            break
        }
    }

    /// Writes the bytes of `text` into `bytes`, which has room for three of every four, and returns their number, or nil
    /// when the text is not strict Base64.
    public static func decode(_ text: UnsafeRawBufferPointer, into bytes: UnsafeMutableRawBufferPointer) -> Int? {
        guard text.count % 4 == 0, bytes.count >= text.count / 4 * 3 else { return nil }
        guard !text.isEmpty, let input = text.baseAddress, let output = bytes.baseAddress else { return 0 }
        let tables = Base64Tables.positions
        var read = 0
        var write = 0
        var bad: UInt32 = 0
        func group(_ bits: UInt64) -> UInt32 {
            tables[Int(bits & 0xff)] | tables[256 + Int(bits >> 8 & 0xff)] | tables[512 + Int(bits >> 16 & 0xff)]
                | tables[768 + Int(bits >> 24 & 0xff)]
        }
        // All groups but the last, three bytes each by a store of four: the next group's place follows.
        while read + 8 < text.count {
            let bits = (input + read).loadUnaligned(as: UInt64.self).littleEndian
            let (first, second) = (group(bits), group(bits >> 32))
            bad |= first | second
            (output + write).storeBytes(of: first.littleEndian, as: UInt32.self)
            (output + write + 3).storeBytes(of: second.littleEndian, as: UInt32.self)
            read += 8
            write += 6
        }
        while read + 4 < text.count {
            let value = group(UInt64((input + read).loadUnaligned(as: UInt32.self).littleEndian))
            bad |= value
            (output + write).storeBytes(of: value.littleEndian, as: UInt32.self)
            read += 4
            write += 3
        }
        guard bad >> 24 == 0 else { return nil }
        let equals = UInt8(ascii: "=")
        let padding = text[read + 3] != equals ? 0 : text[read + 2] != equals ? 1 : 2
        let letterA = UInt8(ascii: "A")
        let ending = (padding == 2 ? letterA : text[read + 2], padding > 0 ? letterA : text[read + 3])
        let value =
            tables[Int(text[read])] | tables[256 + Int(text[read + 1])] | tables[512 + Int(ending.0)]
            | tables[768 + Int(ending.1)]
        guard value >> 24 == 0 else { return nil }
        bytes[write] = UInt8(truncatingIfNeeded: value)
        let (second, third) = (UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value >> 16))
        if padding < 2 { bytes[write + 1] = second } else if second != 0 { return nil }
        if padding < 1 { bytes[write + 2] = third } else if third != 0 { return nil }
        return write + 3 - padding
    }
}

/// Lookup tables, made at first use and kept for the life of the process.
///
/// `nonisolated(unsafe)` because a pointer is not Sendable by itself: both tables are filled before the initialiser
/// returns and never written again.
private enum Base64Tables {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The two characters of every 12 bits, the first one in the low byte.
    nonisolated(unsafe) static let pairs: UnsafePointer<UInt16> = {
        let table = UnsafeMutablePointer<UInt16>.allocate(capacity: 4096)
        for bits in 0..<4096 {
            table[bits] = UInt16(alphabet[bits >> 6]) | UInt16(alphabet[bits & 63]) << 8
        }
        return UnsafePointer(table)
    }()

    /// For each of the four places in a group and each character its bits, as the group's three bytes lie in a
    /// little-endian word; the top byte is set for characters outside the alphabet.
    nonisolated(unsafe) static let positions: UnsafePointer<UInt32> = {
        let table = UnsafeMutablePointer<UInt32>.allocate(capacity: 1024)
        table.initialize(repeating: 0xff00_0000, count: 1024)
        for (value, character) in alphabet.enumerated() {
            for place in 0..<4 {
                let bits = UInt32(value) << (18 - 6 * place)
                table[256 * place + Int(character)] = (bits.byteSwapped >> 8)
            }
        }
        return UnsafePointer(table)
    }()
}
