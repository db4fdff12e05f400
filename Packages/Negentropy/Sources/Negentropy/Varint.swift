/// Base-128 digits, most significant first, as few as possible; all but the last have the high bit (NIP-77, "Varint").
enum Varint {
    static func append(_ value: UInt64, to bytes: inout [UInt8]) {
        let digits = max(1, (UInt64.bitWidth - value.leadingZeroBitCount + 6) / 7)
        for digit in stride(from: digits - 1, through: 0, by: -1) {
            let low = UInt8(truncatingIfNeeded: value >> UInt64(7 * digit)) & 0x7f
            bytes.append(digit == 0 ? low : low | 0x80)
        }
    }
}
