#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Where random bytes come from. Code that needs randomness takes one as a parameter with ``system`` as the default, so that
/// a test can decide what it gets.
public struct RandomSource: Sendable {
    private let filling: @Sendable (UnsafeMutableRawBufferPointer) -> Void

    /// A source that fills the buffers it is given by `fill`.
    public init(_ fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) {
        filling = fill
    }

    /// The operating system's generator: `getentropy` on Linux, `arc4random_buf` on Apple systems. It cannot fail once the
    /// machine has started; where it does, the process ends rather than go on with predictable keys.
    public static let system = RandomSource { SecureRandom.fill($0) }

    /// Fills the whole buffer.
    public func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        filling(buffer)
    }

    /// `count` bytes. For keys use ``SecretKey/generate(random:)``, which leaves no copy in ordinary memory.
    public func bytes(_ count: Int) -> [UInt8] {
        // For no elements this initialiser would write a count of zero to the empty array that all threads share.
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            filling(UnsafeMutableRawBufferPointer(buffer))
            initialized = count
        }
    }

    /// 32 bytes.
    public func bytes32() -> Bytes32 {
        var value = Bytes32.zero
        withUnsafeMutableBytes(of: &value) { filling($0) }
        return value
    }
}

/// Random bytes from the operating system.
public enum SecureRandom {
    /// `count` bytes.
    public static func bytes(_ count: Int) -> [UInt8] {
        RandomSource.system.bytes(count)
    }

    /// 32 bytes.
    public static func bytes32() -> Bytes32 {
        RandomSource.system.bytes32()
    }

    /// Fills the whole buffer.
    public static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let base = buffer.baseAddress else { return }
        #if canImport(Darwin)
            arc4random_buf(base, buffer.count)
        #else
            // One call gives 256 bytes at most.
            var filled = 0
            while filled < buffer.count {
                let count = min(256, buffer.count - filled)
                guard getentropy(base + filled, count) == 0 else {
                    fatalError("the operating system gives no random bytes (getentropy: errno \(errno))")
                }
                filled += count
            }
        #endif
    }
}
