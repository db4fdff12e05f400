#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
import NostrCrypto

/// Thumbnails on this device, for all accounts: files named by the hash of their address, the least recently used removed first.
struct ThumbnailCache: Sendable {
    let directory: String
    /// Bytes in all.
    static let capacity: Int64 = 1 << 30

    init(_ home: Home) {
        directory = home.cache + "/thumbnails"
    }

    /// The file of a picture; nil where it is not here.
    func file(of address: String) -> String? {
        let path = path(of: address)
        guard PrivateFile.exists(path) else { return nil }
        // The time of use decides what is removed first.
        utimensat(AT_FDCWD, path, nil, 0)
        return path
    }

    /// Keeps a picture.
    /// - Returns: Its file.
    func keep(_ bytes: [UInt8], of address: String) throws(IdentityError) -> String {
        try PrivateFile.makeDirectory(directory)
        let path = path(of: address)
        try PrivateFile.write(bytes, to: path)
        try trim()
        return path
    }

    /// What is here: files and bytes.
    func usage() throws(IdentityError) -> (files: Int, bytes: Int64) {
        let files = try entries()
        return (files.count, files.reduce(0) { $0 + $1.size })
    }

    /// Removes files of pictures. What is outside the cache is never touched.
    func remove(_ addresses: some Sequence<String>) throws(IdentityError) {
        for address in addresses { try PrivateFile.remove(path(of: address)) }
    }

    private func path(of address: String) -> String {
        directory + "/" + SHA256.hash(Array(address.utf8)).hex
    }

    private func trim() throws(IdentityError) {
        let files = try entries()
        var left = files.reduce(0) { $0 + $1.size }
        guard left > Self.capacity else { return }
        for file in files.sorted(by: { $0.usedAt < $1.usedAt }) {
            guard left > Self.capacity * 9 / 10 else { return }
            try PrivateFile.remove(file.path)
            left -= file.size
        }
    }

    private func entries() throws(IdentityError) -> [(path: String, size: Int64, usedAt: Int)] {
        var found: [(path: String, size: Int64, usedAt: Int)] = []
        for name in try PrivateFile.names(in: directory) where name.utf8.count == 64 {
            var status = stat()
            let path = directory + "/" + name
            guard lstat(path, &status) == 0, (status.st_mode & S_IFMT) == S_IFREG else { continue }
            #if canImport(Darwin)
                let used = status.st_mtimespec.tv_sec
            #else
                let used = status.st_mtim.tv_sec
            #endif
            found.append((path, Int64(status.st_size), used))
        }
        return found
    }
}
