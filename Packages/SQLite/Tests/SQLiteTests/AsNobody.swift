#if os(Linux)
    import Foundation
    import Glibc

    /// Runs code without root's right to open every file. The file system identity is one of the thread, so nothing else in
    /// the process is affected.
    enum AsNobody {
        static func run<R>(_ body: () -> R) -> R? {
            guard geteuid() == 0, let symbol = dlsym(nil, "setfsuid") else { return nil }
            let become = unsafeBitCast(symbol, to: (@convention(c) (uid_t) -> CInt).self)
            _ = become(65_534)
            defer { _ = become(0) }
            return body()
        }
    }
#endif
