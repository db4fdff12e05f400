#if canImport(Darwin)
    public import Darwin
#elseif canImport(Glibc)
    public import Glibc
#elseif canImport(Musl)
    public import Musl
#endif

/// A value that one thread at a time may use.
///
/// ```swift
/// let seen = Locked<Set<Int>>([])
/// let isNew = seen.withLock { $0.insert(7).inserted }
/// ```
///
/// It is the system's mutex, because the thread sanitiser does not know that of the Synchronization module on Linux and would
/// report each use as a race. Hold it for memory only: no wait, no I/O, no other lock inside.
///
/// `@unchecked Sendable` because of the pointer and the variable: the variable is only touched between lock and unlock, and the
/// pointer never changes.
@safe
public final class Locked<Value>: @unchecked Sendable {
    @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var value: Value

    /// Puts a value behind a lock of its own.
    public init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Lends the value to `body`, and to nobody else meanwhile. Taking the same lock inside waits for ever.
    /// - Throws: What `body` throws.
    @inlinable
    public func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }

    /// Lends the value to `body` if nobody has it, without waiting; nil if somebody has.
    /// - Throws: What `body` throws.
    @inlinable
    public func withLockIfAvailable<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard unsafe pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
