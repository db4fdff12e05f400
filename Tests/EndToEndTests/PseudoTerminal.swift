import Foundation

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The master side of a new pseudo terminal. Glibc's module lacks `posix_openpt` and its kin, so on Linux the device is
/// asked itself.
struct PseudoTerminal {
    let descriptor: Int32
    /// The path of the side that a process opens.
    let name: String

    #if canImport(Glibc)
        /// `POSIX_SPAWN_SETSID` of spawn.h.
        static let newSession: Int16 = 0x80
    #else
        static let newSession = Int16(POSIX_SPAWN_SETSID)
    #endif

    init?() {
        #if canImport(Glibc)
            /// `TIOCSPTLCK` and `TIOCGPTN` of asm-generic/ioctls.h.
            let setLock: UInt = 0x4004_5431
            let getNumber: UInt = 0x8004_5430
            let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var unlocked: Int32 = 0
            var number: Int32 = 0
            guard terminal >= 0, ioctl(terminal, setLock, &unlocked) == 0, ioctl(terminal, getNumber, &number) == 0
            else {
                return nil
            }
            name = "/dev/pts/\(number)"
        #else
            let terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard terminal >= 0, grantpt(terminal) == 0, unlockpt(terminal) == 0, let path = ptsname(terminal) else {
                return nil
            }
            name = String(cString: path)
        #endif
        descriptor = terminal
    }
}
