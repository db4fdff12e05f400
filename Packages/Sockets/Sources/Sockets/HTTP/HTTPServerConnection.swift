/// One client of an ``HTTPServer``: request, response, next request. Runs in one task.
struct HTTPServerConnection {
    private let connection: Connection
    private let limits: HTTPServer.Limits
    private let upgrades: [String: HTTPServer.Upgrade]
    private let refusal: HTTPServer.Refusal
    private let handler: HTTPServer.Handler
    private let isLast: @Sendable () -> Bool
    /// Received, and not yet looked at from `index` on.
    private var bytes: [UInt8] = []
    private var index = 0

    init(
        _ connection: Connection,
        _ limits: HTTPServer.Limits,
        _ upgrades: [String: HTTPServer.Upgrade],
        _ refusal: @escaping HTTPServer.Refusal,
        _ handler: @escaping HTTPServer.Handler,
        isLast: @escaping @Sendable () -> Bool
    ) {
        self.connection = connection
        self.limits = limits
        self.upgrades = upgrades
        self.refusal = refusal
        self.handler = handler
        self.isLast = isLast
    }

    func serve() async {
        var copy = self
        do throws(SocketsError) {
            if try await copy.serveRequests() == .handedOver { return }
            await connection.close(within: .seconds(2))
        } catch {
            if let status = Self.status(for: error) {
                let response = refusal(status, error.description).serialized(keepsAlive: false)
                try? await connection.write(response, within: limits.responseTime)
            }
            // Closing in order, so that a client that is still sending sees the answer and not a reset.
            await connection.close(within: .seconds(2))
        }
    }

    private enum End { case finished, handedOver }

    private mutating func serveRequests() async throws(SocketsError) -> End {
        for number in 1...max(1, limits.requestsPerConnection) {
            guard let (head, deadline) = try await readHead() else { return .finished }
            let framing = try HTTPFraming(of: head)
            if framing == .none, let upgrade = upgrade(for: head) {
                let stream = await connection.release(unread: Array(bytes[index...]))
                stream.loop.execute { upgrade(head, stream) }
                return .handedOver
            }
            let body = try await readBody(head, framing, until: deadline)
            let peer = connection.peer
            let response = await handler(HTTPRequest(head: head, body: body, peer: peer))
            let keepsAlive = head.keepsAlive && number < limits.requestsPerConnection && !isLast()
            let message = response.serialized(keepsAlive: keepsAlive, leavesBodyOut: head.method == "HEAD")
            try await connection.write(message, within: limits.responseTime)
            guard keepsAlive else { return .finished }
        }
        return .finished
    }

    private func upgrade(for head: HTTPRequestHead) -> HTTPServer.Upgrade? {
        upgrades.first { head.asksForUpgrade(to: $0.key) }?.value
    }

    /// A head, and until when its body has to be there. Nil when the client has finished between two requests, or has been
    /// idle for too long.
    private mutating func readHead() async throws(SocketsError) -> (HTTPRequestHead, ContinuousClock.Instant)? {
        var parser = HTTPHeadParser(limits: limits.head)
        var begin: ContinuousClock.Instant?
        while true {
            if let head = try parser.feed(bytes, from: &index) {
                return (try HTTPRequestHead(head), (begin ?? .now) + limits.requestTime)
            }
            if parser.hasBegun, begin == nil { begin = .now }
            let time = begin.map { $0 + min(limits.headTime, limits.requestTime) - .now } ?? limits.idleTime
            let more: [UInt8]?
            do throws(SocketsError) {
                more = try await connection.read(within: time)
            } catch SocketsError.timedOut where !parser.hasBegun {
                return nil
            }
            guard let more else {
                if parser.hasBegun { throw .endedEarly }
                return nil
            }
            bytes = more
            index = 0
        }
    }

    private mutating func readBody(
        _ head: HTTPRequestHead,
        _ framing: HTTPFraming,
        until deadline: ContinuousClock.Instant
    ) async throws(SocketsError) -> [UInt8] {
        if case .length(let length) = framing, length > limits.body { throw .http(.bodyTooLarge) }
        var decoder = HTTPBodyDecoder(framing, limit: limits.body)
        var body: [UInt8] = []
        if !decoder.isComplete, index == bytes.count, head.fields.lists("100-continue", in: "expect") {
            try await connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), within: limits.responseTime)
        }
        while true {
            try decoder.feed(bytes, from: &index, into: &body)
            if decoder.isComplete { return body }
            guard let more = try await connection.read(within: deadline - .now) else { throw .endedEarly }
            bytes = more
            index = 0
        }
    }

    /// What the client is told; nil when nobody listens any more.
    private static func status(for error: SocketsError) -> Int? {
        switch error {
        case .http(.headTooLarge): 431
        case .http(.bodyTooLarge): 413
        case .http(.unsupportedVersion): 505
        case .http(.unsupportedTransferCoding): 501
        case .http: 400
        default: nil
        }
    }
}
