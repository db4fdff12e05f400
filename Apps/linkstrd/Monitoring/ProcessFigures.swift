#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What the system knows of this process.
enum ProcessFigures {
    static var identifier: Int64 { Int64(getpid()) }

    /// Bytes that are resident; nil where the system does not say.
    static var residentBytes: Int64? {
        #if os(Linux)
            guard let file = fopen("/proc/self/statm", "r") else { return nil }
            defer { fclose(file) }
            var total = 0
            var resident = 0
            let read = withUnsafeMutablePointer(to: &total) { first in
                withUnsafeMutablePointer(to: &resident) { second in
                    withVaList([first, second]) { vfscanf(file, "%ld %ld", $0) }
                }
            }
            return read == 2 ? Int64(resident) * Int64(sysconf(Int32(_SC_PAGESIZE))) : nil
        #else
            return nil
        #endif
    }

    /// Seconds of processor time so far.
    static var processorSeconds: Double {
        var usage = rusage()
        #if os(Linux)
            guard getrusage(Int32(RUSAGE_SELF.rawValue), &usage) == 0 else { return 0 }
        #else
            guard getrusage(RUSAGE_SELF, &usage) == 0 else { return 0 }
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }

    /// The size of a file in bytes; zero if there is none.
    static func size(ofFile path: String) -> Int64 {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : 0
    }
}
