/// Whether bytes are well-formed UTF-8 (Unicode 15, table 3-7). `String` repairs what is not, and NIP-44 must refuse it.
enum UTF8Validation {
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress else { return true }
        let count = bytes.count
        var at = 0
        while at < count {
            at += asciiPrefix(start + at, count - at)
            guard at < count else { return true }
            guard let length = sequence(start + at, count - at) else { return false }
            at += length
        }
        return true
    }

    /// How many bytes below 0x80 come first.
    private static func asciiPrefix(_ start: UnsafeRawPointer, _ count: Int) -> Int {
        let high: UInt64 = 0x8080_8080_8080_8080
        var at = 0
        while at + 32 <= count {
            let word0 = (start + at).loadUnaligned(as: UInt64.self)
            let word1 = (start + at + 8).loadUnaligned(as: UInt64.self)
            let word2 = (start + at + 16).loadUnaligned(as: UInt64.self)
            let word3 = (start + at + 24).loadUnaligned(as: UInt64.self)
            if (word0 | word1 | word2 | word3) & high != 0 { break }
            at += 32
        }
        while at < count, start.load(fromByteOffset: at, as: UInt8.self) < 0x80 { at += 1 }
        return at
    }

    /// The length of the multi-byte sequence at `start`, or nil.
    private static func sequence(_ start: UnsafeRawPointer, _ count: Int) -> Int? {
        func byte(_ offset: Int) -> UInt8 { start.load(fromByteOffset: offset, as: UInt8.self) }
        func continues(_ offset: Int) -> Bool { byte(offset) & 0xc0 == 0x80 }
        switch byte(0) {
        case 0xc2...0xdf:
            return count >= 2 && continues(1) ? 2 : nil
        case 0xe0...0xef:
            guard count >= 3, continues(1), continues(2) else { return nil }
            if byte(0) == 0xe0, byte(1) < 0xa0 { return nil }
            if byte(0) == 0xed, byte(1) > 0x9f { return nil }
            return 3
        case 0xf0...0xf4:
            guard count >= 4, continues(1), continues(2), continues(3) else { return nil }
            if byte(0) == 0xf0, byte(1) < 0x90 { return nil }
            if byte(0) == 0xf4, byte(1) > 0x8f { return nil }
            return 4
        default:
            return nil
        }
    }
}
