/// What an ``HTTPClient`` asks, at one of the stations of a chain of redirects.
struct HTTPClientRequest {
    let method: String
    let url: HTTPURL
    let fields: HTTPFields
    let body: [UInt8]

    func serialized() throws(SocketsError) -> [UInt8] {
        var text = "\(method) \(url.target) HTTP/1.1\r\nHost: \(url.authority)\r\n"
        for (name, value) in fields.all {
            switch name.lowercased() {
            case "host", "connection", "content-length", "transfer-encoding", "accept-encoding":
                throw .http(.malformedField)
            default: text += "\(name): \(value)\r\n"
            }
        }
        if method == "POST" || method == "PUT" || !body.isEmpty { text += "Content-Length: \(body.count)\r\n" }
        text += "Accept-Encoding: gzip\r\nConnection: close\r\n\r\n"
        return Array(text.utf8) + body
    }

    /// RFC 9110 section 15.4: 307 and 308 keep method and body, the others become `GET`.
    func redirected(to target: HTTPURL, status: Int) -> HTTPClientRequest {
        var fields = fields
        if !target.hasSameOrigin(as: url) {
            for name in ["authorization", "proxy-authorization", "cookie"] { fields.remove(name) }
        }
        if status == 307 || status == 308 {
            return HTTPClientRequest(method: method, url: target, fields: fields, body: body)
        }
        fields.remove("content-type")
        return HTTPClientRequest(method: "GET", url: target, fields: fields, body: [])
    }
}
