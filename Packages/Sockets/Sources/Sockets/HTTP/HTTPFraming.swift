/// How long a body is (RFC 9112 section 6). Whatever two readers could understand differently is refused.
enum HTTPFraming: Equatable {
    case none
    case length(Int)
    case chunked
    case untilClose

    init(of request: HTTPRequestHead) throws(SocketsError) {
        self = try Self.announced(request.fields, minorVersion: request.minorVersion) ?? .none
    }

    /// - Parameter method: of the request that is answered.
    init(of response: HTTPResponseHead, to method: String) throws(SocketsError) {
        let announced = try Self.announced(response.fields, minorVersion: 1)
        if method == "HEAD" || response.status < 200 || response.status == 204 || response.status == 304 {
            self = .none
        } else {
            self = announced ?? .untilClose
        }
    }

    private static func announced(_ fields: HTTPFields, minorVersion: Int) throws(SocketsError) -> HTTPFraming? {
        let codings = fields.values("transfer-encoding")
        let lengths = fields.values("content-length")
        if !codings.isEmpty {
            guard lengths.isEmpty, minorVersion == 1, codings.count == 1 else { throw .http(.ambiguousLength) }
            guard codings[0].lowercased() == "chunked" else { throw .http(.unsupportedTransferCoding) }
            return .chunked
        }
        guard let text = lengths.first else { return nil }
        // Not even the same length twice.
        guard lengths.count == 1, (1...18).contains(text.utf8.count),
            text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
            let length = Int(text)
        else { throw .http(.ambiguousLength) }
        return .length(length)
    }
}
