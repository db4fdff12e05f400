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

    /// What is said of a text that is none.
    public static let spelling = "is not of the form 127.0.0.1:7447, [::1]:7447 or unix:PATH"
}

extension Conversion where Value == SocketAddress {
    /// `127.0.0.1:7447`, `[::1]:7447`, `localhost:7447`, or `unix:PATH`.
    public static var socketAddress: Conversion {
        Conversion("HOST:PORT") { text in
            guard let address = SocketAddress(text: text) else {
                throw CommandFailure(.usage, "the address " + SocketAddress.spelling)
            }
            return address
        }
    }
}
