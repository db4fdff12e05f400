/// The key of an opening handshake and the answer that proves it was read (RFC 6455 section 4.2.2).
struct HandshakeKey: Equatable {
    /// Base64 of 16 bytes.
    let text: String

    /// A key of 16 random bytes.
    init(random: (UInt64, UInt64)) {
        var bytes: [UInt8] = []
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: random.0 >> shift)) }
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: random.1 >> shift)) }
        text = Self.base64(bytes)
    }

    /// A received key; nil when it is not the base64 of 16 bytes.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 24, bytes[22] == UInt8(ascii: "="), bytes[23] == UInt8(ascii: "=") else { return nil }
        guard bytes.prefix(22).allSatisfy({ Self.alphabet.contains($0) }) else { return nil }
        // The last digit carries two bits.
        guard let last = Self.alphabet.firstIndex(of: bytes[21]), last & 0x0F == 0 else { return nil }
        self.text = text
    }

    /// What the server answers in `Sec-WebSocket-Accept`.
    var accept: String {
        Self.base64(SHA1.hash(Array(text.utf8) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    private static func base64(_ bytes: [UInt8]) -> String {
        var output: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            for digit in 0..<4 {
                let isPadding = digit > group.count
                output.append(isPadding ? UInt8(ascii: "=") : alphabet[Int(bits >> UInt32(18 - 6 * digit) & 63)])
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
