internal import COpenSSL

/// HMAC with SHA-256 (RFC 2104) under one key.
///
/// The key is hashed into the two pads once; every code starts from copies of those two states, so a code costs two
/// compressions less than HMAC from the key and allocates nothing. The pads are as secret as the key: they are zeroised
/// when the last copy of this value goes, and the key itself is not kept.
public struct HMACSHA256: Sendable {
    private let pads: SecretBytes

    /// Prepares the key, of any length.
    public init(key: UnsafeRawBufferPointer) {
        pads = SecretBytes(count: MemoryLayout<HMACPads>.size) { memory in
            memory.withMemoryRebound(to: HMACPads.self) { $0.baseAddress.map { HMACPads.prepare($0, key: key) } }
        }
    }

    /// Prepares the key, of any length.
    public init(key: [UInt8]) {
        self = key.withUnsafeBytes { HMACSHA256(key: $0) }
    }

    /// The 32-byte code of `message`.
    public func code(for message: UnsafeRawBufferPointer) -> Bytes32 {
        pads.withUnsafeBytes { pads in
            // Asked for with this size, so the memory is there.
            let pads = pads.assumingMemoryBound(to: HMACPads.self).baseAddress.unsafelyUnwrapped
            return HMACScratch.with { scratch in
                scratch.code(pads, message)
                return scratch.digest
            }
        }
    }

    /// The 32-byte code of `message`.
    public func code(for message: [UInt8]) -> Bytes32 {
        message.withUnsafeBytes { code(for: $0) }
    }

    /// Whether `code` is the code of `message`, compared in constant time.
    public func isValid(_ code: Bytes32, for message: [UInt8]) -> Bool {
        self.code(for: message).withUnsafeBytes { expected in
            code.withUnsafeBytes { constantTimeEquals(expected, $0) }
        }
    }
}
