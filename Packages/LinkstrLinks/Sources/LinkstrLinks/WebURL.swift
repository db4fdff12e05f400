/// A web address as linkstr stores and sends it: http or https with a host that could exist.
///
/// The text is kept as it was typed, but for outer white space and a scheme put in front where there was none: no change of
/// case, port, path or query.
public struct WebURL: Hashable, Sendable, CustomStringConvertible {
    /// The whole address.
    public let text: String
    /// `http` or `https`.
    public let scheme: String
    /// In lower case and without outer dots; an IPv6 literal keeps its brackets.
    public let host: String
    /// Nil where the address names none.
    public let port: UInt16?
    /// As written, percent-encoded; empty or beginning with `/`.
    public let path: String
    /// What stands between `?` and `#` as written, nil without a `?`.
    public let query: String?

    public var description: String { text }

    public static func == (left: WebURL, right: WebURL) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }

    /// Reads what a person typed or a peer sent.
    ///
    /// `example.com/a` and `//example.com/a` become https addresses, and so do `localhost:8080/x` and `[::1]/x`.
    /// - Throws: ``LinkError`` where the result is no web address with a credible host.
    public init(_ input: some StringProtocol) throws(LinkError) {
        let candidate = try Self.candidate(input.linkstrTrimmed)
        guard !candidate.unicodeScalars.contains(where: { $0.isLinkstrBlank || $0.value < 0x20 || $0.value == 0x7f })
        else {
            throw .whiteSpaceInside
        }
        guard let colon = candidate.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .noCredibleHost }
        let scheme = candidate[..<colon].lowercased()
        guard scheme == "http" || scheme == "https" else { throw .notWeb(scheme: String(scheme.prefix(64))) }
        let afterScheme = candidate[candidate.utf8.index(after: colon)...]
        guard afterScheme.utf8.starts(with: "//".utf8) else { throw .noCredibleHost }
        let rest = Substring(afterScheme.utf8.dropFirst(2))
        let end = rest.firstIndex(ofASCII: "/?#") ?? rest.endIndex
        let (host, port) = try Self.authority(rest[..<end])
        self.text = candidate
        self.scheme = scheme
        self.host = host
        self.port = port
        let (beforeFragment, _) = rest[end...].cut(at: "#")
        let (path, query) = beforeFragment.cut(at: "?")
        self.path = String(path)
        self.query = query.map { String($0) }
    }

    /// The parts of the path between slashes, as written, without empty ones.
    public var pathParts: [Substring] {
        path.split(atASCII: "/")
    }

    /// The decoded value of the first query item of this name (any case), nil where there is none or it is not UTF-8.
    public func queryValue(_ name: String) -> String? {
        guard let query else { return nil }
        for item in query.split(atASCII: "&") {
            let (key, value) = item.cut(at: "=")
            guard let value, PercentCoding.decode(key)?.lowercased() == name else { continue }
            return PercentCoding.decode(value)
        }
        return nil
    }

    private static func candidate(_ text: String) throws(LinkError) -> String {
        if text.isEmpty { throw .empty }
        let lower = String(decoding: text.utf8.prefix(8), as: UTF8.self).lowercased().utf8
        if lower.starts(with: "http://".utf8) || lower.starts(with: "https://".utf8) { return text }
        if text.utf8.starts(with: "//".utf8) { return "https:" + text }
        if text.utf8.contains("://".utf8) { return text }
        if text.utf8.first == UInt8(ascii: "[") { return "https://" + text }
        let (name, rest) = text[..<(text[...].firstIndex(ofASCII: "/?#") ?? text.endIndex)].cut(at: ":")
        let isHost = rest == nil || name.lowercased() == "localhost" || name.firstIndex(ofASCII: ".") != nil
        return isHost ? "https://" + text : text
    }

    private static func authority(_ authority: Substring) throws(LinkError) -> (host: String, port: UInt16?) {
        // Browsers read a backslash as a slash: what follows it would be another host there than here.
        if authority.firstIndex(ofASCII: "\\") != nil { throw .noCredibleHost }
        var hostAndPort = authority
        if let at = authority.utf8.lastIndex(of: UInt8(ascii: "@")) {
            hostAndPort = authority[authority.utf8.index(after: at)...]
        }
        let isLiteral = hostAndPort.utf8.first == UInt8(ascii: "[")
        var (host, portText) = hostAndPort.cut(at: ":")
        if isLiteral {
            guard let rest = hostAndPort.cut(at: "]").1, rest.isEmpty || rest.utf8.first == UInt8(ascii: ":") else {
                throw .noCredibleHost
            }
            host = hostAndPort[..<rest.startIndex]
            portText = rest.isEmpty ? nil : rest.cut(at: ":").1
        }
        guard WebHost.isCredible(host) else { throw .noCredibleHost }
        let name = isLiteral ? host.lowercased() : WebHost.withoutOuterDots(host).lowercased()
        guard let portText, !portText.isEmpty else { return (name, nil) }
        guard portText.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(portText) else {
            throw .invalidPort
        }
        return (name, port)
    }
}
