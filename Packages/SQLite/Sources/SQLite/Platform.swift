#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Calls into the system that have the same name as something else in a place where they are needed.
enum Platform {
    /// A descriptor of a new file of mode 0600, or -1 with `errno`.
    static func createExclusively(_ path: String) -> Int32 {
        open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    }

    /// Waits until the names in a folder are on the disk.
    static func synchroniseFolder(of path: String) {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        let descriptor = open(folder, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}
