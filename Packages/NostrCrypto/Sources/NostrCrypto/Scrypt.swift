internal import COpenSSL

/// The scrypt password hash (RFC 7914) with a ceiling on its memory.
public enum Scrypt {
    /// Derives `count` bytes from a password.
    ///
    /// - Parameters:
    ///   - password: any bytes.
    ///   - salt: any bytes.
    ///   - logN: the base-2 logarithm of the cost, 1...63; each step doubles time and memory.
    ///   - blockSize: `r` of the RFC; 1...1024.
    ///   - parallelism: `p` of the RFC; 1...1024.
    ///   - count: bytes wanted, 1...1024.
    ///   - memoryCeiling: what the derivation may use, in bytes. It needs about `128 * blockSize * 2^logN`.
    /// - Throws: ``CryptoError/memoryCeilingExceeded(ceiling:)``, or ``CryptoError/invalidScryptParameter`` outside these ranges.
    public static func derive(
        password: UnsafeRawBufferPointer,
        salt: [UInt8],
        logN: Int,
        blockSize: Int = 8,
        parallelism: Int = 1,
        count: Int = 32,
        memoryCeiling: Int
    ) throws(CryptoError) -> SecretBytes {
        guard (1...63).contains(logN), (1...1024).contains(blockSize), (1...1024).contains(parallelism),
            (1...1024).contains(count)
        else { throw .invalidScryptParameter }
        guard let needed = memoryNeeded(logN: logN, blockSize: blockSize, parallelism: parallelism),
            needed <= memoryCeiling
        else { throw .memoryCeilingExceeded(ceiling: memoryCeiling) }
        var derived = true
        let key = SecretBytes(count: count) { output in
            derived =
                salt.withUnsafeBytes { salt in
                    EVP_PBE_scrypt(
                        password.baseAddress?.assumingMemoryBound(to: CChar.self),
                        password.count,
                        salt.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        salt.count,
                        UInt64(1) << UInt64(logN),
                        UInt64(blockSize),
                        UInt64(parallelism),
                        UInt64(needed),
                        output.baseAddress?.assumingMemoryBound(to: UInt8.self),
                        output.count
                    )
                } == 1
        }
        guard derived else { throw .libraryFailure }
        return key
    }

    /// The same from a password in an array.
    public static func derive(
        password: [UInt8],
        salt: [UInt8],
        logN: Int,
        blockSize: Int = 8,
        parallelism: Int = 1,
        count: Int = 32,
        memoryCeiling: Int
    ) throws(CryptoError) -> SecretBytes {
        try password.span.bytes.withUnsafeBytes { password throws(CryptoError) in
            try derive(
                password: password,
                salt: salt,
                logN: logN,
                blockSize: blockSize,
                parallelism: parallelism,
                count: count,
                memoryCeiling: memoryCeiling
            )
        }
    }

    /// Bytes that a derivation works in: the table, two blocks beside it, and one block for each lane. Nil when
    /// an `Int` cannot hold it.
    private static func memoryNeeded(logN: Int, blockSize: Int, parallelism: Int) -> Int? {
        guard logN < 40 else { return nil }
        return 128 * blockSize * ((1 << logN) + 2 + parallelism)
    }
}
