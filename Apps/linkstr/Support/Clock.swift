#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time of this machine.
enum Clock {
    /// Seconds since 1970.
    static var now: Int64 { Int64(time(nil)) }
}
