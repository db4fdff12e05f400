/// A request as a handler of an ``HTTPServer`` gets it.
public struct HTTPRequest: Sendable {
    /// Method, target and fields.
    public let head: HTTPRequestHead
    /// The whole body, decoded from chunks.
    public let body: [UInt8]
    /// Where it comes from.
    public let peer: SocketAddress?
}

/// A response: what a handler of an ``HTTPServer`` answers, and what an ``HTTPClient`` returns.
public struct HTTPResponse: Sendable, Equatable {
    /// 200 to 599.
    public var status: Int
    /// Without the fields about the length of the body and the connection, which are added on the way out.
    public var fields: HTTPFields
    /// The body, decompressed; empty when there is none.
    public var body: [UInt8]
    /// For a client: whether the body was cut at the limit, as ``HTTPClient/cutsLongBodies`` allows.
    public var isCut = false
    /// For a client: where the response came from after redirects.
    public var url: HTTPURL?

    /// A response from its parts.
    public init(status: Int, fields: HTTPFields = HTTPFields(), body: [UInt8] = []) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    /// A response with a text, in UTF-8.
    public init(status: Int, text: String, type: String = "text/plain; charset=utf-8") {
        self.init(status: status, body: Array(text.utf8))
        // The type may come from a caller; one that is no field value is left out.
        try? fields.append("Content-Type", type)
    }

    /// The bytes on the wire.
    ///
    /// - Parameters:
    ///   - keepsAlive: whether another response may follow on the connection.
    ///   - leavesBodyOut: for an answer to `HEAD`: the length is told, the body not sent.
    public func serialized(keepsAlive: Bool, leavesBodyOut: Bool = false) -> [UInt8] {
        var text = "HTTP/1.1 \(status) \(Self.reason(status))\r\n"
        for (name, value) in fields.all {
            switch name.lowercased() {
            case "content-length", "transfer-encoding", "connection": continue
            default: text += "\(name): \(value)\r\n"
            }
        }
        if status != 204, status != 304, status >= 200 { text += "Content-Length: \(body.count)\r\n" }
        text += keepsAlive ? "\r\n" : "Connection: close\r\n\r\n"
        return Array(text.utf8) + (leavesBodyOut || status == 204 || status == 304 ? [] : body)
    }

    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 413: "Content Too Large"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}
