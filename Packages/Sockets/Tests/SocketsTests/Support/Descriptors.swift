import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// How many open sockets of this process have the port at either end.
func socketsTouching(port: UInt16) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
    return names.count { name in
        guard let descriptor = Int32(name) else { return false }
        return [getsockname, getpeername].contains { call in
            var address = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let code = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { call(descriptor, $0, &length) }
            }
            return code == 0 && Int32(address.sin_family) == AF_INET && address.sin_port.bigEndian == port
        }
    }
}

#if os(Linux)
    /// Takes all descriptors that are left below a limit. For a process of its own, which ends where that cannot be done.
    func takeAllDescriptors(below limit: rlim_t) -> [Int32] {
        var limits = rlimit(rlim_cur: limit, rlim_max: limit)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { exit(10) }
        var taken: [Int32] = []
        while true {
            let descriptor = open("/dev/null", O_RDONLY)
            if descriptor < 0 { break }
            taken.append(descriptor)
        }
        guard errno == EMFILE else { exit(11) }
        return taken
    }
#endif
