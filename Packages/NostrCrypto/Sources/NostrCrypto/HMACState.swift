internal import COpenSSL

/// The SHA-256 states after the inner and the outer pad of HMAC.
struct HMACPads: BitwiseCopyable {
    var inner = SHA256_CTX()
    var outer = SHA256_CTX()

    /// Fills `pads` from a key of any length.
    static func prepare(_ pads: UnsafeMutablePointer<HMACPads>, key: UnsafeRawBufferPointer) {
        var block = (UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        withUnsafeMutableBytes(of: &block) { block in
            defer { zeroise(block) }
            if key.count <= block.count {
                block.copyMemory(from: key)
            } else {
                SHA256_Init(&pads.pointee.inner)
                SHA256_Update(&pads.pointee.inner, key.baseAddress, key.count)
                SHA256_Final(block.baseAddress?.assumingMemoryBound(to: UInt8.self), &pads.pointee.inner)
            }
            block.withMemoryRebound(to: UInt64.self) { words in
                for index in words.indices { words[index] ^= 0x3636_3636_3636_3636 }
                SHA256_Init(&pads.pointee.inner)
                SHA256_Update(&pads.pointee.inner, words.baseAddress, 64)
                for index in words.indices { words[index] ^= 0x3636_3636_3636_3636 ^ 0x5c5c_5c5c_5c5c_5c5c }
                SHA256_Init(&pads.pointee.outer)
                SHA256_Update(&pads.pointee.outer, words.baseAddress, 64)
            }
        }
    }
}

/// What computing codes needs. It stays in one place and is zeroised by whoever made it.
///
/// Whole blocks are put together here and go straight to the compression function: for messages as short as digests the
/// buffering of `SHA256_Update` and `SHA256_Final` would cost a third more.
struct HMACScratch: BitwiseCopyable {
    private var running = SHA256_CTX()
    private var block = Block()
    /// The code, after `code`, `finish` or `expand`.
    private(set) var digest = Bytes32.zero

    private struct Block: BitwiseCopyable {
        var first = Bytes32.zero
        var second = Bytes32.zero
    }

    static func with<Result>(_ body: (inout HMACScratch) -> Result) -> Result {
        var scratch = HMACScratch()
        defer { withUnsafeMutableBytes(of: &scratch) { zeroise($0) } }
        return body(&scratch)
    }

    mutating func code(_ pads: UnsafePointer<HMACPads>, _ message: UnsafeRawBufferPointer) {
        start(pads)
        update(message)
        finish(pads)
    }

    mutating func start(_ pads: UnsafePointer<HMACPads>) {
        running = pads.pointee.inner
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        SHA256_Update(&running, start, bytes.count)
    }

    mutating func update(_ byte: UInt8) {
        var byte = byte
        SHA256_Update(&running, &byte, 1)
    }

    /// Takes the code that the last message had.
    mutating func updateWithDigest() {
        SHA256_Update(&running, &digest, 32)
    }

    mutating func finish(_ pads: UnsafePointer<HMACPads>) {
        withUnsafeMutableBytes(of: &digest) { _ = SHA256_Final($0.bound, &running) }
        finishOuter(pads)
    }

    /// HKDF-expand of 32 bytes of info: hands out the digest of each of `count` rounds.
    mutating func expand(
        _ pads: UnsafePointer<HMACPads>,
        info: Bytes32,
        rounds: UInt8,
        _ take: (UInt8, Bytes32) -> Void
    ) {
        for round in 1...rounds {
            running.h = pads.pointee.inner.h
            if round == 1 {
                block = Block(first: info, second: Bytes32(opening: 0x8000 | UInt64(round), closing: 33))
            } else {
                block = Block(first: digest, second: info)
                HMACScratch.compress(&running, &block)
                block = Block(first: Bytes32(opening: 0x8000 | UInt64(round)), second: Bytes32(closing: 65))
            }
            HMACScratch.compress(&running, &block)
            digest = running.digest
            finishOuter(pads)
            take(round, digest)
        }
    }

    /// The hash of the outer pad and `digest`.
    private mutating func finishOuter(_ pads: UnsafePointer<HMACPads>) {
        running.h = pads.pointee.outer.h
        block = Block(first: digest, second: Bytes32(opening: 0x80, closing: 32))
        HMACScratch.compress(&running, &block)
        digest = running.digest
    }

    private static func compress(_ state: inout SHA256_CTX, _ block: inout Block) {
        withUnsafeBytes(of: &block) { SHA256_Transform(&state, $0.bound) }
    }
}

extension Bytes32 {
    /// Half of a last block (FIPS 180-4 section 5.1.1): it begins with the bytes of `opening`, the lowest first, in which
    /// 0x80 marks the end of the message, and ends with the length in bits of a pad and `count` bytes, if given.
    fileprivate init(opening: UInt64 = 0, closing count: UInt64? = nil) {
        self.init(words: opening.littleEndian, 0, 0, count.map { ((64 + $0) * 8).bigEndian } ?? 0)
    }
}

extension SHA256_CTX {
    /// The state as the digest it is after the last block.
    fileprivate var digest: Bytes32 {
        func word(_ high: UInt32, _ low: UInt32) -> UInt64 { (UInt64(high) << 32 | UInt64(low)).bigEndian }
        return Bytes32(words: word(h.0, h.1), word(h.2, h.3), word(h.4, h.5), word(h.6, h.7))
    }
}
