/// SipHash-2-4 (Aumasson, Bernstein 2012): a short hash that only who knows the key can predict.
///
/// With it nobody can make events whose index keys collide.
struct SipHash {
    private var v0: UInt64
    private var v1: UInt64
    private var v2: UInt64
    private var v3: UInt64
    private var word: UInt64 = 0
    private var count: UInt64 = 0

    init(key0: UInt64, key1: UInt64) {
        v0 = key0 ^ 0x736f_6d65_7073_6575
        v1 = key1 ^ 0x646f_7261_6e64_6f6d
        v2 = key0 ^ 0x6c79_6765_6e65_7261
        v3 = key1 ^ 0x7465_6462_7974_6573
    }

    mutating func update(_ byte: UInt8) {
        word |= UInt64(byte) << ((count & 7) &* 8)
        count &+= 1
        if count & 7 == 0 { absorb() }
    }

    mutating func update(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { update(byte) }
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var offset = 0
        if count & 7 == 0 {
            while offset + 8 <= bytes.count {
                word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                count &+= 8
                absorb()
                offset += 8
            }
        }
        for byte in bytes[offset...] { update(byte) }
    }

    mutating func finalize() -> UInt64 {
        word |= count << 56
        absorb()
        v2 ^= 0xff
        for _ in 0..<4 { round() }
        return v0 ^ v1 ^ v2 ^ v3
    }

    private mutating func absorb() {
        v3 ^= word
        round()
        round()
        v0 ^= word
        word = 0
    }

    @inline(__always)
    private mutating func round() {
        v0 = v0 &+ v1
        v1 = rotated(v1, 13) ^ v0
        v0 = rotated(v0, 32)
        v2 = v2 &+ v3
        v3 = rotated(v3, 16) ^ v2
        v0 = v0 &+ v3
        v3 = rotated(v3, 21) ^ v0
        v2 = v2 &+ v1
        v1 = rotated(v1, 17) ^ v2
        v2 = rotated(v2, 32)
    }

    @inline(__always)
    private func rotated(_ value: UInt64, _ bits: UInt64) -> UInt64 {
        value << bits | value >> (64 - bits)
    }
}
