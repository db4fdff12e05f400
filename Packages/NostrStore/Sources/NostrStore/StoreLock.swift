import SQLite

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Keeps a second store off the same file: keys in the memory of one would be unknown to the other.
///
/// The system releases the lock when the process ends, however it ends.
final class StoreLock: Sendable {
    private let descriptor: Int32

    init(_ path: String) throws(StoreError) {
        let file = path + "-lock"
        let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? .database(.notFound(path: path)) : .database(.permissionDenied(path: path))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse(path: path)
        }
        self.descriptor = descriptor
    }

    deinit {
        // Closing alone would leave the lock with a child process that was forked and has not yet called exec.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
