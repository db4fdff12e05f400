#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension PushClient {
    /// The system's clock, in seconds since 1970.
    public static let systemTime: @Sendable () -> Int64 = { Int64(time(nil)) }
}
