#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The sockets that a service manager has opened for this process, after `sd_listen_fds(3)`: descriptors from 3 on, as many as
/// `LISTEN_FDS` says, with the names of `LISTEN_FDNAMES`.
public struct ActivatedSockets: Sendable {
    /// One of them.
    public struct Socket: Sendable, Equatable {
        /// `FileDescriptorName=` of the socket unit; `unknown` where it has none.
        public let name: String
        /// The descriptor, which is not inherited by children from now on.
        public let descriptor: Int32
    }

    /// In the order in which they were given.
    public let all: [Socket]

    /// The most that are taken.
    private static let limit = 64

    /// Reads what the manager has left in the environment; variables that are meant for another process are ignored.
    /// - Parameter environment: The value of a variable.
    public init(environment: (String) -> String?) {
        guard environment("LISTEN_PID").flatMap({ Int32($0) }) == getpid(),
            let count = environment("LISTEN_FDS").flatMap({ Int($0) }), (1...Self.limit).contains(count)
        else {
            all = []
            return
        }
        let names = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
        all = (0..<count).compactMap { index in
            let descriptor = Int32(3 + index)
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { return nil }
            let name = index < names.count && !names[index].isEmpty ? String(names[index]) : "unknown"
            return Socket(name: name, descriptor: descriptor)
        }
    }

    /// The descriptor of a name; nil if there is none.
    public func descriptor(named name: String) -> Int32? {
        all.first { $0.name == name }?.descriptor
    }
}
