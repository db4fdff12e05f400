internal import COpenSSL

/// Whether both hold the same bytes, in a time that depends only on their lengths. Different lengths are unequal.
public func constantTimeEquals(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return CRYPTO_memcmp(first, second, left.count) == 0
}

/// Whether both hold the same bytes, in a time that depends only on their lengths. Different lengths are unequal.
public func constantTimeEquals(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.withUnsafeBytes { first in right.withUnsafeBytes { second in constantTimeEquals(first, second) } }
}

/// Whether both hold the same bytes, in a time that depends only on their lengths. Different lengths are unequal.
public func constantTimeEquals(_ left: RawSpan, _ right: RawSpan) -> Bool {
    left.withUnsafeBytes { first in right.withUnsafeBytes { second in constantTimeEquals(first, second) } }
}

/// Overwrites the bytes with zeros by a call that the optimiser cannot remove.
public func zeroise(_ bytes: UnsafeMutableRawBufferPointer) {
    OPENSSL_cleanse(bytes.baseAddress, bytes.count)
}

/// Overwrites the elements with zeros by a call that the optimiser cannot remove. Copies of the array that were made before
/// are other memory and stay as they are.
public func zeroise(_ bytes: inout [UInt8]) {
    bytes.withUnsafeMutableBytes { zeroise($0) }
}
