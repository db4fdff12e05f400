import LinkstrLinks
import Sockets
import Locking

/// A web server on the loopback that answers as it is told and remembers what it was asked.
final class HostileServer: Sendable {
    struct Answer: Sendable {
        var status = 200
        var type: String? = "text/html; charset=utf-8"
        var body: [UInt8] = []
        var location: String?

        static func html(_ head: String, type: String? = "text/html; charset=utf-8") -> Answer {
            Answer(type: type, body: Array("<html><head>\(head)</head><body>".utf8))
        }

        static func redirect(_ location: String) -> Answer { Answer(status: 302, location: location) }
    }

    /// What was asked so far.
    final class Log: Sendable {
        private let requests = Locked<[HTTPRequest]>([])
        func add(_ request: HTTPRequest) { requests.withLock { $0.append(request) } }
        var all: [HTTPRequest] { requests.withLock { $0 } }
    }

    let log: Log
    let port: UInt16
    private let server: HTTPServer

    init(on address: String = "127.0.0.1", _ answer: @escaping @Sendable (Substring) -> Answer) throws {
        let log = Log()
        server = try HTTPServer(on: .ip(IPAddress(address) ?? .loopback4, port: 0)) { request in
            log.add(request)
            let answer = answer(request.head.path)
            var response = HTTPResponse(status: answer.status, body: answer.body)
            if let type = answer.type { try? response.fields.append("Content-Type", type) }
            if let location = answer.location { try? response.fields.append("Location", location) }
            try? response.fields.append("Set-Cookie", "a=b")
            return response
        }
        self.log = log
        port = server.address.port ?? 0
    }

    func url(_ path: String, host: String = "127.0.0.1") throws -> WebURL {
        try WebURL("http://\(host):\(port)\(path)")
    }

    func close() { server.close() }
}
