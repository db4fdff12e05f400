#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif

/// The time, which tests hold.
public struct PushClock: Sendable {
    /// Milliseconds since 1970.
    public let milliseconds: @Sendable () -> Int64

    /// A clock that returns milliseconds since 1970.
    public init(milliseconds: @escaping @Sendable () -> Int64) {
        self.milliseconds = milliseconds
    }

    /// The system's clock.
    public static let system = PushClock {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

extension Duration {
    /// Whole milliseconds.
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds.multipliedReportingOverflow(by: 1000).overflow
            ? .max : seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}

/// Where a gateway writes what an operator should know: whole sentences, without tokens, sessions or payloads.
public struct PushLog: Sendable {
    /// Writes one line.
    public let write: @Sendable (String) -> Void

    /// A log that writes lines with `write`.
    public init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// Writes nothing.
    public static let none = PushLog { _ in }
}
