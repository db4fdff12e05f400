/// The head of a request (RFC 9112 section 3).
public struct HTTPRequestHead: Sendable, Equatable {
    /// `GET`, `POST`, ...: any token, case matters.
    public let method: String
    /// What is asked for: a path with query that begins with `/`, an absolute URL, or `*`.
    public let target: String
    /// 1 for HTTP/1.1, 0 for HTTP/1.0.
    public let minorVersion: Int
    /// The fields in order.
    public let fields: HTTPFields

    /// - Throws: ``HTTPFailure/malformedStartLine``, ``HTTPFailure/unsupportedVersion``, and ``HTTPFailure/malformedField``
    ///   when an HTTP/1.1 request has no `Host` or several.
    public init(_ head: HTTPHead) throws(SocketsError) {
        let parts = head.startLine[...].split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, HTTPSyntax.isToken(parts[0]), HTTPSyntax.isTarget(parts[1]) else {
            throw .http(.malformedStartLine)
        }
        guard parts[1].first == UInt8(ascii: "/") || parts[1].contains(UInt8(ascii: ":")) || parts[1] == [0x2a] else {
            throw .http(.malformedStartLine)
        }
        minorVersion = try HTTPHead.minorVersion(parts[2])
        method = HTTPSyntax.text(parts[0])
        target = HTTPSyntax.text(parts[1])
        fields = head.fields
        guard fields.values("host").count == 1 || (minorVersion == 0 && fields.values("host").isEmpty) else {
            throw .http(.malformedField)
        }
    }

    /// The path without the query, as it was sent.
    public var path: Substring { target.prefix { $0 != "?" } }

    /// Whether the client wants to go on with another protocol on this connection (RFC 9110 section 7.8).
    public func asksForUpgrade(to name: String) -> Bool {
        minorVersion == 1 && fields.lists("upgrade", in: "connection") && fields.lists(name, in: "upgrade")
    }

    /// Whether another request may follow on the connection (RFC 9112 section 9.3).
    var keepsAlive: Bool { minorVersion == 1 && !fields.lists("close", in: "connection") }
}

/// The head of a response (RFC 9112 section 4).
public struct HTTPResponseHead: Sendable, Equatable {
    /// 100 to 599.
    public let status: Int
    /// The fields in order.
    public let fields: HTTPFields

    /// - Throws: ``HTTPFailure/malformedStartLine`` and ``HTTPFailure/unsupportedVersion``.
    public init(_ head: HTTPHead) throws(SocketsError) {
        let parts = head.startLine[...].split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2 else { throw .http(.malformedStartLine) }
        _ = try HTTPHead.minorVersion(parts[0])
        guard parts[1].count == 3, parts[1].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let status = Int(HTTPSyntax.text(parts[1])), (100...599).contains(status)
        else { throw .http(.malformedStartLine) }
        self.status = status
        fields = head.fields
    }
}

extension HTTPHead {
    fileprivate static func minorVersion(_ text: ArraySlice<UInt8>) throws(SocketsError) -> Int {
        switch HTTPSyntax.text(text) {
        case "HTTP/1.1": return 1
        case "HTTP/1.0": return 0
        case let other where other.hasPrefix("HTTP/"): throw .http(.unsupportedVersion)
        default: throw .http(.malformedStartLine)
        }
    }
}
