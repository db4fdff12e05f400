internal import COpenSSL

/// HKDF with SHA-256 (RFC 5869).
public enum HKDF {
    /// The longest output, 255 digests (RFC 5869 section 2.3), in bytes.
    public static let maximumOutput = 255 * SHA256.byteCount

    /// Section 2.2: a 32-byte pseudorandom key from key material. It is as secret as what it was made from.
    public static func extract(inputKeyMaterial: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer) -> Bytes32 {
        HMACSHA256(key: salt).code(for: inputKeyMaterial)
    }

    /// Section 2.2: a 32-byte pseudorandom key from key material. It is as secret as what it was made from.
    public static func extract(inputKeyMaterial: [UInt8], salt: [UInt8]) -> Bytes32 {
        HMACSHA256(key: salt).code(for: inputKeyMaterial)
    }

    /// Section 2.3: `count` bytes for the purpose that `info` names.
    ///
    /// - Throws: ``CryptoError/invalidOutputLength(_:)`` when `count` is not 1...8160.
    public static func expand(
        pseudorandomKey: [UInt8],
        info: [UInt8],
        count: Int
    ) throws(CryptoError) -> [UInt8] {
        guard (1...maximumOutput).contains(count) else { throw .invalidOutputLength(count) }
        return [UInt8](unsafeUninitializedCapacity: count) { output, filled in
            var pads = HMACPads()
            defer { withUnsafeMutableBytes(of: &pads) { zeroise($0) } }
            pseudorandomKey.withUnsafeBytes { HMACPads.prepare(&pads, key: $0) }
            info.withUnsafeBytes { info in
                HMACScratch.with { scratch in
                    expand(
                        &pads,
                        info: info,
                        into: UnsafeMutableRawBufferPointer(start: output.baseAddress, count: count),
                        &scratch
                    )
                }
            }
            filled = count
        }
    }

    /// The same from prepared pads, allocating nothing. `output` is at most `maximumOutput` bytes.
    static func expand(
        _ pads: UnsafePointer<HMACPads>,
        info: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer,
        _ scratch: inout HMACScratch
    ) {
        var filled = 0
        var counter: UInt8 = 0
        while filled < output.count {
            scratch.start(pads)
            if counter > 0 { scratch.updateWithDigest() }
            counter &+= 1
            scratch.update(info)
            scratch.update(counter)
            scratch.finish(pads)
            let share = min(SHA256.byteCount, output.count - filled)
            withUnsafeBytes(of: scratch.digest) { digest in
                UnsafeMutableRawBufferPointer(rebasing: output[filled..<filled + share])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: digest[..<share]))
            }
            filled += share
        }
    }
}
