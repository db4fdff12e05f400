/// The address of a relay: `ws://` or `wss://`, a host, perhaps a port, a path and a query (RFC 3986, RFC 6455 section 3).
///
/// It is kept in a normal form, so that equal addresses are equal values: scheme and host in lower case, no default port, no
/// fragment, no lone `/` as path. Nothing in a path or query is changed.
public struct RelayURL: Sendable, Hashable {
    /// The normal form.
    public let text: String
    /// Whether the scheme is `wss`.
    public let isSecure: Bool
    /// In lower case; an IPv6 address without its brackets.
    public let host: String
    /// Never 0; 80 or 443 if the address names none.
    public let port: UInt16
    /// What a WebSocket handshake asks for: the path, `/` at least, and the query.
    public let pathAndQuery: String

    /// Longer addresses are refused. In bytes.
    public static let maximumLength = 2_048

    /// Reads an address, white space around it ignored.
    /// - Throws: ``EventError/invalidRelayURL`` if it is anything else, if it holds a user name, or if it is not ASCII.
    public init(_ text: String) throws(EventError) {
        let text = text.trimmed
        guard text.utf8.count <= Self.maximumLength, text.utf8.allSatisfy({ (33...126).contains($0) }),
            let schemeEnd = text.firstRange(of: "://")
        else { throw .invalidRelayURL }
        switch text[..<schemeEnd.lowerBound].lowercased() {
        case "ws": isSecure = false
        case "wss": isSecure = true
        default: throw .invalidRelayURL
        }
        let rest = text[schemeEnd.upperBound...].prefix { $0 != "#" }
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest[authority.endIndex...]

        let hostText: Substring
        let portText: Substring
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw .invalidRelayURL }
            hostText = authority[authority.index(after: authority.startIndex)..<end]
            portText = authority[authority.index(after: end)...]
            guard hostText.contains(":"), hostText.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else {
                throw .invalidRelayURL
            }
        } else {
            hostText = authority.prefix { $0 != ":" }
            portText = authority[hostText.endIndex...]
            guard hostText.contains(where: { $0 != "." }), !hostText.hasPrefix("."), !hostText.contains(".."),
                hostText.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "-" || $0 == "." || $0 == "_" })
            else { throw .invalidRelayURL }
        }
        host = hostText.lowercased()
        let standard: UInt16 = isSecure ? 443 : 80
        if portText.isEmpty || portText == ":" {
            port = standard
        } else {
            let digits = portText.dropFirst()
            guard portText.first == ":", digits.utf8.count <= 5, digits.allSatisfy(\.isNumber),
                let number = UInt16(digits), number > 0
            else { throw .invalidRelayURL }
            port = number
        }
        pathAndQuery = (path.first == "/" ? "" : "/") + path
        self.text =
            (isSecure ? "wss://" : "ws://") + (authority.first == "[" ? "[\(host)]" : host)
            + (port == standard ? "" : ":\(port)") + (pathAndQuery == "/" ? "" : pathAndQuery)
    }

    /// Whether both lead to the same relay: as equality, but slashes at the end make no difference (NIP-42).
    public func isSameRelay(as other: RelayURL) -> Bool {
        textWithoutLastSlashes == other.textWithoutLastSlashes
    }

    private var textWithoutLastSlashes: Substring {
        var text = text[...]
        while text.hasSuffix("/") { text.removeLast() }
        return text
    }
}

extension RelayURL: CustomStringConvertible {
    /// The normal form.
    public var description: String { text }
}
