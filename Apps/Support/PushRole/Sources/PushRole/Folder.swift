#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The folder of a database.
enum Folder {
    static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Makes a folder that its owner alone can enter, and those above it. What fails shows when the database is opened.
    static func make(_ path: String) {
        guard mkdir(path, 0o700) != 0, errno == ENOENT, path != "/", path != "." else { return }
        make(parent(of: path))
        mkdir(path, 0o700)
    }
}
