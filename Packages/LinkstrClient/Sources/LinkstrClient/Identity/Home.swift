#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif
public import NostrCrypto

/// Where everything of a person is kept: one directory that was given, or the places of the XDG base directory
/// specification.
public struct Home: Hashable, Sendable {
    /// Accounts and their databases.
    public let data: String
    /// Settings.
    public let configuration: String
    /// What can be fetched again.
    public let cache: String
    /// The control socket.
    public let runtime: String

    /// - Parameters:
    ///   - directory: All in one place: `LINKSTR_HOME` or `--home`.
    ///   - environment: For `HOME` and the `XDG_` variables.
    ///   - runtimeFolders: Where the system keeps the runtime directory of each user, by number: it stands in for `XDG_RUNTIME_DIR`
    ///     in a shell without that variable, as of cron and sudo.
    /// - Throws: ``IdentityError/noHome``.
    public init(
        directory: String? = nil,
        environment: [String: String],
        runtimeFolders: String = "/run/user"
    ) throws(IdentityError) {
        if let given = directory ?? environment["LINKSTR_HOME"], !given.isEmpty {
            let root = given.count > 1 && given.hasSuffix("/") ? String(given.dropLast()) : given
            data = root
            configuration = root
            cache = root + "/cache"
            runtime = root + "/run"
            return
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else { throw .noHome }
        func place(_ variable: String, _ standard: String) -> String {
            // A relative path in such a variable is invalid and to be ignored.
            let base = environment[variable].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + standard
            return base + "/linkstr"
        }
        data = place("XDG_DATA_HOME", "/.local/share")
        configuration = place("XDG_CONFIG_HOME", "/.config")
        cache = place("XDG_CACHE_HOME", "/.cache")
        let given = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let own = "\(runtimeFolders)/\(geteuid())"
        runtime = (given ?? (Self.isOwnDirectory(own) ? own : nil)).map { $0 + "/linkstr" } ?? data + "/run"
    }

    private static func isOwnDirectory(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
    }

    /// The control socket of the daemon, unless it is told another place.
    public var socket: String { runtime + "/linkstrd.sock" }

    var accounts: String { data + "/accounts" }
    /// The file that holds the key of the chosen account, in hex.
    public var current: String { data + "/current" }
    var lock: String { data + "/lock" }

    /// The directory of one account.
    public func account(_ key: Bytes32) -> String { accounts + "/" + key.hex }

    /// The database of one account.
    public func database(_ key: Bytes32) -> String { account(key) + "/account.db" }
}
