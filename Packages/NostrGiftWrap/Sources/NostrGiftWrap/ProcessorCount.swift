#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The processors this process may use now.
let processorCount = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
