/// Checks UTF-8 that arrives in pieces, and fails at the first byte that no valid text can continue with.
struct UTF8Validator {
    /// Continuation bytes that the character at the end of the last piece still needs.
    private var missing: UInt8 = 0
    /// What the next continuation byte may be: narrower than 80...BF after E0, ED, F0 and F4.
    private var lowest: UInt8 = 0x80
    private var highest: UInt8 = 0xBF

    /// Whether the text so far ends between two characters.
    var isComplete: Bool { missing == 0 }

    /// Takes the next piece; false when it is not UTF-8.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        let count = bytes.count
        var index = 0
        while index < count {
            if missing == 0 {
                unsafe Self.skipASCII(base, count, &index)
                guard index < count else { return true }
            }
            let byte = unsafe base.load(fromByteOffset: index, as: UInt8.self)
            index &+= 1
            guard missing == 0 ? begin(byte) : proceed(byte) else { return false }
        }
        return true
    }

    private mutating func proceed(_ byte: UInt8) -> Bool {
        guard byte >= lowest, byte <= highest else { return false }
        missing &-= 1
        lowest = 0x80
        highest = 0xBF
        return true
    }

    private mutating func begin(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)
        case 0xED: (missing, highest) = (2, 0x9F)
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, highest) = (3, 0x8F)
        default: return false
        }
        return true
    }

    private static func skipASCII(_ base: UnsafeRawPointer, _ count: Int, _ index: inout Int) {
        while index &+ 32 <= count {
            let first = unsafe base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            let second = unsafe base.loadUnaligned(fromByteOffset: index &+ 8, as: UInt64.self)
            let third = unsafe base.loadUnaligned(fromByteOffset: index &+ 16, as: UInt64.self)
            let fourth = unsafe base.loadUnaligned(fromByteOffset: index &+ 24, as: UInt64.self)
            guard (first | second | third | fourth) & 0x8080_8080_8080_8080 == 0 else { break }
            index &+= 32
        }
        while index < count, unsafe base.load(fromByteOffset: index, as: UInt8.self) < 0x80 { index &+= 1 }
    }
}
