/// Bytes that must not leak: kept in memory that is locked against swapping where the system allows it, left out of core
/// dumps, and overwritten with zeros when the last reference goes. Printing, dumping and reflecting show nothing of them,
/// and comparison takes the same time wherever they differ.
///
/// They are written once, while the value is made, and never change.
public final class SecretBytes: @unchecked Sendable {
    // Unchecked because of the pointer in the block: its memory is written only before `init` returns and, zeroed, in
    // `deinit`, when nobody else can reach it. In between it is only read.
    private let block: LockedMemory.Block

    /// How many bytes there are.
    public let count: Int

    /// Makes `count` bytes that `body` writes; they are zero when it is called.
    public init<Failure>(
        count: Int,
        initializingWith body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        block = LockedMemory.allocate(count)
        self.count = count
        try body(UnsafeMutableRawBufferPointer(start: block.base, count: count))
    }

    /// Copies bytes. The caller's copy stays what it is: see `zeroise`.
    public convenience init(_ bytes: some Collection<UInt8>) {
        self.init(count: bytes.count) { $0.copyBytes(from: bytes) }
    }

    deinit {
        LockedMemory.free(block)
    }

    /// Whether the system agreed to keep these bytes out of swap. It refuses beyond `RLIMIT_MEMLOCK`.
    public var isLocked: Bool { block.isLocked }

    /// Calls `body` with the bytes, which are valid only during the call. Do not let it copy them into ordinary memory.
    public func withUnsafeBytes<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The optimiser may release an object after its last use, and the pointer does not count as one.
        defer { withExtendedLifetime(self) {} }
        return try body(UnsafeRawBufferPointer(start: block.base, count: count))
    }
}

extension SecretBytes: Equatable {
    /// Compares in a time that depends only on the lengths.
    public static func == (left: SecretBytes, right: SecretBytes) -> Bool {
        left.withUnsafeBytes { first in right.withUnsafeBytes { second in constantTimeEquals(first, second) } }
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "SecretBytes(redacted)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
