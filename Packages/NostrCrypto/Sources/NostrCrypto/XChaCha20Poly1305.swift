/// XChaCha20-Poly1305 (draft-irtf-cfrg-xchacha-03): ChaCha20-Poly1305 whose 24-byte nonce may be drawn at random.
public enum XChaCha20Poly1305: AuthenticatedCipher {
    /// 24 bytes.
    public static let nonceCount = 24

    /// Encrypts `plaintext`: see ``AuthenticatedCipher``.
    public static func seal(
        _ plaintext: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer,
        authenticating context: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8] {
        try withSubkey(key, nonce) { key, nonce throws(CryptoError) in
            try CipherPool.chaCha20Poly1305.seal(plaintext, key: key, nonce: nonce, authenticating: context)
        }
    }

    /// Decrypts what `seal` returned: see ``AuthenticatedCipher``.
    public static func open(
        _ sealed: UnsafeRawBufferPointer,
        key: UnsafeRawBufferPointer,
        nonce: UnsafeRawBufferPointer,
        authenticating context: UnsafeRawBufferPointer
    ) throws(CryptoError) -> [UInt8] {
        try withSubkey(key, nonce) { key, nonce throws(CryptoError) in
            try CipherPool.chaCha20Poly1305.open(sealed, key: key, nonce: nonce, authenticating: context)
        }
    }

    /// Section 2.3: the first 16 bytes of the nonce go into the key, the last 8 into the nonce of the inner cipher.
    private static func withSubkey(
        _ key: UnsafeRawBufferPointer,
        _ nonce: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws(CryptoError) -> [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        let key = try CipherPool.start(of: key, count: keyCount)
        let nonce = try CipherPool.start(of: nonce, count: nonceCount)
        var subkey = hChaCha20(key: key, nonce: nonce)
        defer { withUnsafeMutableBytes(of: &subkey) { zeroise($0) } }
        let innerNonce: (UInt32, UInt32, UInt32) = (
            0, (nonce + 16).loadUnaligned(as: UInt32.self), (nonce + 20).loadUnaligned(as: UInt32.self)
        )
        return try withUnsafeBytes(of: &subkey) { subkey throws(CryptoError) in
            try withUnsafeBytes(of: innerNonce) { innerNonce throws(CryptoError) in
                try body(subkey, innerNonce)
            }
        }
    }

    /// Section 2.2: the ChaCha20 rounds over key and nonce without the final addition; the first and the last row of the
    /// state are the subkey.
    static func hChaCha20(key: UnsafeRawPointer, nonce: UnsafeRawPointer) -> SIMD8<UInt32> {
        func row(_ start: UnsafeRawPointer) -> SIMD4<UInt32> {
            SIMD4(
                UInt32(littleEndian: start.loadUnaligned(as: UInt32.self)),
                UInt32(littleEndian: (start + 4).loadUnaligned(as: UInt32.self)),
                UInt32(littleEndian: (start + 8).loadUnaligned(as: UInt32.self)),
                UInt32(littleEndian: (start + 12).loadUnaligned(as: UInt32.self))
            )
        }
        // "expand 32-byte k"
        var a = SIMD4<UInt32>(0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574)
        var b = row(key)
        var c = row(key + 16)
        var d = row(nonce)
        func rotate(_ row: SIMD4<UInt32>, by bits: UInt32) -> SIMD4<UInt32> {
            row &<< bits | row &>> (32 - bits)
        }
        func quarterRounds() {
            a &+= b
            d = rotate(d ^ a, by: 16)
            c &+= d
            b = rotate(b ^ c, by: 12)
            a &+= b
            d = rotate(d ^ a, by: 8)
            c &+= d
            b = rotate(b ^ c, by: 7)
        }
        for _ in 0..<10 {
            quarterRounds()
            b = SIMD4(b.y, b.z, b.w, b.x)
            c = SIMD4(c.z, c.w, c.x, c.y)
            d = SIMD4(d.w, d.x, d.y, d.z)
            quarterRounds()
            b = SIMD4(b.w, b.x, b.y, b.z)
            c = SIMD4(c.z, c.w, c.x, c.y)
            d = SIMD4(d.y, d.z, d.w, d.x)
        }
        return SIMD8(
            a.x.littleEndian,
            a.y.littleEndian,
            a.z.littleEndian,
            a.w.littleEndian,
            d.x.littleEndian,
            d.y.littleEndian,
            d.z.littleEndian,
            d.w.littleEndian
        )
    }
}
