#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The system's clock.
public enum StoreClock {
    /// Seconds since 1970.
    @Sendable public static func seconds() -> Int64 {
        Int64(time(nil))
    }
}
