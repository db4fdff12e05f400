import COpenSSL

/// HMAC by the best calls there are: SHA-256 states kept after the pads.
struct RawHMAC {
    private var inner = SHA256_CTX()
    private var outer = SHA256_CTX()

    init(key: UnsafeRawPointer, count: Int) {
        var pad = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        withUnsafeMutableBytes(of: &pad) { pad in
            pad.baseAddress!.copyMemory(from: key, byteCount: count)
            let words = pad.bindMemory(to: UInt64.self)
            for index in 0..<8 { words[index] ^= 0x3636_3636_3636_3636 }
            SHA256_Init(&inner)
            SHA256_Update(&inner, words.baseAddress, 64)
            for index in 0..<8 { words[index] ^= 0x6a6a_6a6a_6a6a_6a6a }
            SHA256_Init(&outer)
            SHA256_Update(&outer, words.baseAddress, 64)
        }
    }

    /// `output` has 32 bytes. The message is two pieces and a byte.
    func code(
        _ first: UnsafeRawPointer?,
        _ firstCount: Int,
        _ second: UnsafeRawPointer? = nil,
        _ secondCount: Int = 0,
        _ last: UInt8? = nil,
        into output: UnsafeMutablePointer<UInt8>
    ) {
        var state = inner
        if let first { SHA256_Update(&state, first, firstCount) }
        if let second { SHA256_Update(&state, second, secondCount) }
        if var last { SHA256_Update(&state, &last, 1) }
        SHA256_Final(output, &state)
        state = outer
        SHA256_Update(&state, output, 32)
        SHA256_Final(output, &state)
    }

    /// HKDF-expand of a 32-byte info to 96 bytes, of which NIP-44 uses 76.
    func expand(_ info: UnsafeRawPointer, into output: UnsafeMutablePointer<UInt8>) {
        code(info, 32, nil, 0, 1, into: output)
        code(output, 32, info, 32, 2, into: output + 32)
        code(output + 32, 32, info, 32, 3, into: output + 64)
    }
}
