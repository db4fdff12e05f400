#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif
public import CommandKit
public import Sockets

extension SocketAddress {
    /// An address as people write it: `127.0.0.1:7447`, `[::1]:7447`, `localhost:7447`, or `unix:PATH`; nil for anything else.
    public init?(text: String) {
        if text.hasPrefix("unix:") {
            guard text.utf8.count > 5 else { return nil }
            self = .unix(path: String(text.dropFirst(5)))
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        if host == "localhost" {
            self = .ip(.loopback4, port: port)
        } else if let address = IPAddress(host) {
            self = .ip(address, port: port)
        } else {
            return nil
        }
    }

    /// The address as ``init(text:)`` reads it.
    public var text: String {
        if case .unix(let path) = self { "unix:" + path } else { description }
    }

    /// What is wrong with the path of a Unix socket, behind its name: the system keeps it in a field of fixed size. Nil if nothing is.
    public static func problem(withPath path: String) -> String? {
        let longest = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
        guard !path.isEmpty, !path.utf8.contains(0) else { return "is no path of a socket" }
        guard path.utf8.count > longest else { return nil }
        return "has \(path.utf8.count) bytes, and the path of a socket can have \(longest)"
    }

    /// What is wrong with a text that should be an address, behind its name; nil if nothing is.
    public static func problem(withText text: String) -> String? {
        switch SocketAddress(text: text) {
        case nil: spelling
        case .unix(let path): problem(withPath: path)
        case .ip: nil
        }
    }

    /// What is said of a text that is none.
    public static let spelling = "is not of the form 127.0.0.1:7447, [::1]:7447 or unix:PATH"
}

extension Conversion where Value == SocketAddress {
    /// `127.0.0.1:7447`, `[::1]:7447`, `localhost:7447`, or `unix:PATH`.
    public static var socketAddress: Conversion {
        Conversion("HOST:PORT") { text in
            guard let address = SocketAddress(text: text), SocketAddress.problem(withText: text) == nil else {
                let problem = SocketAddress.problem(withText: text) ?? SocketAddress.spelling
                throw CommandFailure(.usage, "the address " + problem)
            }
            return address
        }
    }
}
