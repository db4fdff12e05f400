import CommandKit
import LinkstrClient
import SQLite

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where the relay's database is.
enum RelayPlace {
    static let database = Option(
        "database",
        .file,
        "The event database; relay.db in the data directory if it is left out"
    )
    static let inMemory = Flag("in-memory", "Keep events in memory only, until the relay ends")

    static func location(_ call: Invocation) throws -> Location {
        if call[inMemory] {
            guard call[database] == nil else {
                throw CommandFailure(.usage, "--in-memory and --database exclude each other")
            }
            return .memory
        }
        if let path = call[database] { return .file(path) }
        var environment: [String: String] = [:]
        for name in ["HOME", "XDG_DATA_HOME"] { environment[name] = Environment.value(name) }
        let folder: String
        do {
            folder = try Home(directory: call[GlobalOptions.home], environment: environment).data
        } catch {
            throw CommandFailure(.configuration, "there is no home directory; name a file with --database")
        }
        try makeFolder(folder)
        return .file(folder + "/relay.db")
    }

    /// Makes a folder and those above it, for the owner alone.
    private static func makeFolder(_ path: String) throws(CommandFailure) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            try makeFolder(String(path[..<slash]))
            if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
        }
        throw CommandFailure(.cannotWrite, "the directory \(path) cannot be made")
    }
}
