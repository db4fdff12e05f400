#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import NostrCrypto

/// Files that only their owner may touch: mode 0600 in directories of mode 0700, replaced as a whole or not at all.
enum PrivateFile {
    /// Longer files are no secrets of ours.
    static let maximumSize = 64 * 1024

    /// Reads a file after checking that nobody else can: no link, own file, no permission for others.
    static func read(_ path: String) throws(IdentityError) -> SecretBytes {
        // A pipe in its place must not make anybody wait for a writer.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { throw failure("read", path) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure("read", path) }
        try check(status, path)
        guard (status.st_mode & S_IFMT) == S_IFREG, status.st_size <= maximumSize else { throw .malformed(path: path) }
        let size = Int(status.st_size)
        var count = 0
        let bytes = SecretBytes(count: size) { buffer in
            while count < size {
                let got = Self.readSome(file, UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                guard got > 0 else { return }
                count += got
            }
        }
        guard count == size else { throw .malformed(path: path) }
        return bytes
    }

    /// Writes a file beside its place and moves it there once it is on the disk: a crash leaves the old or the new one.
    static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws(IdentityError) {
        let directory = parent(of: path)
        let draft = path + ".new"
        unlink(draft)
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { throw failure("write", draft) }
        var isWritten = writeAll(bytes, to: file)
        isWritten = isWritten && fchmod(file, 0o600) == 0 && fsync(file) == 0
        let problem = errno
        isWritten = close(file) == 0 && isWritten
        guard isWritten, rename(draft, path) == 0 else {
            let number = isWritten ? errno : problem
            unlink(draft)
            throw .system(operation: "write", path: path, errno: number)
        }
        try sync(directory)
    }

    static func write(_ text: String, to path: String) throws(IdentityError) {
        var text = text
        let result = text.withUTF8 { bytes in
            Result { () throws(IdentityError) in try write(UnsafeRawBufferPointer(bytes), to: path) }
        }
        try result.get()
    }

    static func write(_ bytes: [UInt8], to path: String) throws(IdentityError) {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(IdentityError) in try write(bytes, to: path) }
        }
        try result.get()
    }

    /// Makes a directory and those above it; the last one is of mode 0700, and one that is there must be.
    static func makeDirectory(_ path: String) throws(IdentityError) {
        if mkdir(path, 0o700) == 0 { return }
        if errno == ENOENT, path.contains("/") {
            let above = parent(of: path)
            guard above != path else { throw failure("make", path) }
            try makeDirectory(above)
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure("make", path) }
            return
        }
        guard errno == EEXIST else { throw failure("make", path) }
        var status = stat()
        guard lstat(path, &status) == 0 else { throw failure("read", path) }
        guard (status.st_mode & S_IFMT) == S_IFDIR else { throw .malformed(path: path) }
    }

    /// Refuses a directory that others can look into.
    static func checkDirectory(_ path: String) throws(IdentityError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw failure("read", path) }
        guard (status.st_mode & S_IFMT) == S_IFDIR else { throw .malformed(path: path) }
        try check(status, path)
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// The names in a directory, ascending; none if it is not there.
    static func names(in path: String) throws(IdentityError) -> [String] {
        guard let directory = opendir(path) else {
            if errno == ENOENT { return [] }
            throw failure("read", path)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a file or a directory with all that is in it. Links are removed, not followed.
    static func remove(_ path: String) throws(IdentityError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw failure("remove", path)
        }
        if (status.st_mode & S_IFMT) == S_IFDIR {
            for name in try names(in: path) { try remove(path + "/" + name) }
            guard rmdir(path) == 0 else { throw failure("remove", path) }
        } else {
            guard unlink(path) == 0 else { throw failure("remove", path) }
        }
    }

    static func failure(_ operation: String, _ path: String) -> IdentityError {
        .system(operation: operation, path: path, errno: errno)
    }

    private static func check(_ status: stat, _ path: String) throws(IdentityError) {
        guard status.st_uid == geteuid() else { throw .notOwned(path: path) }
        let mode = UInt32(status.st_mode) & 0o777
        guard mode & 0o077 == 0 else { throw .exposed(path: path, mode: mode) }
    }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func sync(_ directory: String) throws(IdentityError) {
        let file = open(directory, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard file >= 0 else { throw failure("write", directory) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw failure("write", directory) }
    }

    private static func readSome(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            let count = Self.systemRead(file, buffer)
            if count >= 0 || errno != EINTR { return count }
        }
    }

    private static func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.read(file, buffer.baseAddress, buffer.count)
        #elseif canImport(Musl)
            Musl.read(file, buffer.baseAddress, buffer.count)
        #else
            Darwin.read(file, buffer.baseAddress, buffer.count)
        #endif
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            #if canImport(Glibc)
                let count = Glibc.write(file, rest.baseAddress, rest.count)
            #elseif canImport(Musl)
                let count = Musl.write(file, rest.baseAddress, rest.count)
            #else
                let count = Darwin.write(file, rest.baseAddress, rest.count)
            #endif
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return true
    }
}
