import NostrEvents

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What a daemon says of itself before anything else.
public struct ControlHello: Equatable, Sendable {
    /// The version of the protocol that this package speaks. It changes when a client of the one before would be wrong.
    public static let version: Int64 = 1
    /// The request that is answered with it.
    static let method = "hello"

    /// The version of the protocol.
    public var version = Self.version
    /// The home that the daemon works on, as a path.
    public var home: String
    /// The process.
    public var process: Int64
    /// The version of the program.
    public var program: String

    /// What a daemon says of itself.
    /// - Parameters:
    ///   - home: The home that it works on; links are followed, so that one home has one name.
    ///   - process: Its process.
    ///   - program: The version of the program.
    public init(home: String, process: Int64, program: String) {
        self.home = Self.canonical(home)
        self.process = process
        self.program = program
    }

    /// The one name of a directory, with links followed; as it is where there is no such directory.
    static func canonical(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    init(_ json: RawJSON) throws(ControlError) {
        guard let object = (try? json.value())?.object, let version = object["protocol"]?.integer else {
            throw .malformed("it names no version of the protocol")
        }
        // What else there is belongs to the version.
        guard version == Self.version else { throw .otherProtocol(version) }
        guard let home = object["home"]?.string, let process = object["pid"]?.integer,
            let program = object["version"]?.string
        else { throw .malformed("it does not say what it works on") }
        self.init(home: home, process: process, program: program)
    }

    var json: RawJSON {
        RawJSON([
            "protocol": .integer(version), "home": .string(home), "pid": .integer(process), "version": .string(program),
        ])
    }
}
