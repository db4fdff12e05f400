/// One element of a `Sec-WebSocket-Extensions` header (RFC 6455 section 9.1).
struct WebSocketExtension: Equatable {
    struct Parameter: Equatable {
        let name: String
        let value: String?

        init(_ name: String, _ value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    static let deflate = "permessage-deflate"

    let name: String
    let parameters: [Parameter]

    /// The element as it is written in a header.
    var headerValue: String {
        parameters.reduce(name) { text, parameter in
            text + "; " + parameter.name + (parameter.value.map { "=" + $0 } ?? "")
        }
    }

    /// All elements of all headers of that name, nil when one does not follow the grammar.
    static func parse(_ values: [String]) -> [WebSocketExtension]? {
        var all: [WebSocketExtension] = []
        for value in values {
            var scanner = HeaderScanner(value)
            guard let elements = scanner.list({ scanner in element(&scanner) }) else { return nil }
            all += elements
        }
        return all
    }

    private static func element(_ scanner: inout HeaderScanner) -> WebSocketExtension? {
        guard let name = scanner.token() else { return nil }
        var parameters: [Parameter] = []
        while scanner.skip(UInt8(ascii: ";")) {
            guard let parameter = scanner.token() else { return nil }
            guard scanner.skip(UInt8(ascii: "=")) else {
                parameters.append(Parameter(parameter))
                continue
            }
            guard let value = scanner.tokenOrQuotedToken() else { return nil }
            parameters.append(Parameter(parameter, value))
        }
        return WebSocketExtension(name: name, parameters: parameters)
    }
}
