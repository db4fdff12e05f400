#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The service manager that started this process, if it wants to be told how the process is: the protocol of `sd_notify(3)`, as
/// datagrams to the socket that `NOTIFY_SOCKET` names.
public struct ServiceManager: Sendable {
    /// What the manager is told.
    public enum Message: Sendable, Equatable {
        /// The service has started, or has finished reloading.
        case ready
        /// What it does now, for people.
        case status(String)
        /// It reads its configuration anew.
        case reloading
        /// It is about to end.
        case stopping
        /// It is alive.
        case alive
        /// It needs so much longer for what it does.
        case extend(Duration)

        var text: String {
            switch self {
            case .ready: "READY=1"
            case .status(let text): "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Self.monotonicMicroseconds)"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            case .extend(let time): "EXTEND_TIMEOUT_USEC=\(max(0, time.components.seconds) * 1_000_000)"
            }
        }

        private static var monotonicMicroseconds: Int64 {
            var time = timespec()
            clock_gettime(CLOCK_MONOTONIC, &time)
            return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000
        }
    }

    private let path: String?
    /// How often the manager wants to hear that the service is alive; it is killed after this time of silence. Nil if it does not
    /// watch.
    public let watchdogTime: Duration?

    /// Reads what the manager has left in the environment.
    /// - Parameter environment: The value of a variable.
    public init(environment: (String) -> String?) {
        // An absolute path, or a name of the abstract namespace behind an @.
        path = environment("NOTIFY_SOCKET").flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isForMe = environment("WATCHDOG_PID").map { Int32($0) == getpid() } ?? true
        watchdogTime = environment("WATCHDOG_USEC").flatMap { Int64($0) }
            .flatMap { isForMe && $0 > 0 && $0 < 86_400_000_000_000 ? .microseconds($0) : nil }
    }

    /// Whether somebody listens.
    public var isPresent: Bool { path != nil }

    /// Tells the manager; without one nothing happens.
    /// - Returns: Whether it was handed over.
    @discardableResult
    public func tell(_ messages: Message...) -> Bool {
        guard let path else { return false }
        var address = sockaddr_un()
        var bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        // The length says where a name of the abstract namespace ends.
        let length = socklen_t(MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + socklen_t(bytes.count)
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
            let flags: Int32 = MSG_DONTWAIT
        #else
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
        #endif
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        let text = Array(messages.map(\.text).joined(separator: "\n").utf8)
        let sent = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, text, text.count, flags, $0, length)
            }
        }
        return sent == text.count
    }
}
