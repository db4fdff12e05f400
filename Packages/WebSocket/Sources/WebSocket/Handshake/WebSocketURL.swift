/// A `ws://` or `wss://` URL, taken apart (RFC 6455 section 3).
public struct WebSocketURL: Hashable, Sendable {
    /// Whether the connection is encrypted: `wss`.
    public let isSecure: Bool
    /// A name in lower case, or an IPv4 or IPv6 address without brackets.
    public let host: String
    /// The port; 80 or 443 when the text names none.
    public let port: UInt16
    /// The path and query as they go on the request line; begins with `/`.
    public let target: String

    /// Takes a URL apart.
    ///
    /// - Parameter text: `ws://` or `wss://`, a host, and optionally a port, path and query. User information, fragments,
    ///   white space and characters beyond ASCII are refused.
    /// - Throws: ``WebSocketError/invalidURL(_:)``.
    public init(_ text: String) throws(WebSocketError) {
        guard let url = WebSocketURL(parsing: text) else { throw .invalidURL(text) }
        self = url
    }

    private init?(parsing text: String) {
        guard text.utf8.count <= 4096, text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        guard !text.contains(where: { "#\"<>\\^`{|}".contains($0) }) else { return nil }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        switch text[..<colon].lowercased() {
        case "ws": isSecure = false
        case "wss": isSecure = true
        default: return nil
        }
        let rest = text[text.index(colon, offsetBy: 3)...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        guard !authority.contains("@") else { return nil }
        guard let (host, port) = Self.split(authority) else { return nil }
        self.host = host
        guard let number = port.map({ UInt16($0) }) ?? (isSecure ? 443 : 80), number > 0 else { return nil }
        self.port = number
        let path = rest[authority.endIndex...]
        target = path.hasPrefix("/") ? String(path) : "/" + path
    }

    private static func split(_ authority: Substring) -> (host: String, port: Substring?)? {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return nil }
            let host = authority[authority.index(after: authority.startIndex)..<end]
            let isAddress = host.contains(":") && host.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
            guard isAddress, let port = port(authority[authority.index(after: end)...]) else { return nil }
            return (host.lowercased(), port.isEmpty ? nil : port)
        }
        let host = authority.prefix { $0 != ":" }
        let isName = host.allSatisfy { $0.isLetter || $0.isNumber || "-._~".contains($0) }
        guard !host.isEmpty, host.utf8.count <= 253, isName else { return nil }
        guard let port = port(authority[host.endIndex...]) else { return nil }
        return (host.lowercased(), port.isEmpty ? nil : port)
    }

    /// The digits behind a colon; empty when nothing follows the host, as RFC 3986 allows.
    private static func port(_ text: Substring) -> Substring? {
        guard !text.isEmpty else { return text }
        guard text.hasPrefix(":") else { return nil }
        let digits = text.dropFirst()
        return digits.count <= 5 && digits.allSatisfy(\.isNumber) ? digits : nil
    }

    /// What the `Host` header says: the host, and the port when it is not the scheme's own.
    var hostHeader: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }
}

extension WebSocketURL: CustomStringConvertible {
    /// The URL in its usual form.
    public var description: String {
        (isSecure ? "wss://" : "ws://") + hostHeader + target
    }
}
