/// Reads one response from a connection within the limits of a client.
struct HTTPResponseReader {
    private let connection: Connection
    private let client: HTTPClient
    private let deadline: ContinuousClock.Instant
    private var bytes: [UInt8] = []
    private var index = 0

    /// Interim responses that are put up with before the real one.
    private static let interimLimit = 10

    init(_ connection: Connection, _ client: HTTPClient, _ deadline: ContinuousClock.Instant) {
        self.connection = connection
        self.client = client
        self.deadline = deadline
    }

    mutating func read(method: String) async throws(SocketsError) -> HTTPResponse {
        let head = try await readHead()
        let framing = try HTTPFraming(of: head, to: method)
        var response = HTTPResponse(status: head.status, fields: head.fields)
        do throws(SocketsError) {
            try await readBody(framing, Self.isCompressed(head), into: &response.body)
        } catch SocketsError.http(let failure) where Self.isLimit(failure) && client.cutsLongBodies {
            response.isCut = true
        }
        return response
    }

    private static func isLimit(_ failure: HTTPFailure) -> Bool {
        failure == .bodyTooLarge || failure == .inflatedBodyTooLarge
    }

    private static func isCompressed(_ head: HTTPResponseHead) throws(SocketsError) -> Bool {
        let codings = head.fields.values("content-encoding").map { $0.lowercased() }
        switch codings {
        case [], ["identity"], [""]: return false
        case ["gzip"], ["x-gzip"]: return true
        default: throw .http(.unsupportedContentCoding)
        }
    }

    private mutating func readHead() async throws(SocketsError) -> HTTPResponseHead {
        for _ in 0...Self.interimLimit {
            var parser = HTTPHeadParser(limits: client.headLimits)
            var found: HTTPHead?
            while found == nil {
                found = try parser.feed(bytes, from: &index)
                if found == nil, try await !more() { throw .endedEarly }
            }
            guard let found else { break }
            let head = try HTTPResponseHead(found)
            if head.status >= 200 { return head }
            // Nobody has asked for another protocol.
            guard head.status != 101 else { break }
        }
        throw .http(.unexpectedStatus(101))
    }

    private mutating func readBody(
        _ framing: HTTPFraming,
        _ isCompressed: Bool,
        into body: inout [UInt8]
    ) async throws(SocketsError) {
        if case .length(let length) = framing, length > client.bodyLimit, !client.cutsLongBodies {
            throw .http(.bodyTooLarge)
        }
        var decoder = HTTPBodyDecoder(framing, limit: client.bodyLimit)
        guard isCompressed else {
            while !decoder.isComplete {
                try decoder.feed(bytes, from: &index, into: &body)
                if !decoder.isComplete, try await !more() {
                    guard decoder.endsWithConnection else { throw .endedEarly }
                    return
                }
            }
            return
        }
        let gunzip = try Gunzip(limit: client.inflatedLimit)
        var hasBody = false
        while !decoder.isComplete {
            var piece: [UInt8] = []
            // What came before the limit is still inflated.
            let failure: SocketsError?
            do throws(SocketsError) {
                try decoder.feed(bytes, from: &index, into: &piece)
                failure = nil
            } catch {
                failure = error
            }
            hasBody = hasBody || !piece.isEmpty
            try gunzip.feed(piece[...], into: &body)
            if let failure { throw failure }
            if !decoder.isComplete, try await !more() {
                guard decoder.endsWithConnection else { throw .endedEarly }
                break
            }
        }
        guard gunzip.isComplete || !hasBody else { throw .http(.malformedCompression) }
    }

    /// False when the server has finished.
    private mutating func more() async throws(SocketsError) -> Bool {
        let time = min(client.stallTime, deadline - .now)
        guard let next = try await connection.read(within: time) else { return false }
        bytes = next
        index = 0
        return true
    }
}
