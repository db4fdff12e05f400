/// An `http`, `https`, `ws` or `wss` URL (RFC 3986), taken apart. No user names, no fragment; international host names
/// in their ASCII form (`xn--`) only.
public struct HTTPURL: Sendable, Hashable, CustomStringConvertible {
    /// What stands before `://`.
    public enum Scheme: String, Sendable {
        /// HTTP or WebSocket, plain or over TLS.
        case http, https, ws, wss
    }

    /// How the host is spoken to.
    public let scheme: Scheme
    /// A name in lower case, or an IP address without brackets.
    public let host: String
    /// The port, the scheme's own (80 or 443) when the text names none.
    public let port: UInt16
    /// The path with the query; begins with `/`. What a URL cannot hold is percent-encoded, and nothing is decoded.
    public let target: String

    /// Whether TLS is used.
    public var isSecure: Bool { scheme == .https || scheme == .wss }

    private static let longest = 8192

    /// - Throws: ``SocketsError/invalidURL(reason:)``.
    public init(_ text: String) throws(SocketsError) {
        guard text.utf8.count <= Self.longest else { throw .invalidURL(reason: "it is too long") }
        guard let colon = text.range(ofFirst: "://"),
            let scheme = Scheme(rawValue: text[..<colon.lowerBound].lowercased())
        else { throw .invalidURL(reason: "it does not begin with http://, https://, ws:// or wss://") }
        let rest = text[colon.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        try self.init(scheme, authority, Self.withoutFragment(rest[authority.endIndex...]))
    }

    private init(_ scheme: Scheme, _ authority: Substring, _ target: Substring) throws(SocketsError) {
        self.scheme = scheme
        guard !authority.contains("@") else { throw .invalidURL(reason: "it holds a user name") }
        let (host, port) = try Self.split(authority)
        self.host = try Self.checked(host)
        if let port {
            guard !port.isEmpty, port.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let number = UInt16(port),
                number > 0
            else { throw .invalidURL(reason: "the port is not a number from 1 to 65535") }
            self.port = number
        } else {
            self.port = Self.defaultPort(scheme)
        }
        let encoded = Self.encoded(target)
        self.target = encoded.hasPrefix("/") ? encoded : "/" + encoded
    }

    private static func split(_ authority: Substring) throws(SocketsError) -> (Substring, Substring?) {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { throw .invalidURL(reason: "a bracket is not closed") }
            let host = authority[authority.index(after: authority.startIndex)..<end]
            guard IPAddress(host)?.isV6 == true else {
                throw .invalidURL(reason: "there is no IPv6 address in brackets")
            }
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw .invalidURL(reason: "the port is malformed") }
            return (host, rest.isEmpty ? nil : rest.dropFirst())
        }
        guard let colon = authority.firstIndex(of: ":") else { return (authority, nil) }
        return (authority[..<colon], authority[authority.index(after: colon)...])
    }

    private static func checked(_ host: Substring) throws(SocketsError) -> String {
        if let address = IPAddress(host) { return address.description }
        guard !host.isEmpty else { throw .invalidURL(reason: "the host is missing") }
        let isGood = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        guard isGood, host.utf8.count <= 253, !host.hasPrefix("."), host.range(ofFirst: "..") == nil else {
            throw .invalidURL(reason: "the host is no name that can be looked up")
        }
        return host.lowercased()
    }

    private static func withoutFragment(_ text: Substring) -> Substring {
        text.prefix { $0 != "#" }
    }

    private static func encoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if byte > 0x20, byte < 0x7f, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "<"),
                byte != UInt8(ascii: ">")
            {
                bytes.append(byte)
            } else {
                let digits = Array("0123456789ABCDEF".utf8)
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func defaultPort(_ scheme: Scheme) -> UInt16 {
        scheme == .https || scheme == .wss ? 443 : 80
    }

    /// Host and, unless it is the scheme's own, port: the `Host` field.
    public var authority: String {
        let name = IPAddress(host)?.isV6 == true ? "[\(host)]" : host
        return port == Self.defaultPort(scheme) ? name : "\(name):\(port)"
    }

    /// The URL as text; parsing it again gives the same URL.
    public var description: String { "\(scheme.rawValue)://\(authority)\(target)" }

    /// Whether both have the same scheme, host and port (RFC 6454).
    public func hasSameOrigin(as other: HTTPURL) -> Bool {
        scheme == other.scheme && host == other.host && port == other.port
    }

    // MARK: References

    /// What a reference in a document at this URL points to (RFC 3986 section 5.2).
    ///
    /// - Throws: ``SocketsError/invalidURL(reason:)``.
    public func resolving(_ reference: String) throws(SocketsError) -> HTTPURL {
        guard reference.utf8.count <= Self.longest else { throw .invalidURL(reason: "it is too long") }
        let text = Self.withoutFragment(reference[...])
        if Self.hasScheme(text) { return try HTTPURL(String(text)) }
        if text.hasPrefix("//") { return try HTTPURL("\(scheme.rawValue):\(text)") }
        let ownPath = target.prefix { $0 != "?" }
        let query = text.prefix { $0 != "?" }.endIndex
        let joined: String
        if text.isEmpty {
            joined = target
        } else if text.hasPrefix("/") {
            joined = Self.withoutDots(text[..<query]) + text[query...]
        } else if text.hasPrefix("?") {
            joined = String(ownPath + text)
        } else {
            let folder = ownPath[...(ownPath.lastIndex(of: "/") ?? ownPath.startIndex)]
            joined = Self.withoutDots(folder + text[..<query]) + text[query...]
        }
        return try HTTPURL("\(scheme.rawValue)://\(authority)\(joined)")
    }

    private static func hasScheme(_ text: Substring) -> Bool {
        let name = text.prefix { $0 != ":" && $0 != "/" && $0 != "?" }
        return name.endIndex < text.endIndex && text[name.endIndex] == ":" && name.first?.isLetter == true
    }

    private static func withoutDots(_ path: Substring) -> String {
        var kept: [Substring] = []
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        for (index, segment) in segments.enumerated() {
            let isLast = index == segments.count - 1
            switch segment {
            case ".": if isLast { kept.append("") }
            case "..":
                _ = kept.popLast()
                if isLast { kept.append("") }
            default: kept.append(segment)
            }
        }
        return "/" + kept.joined(separator: "/")
    }
}

extension StringProtocol {
    /// The first place of an ASCII text.
    fileprivate func range(ofFirst needle: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(needle) { return start..<index(start, offsetBy: needle.count) }
            start = index(after: start)
        }
        return nil
    }
}
