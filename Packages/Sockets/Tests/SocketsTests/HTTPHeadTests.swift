import Sockets
import Testing

/// Feeds a text in pieces and returns the head and what is behind it.
private func parse(
    _ text: String,
    pieces: [Int] = [],
    limits: HTTPHeadParser.Limits = .init()
) throws -> (head: HTTPHead, rest: [UInt8])? {
    var parser = HTTPHeadParser(limits: limits)
    let bytes = Array(text.utf8)
    var start = 0
    for end in pieces + [bytes.count] {
        let piece = Array(bytes[start..<end])
        var index = 0
        if let head = try parser.feed(piece, from: &index) { return (head, Array(piece[index...]) + bytes[end...]) }
        start = end
    }
    return nil
}

private func request(_ text: String) throws -> HTTPRequestHead? {
    try parse(text).map { try HTTPRequestHead($0.head) }
}

@Suite struct HTTPHeadTests {
    private static let good = "GET /a?b=c HTTP/1.1\r\nHost: x\r\nX-One:  1 \t\r\nx-one: two words\r\nEmpty:\r\n\r\nbody"

    @Test func aHeadIsTakenApart() throws {
        let (head, rest) = try #require(try parse(Self.good))
        let request = try HTTPRequestHead(head)
        #expect(request.method == "GET")
        #expect(request.target == "/a?b=c")
        #expect(request.path == "/a")
        #expect(request.minorVersion == 1)
        #expect(request.fields.values("X-ONE") == ["1", "two words"])
        #expect(request.fields.single("empty") == "")
        #expect(request.fields.single("x-one") == nil)
        #expect(rest == Array("body".utf8))
    }

    @Test func aHeadSplitAtAnyByteIsTheSameHead() throws {
        let whole = try #require(try parse(Self.good))
        for cut in 0...Self.good.utf8.count {
            let parts = try #require(try parse(Self.good, pieces: [cut]))
            #expect(parts == whole, "cut at \(cut)")
        }
        let single = try #require(try parse(Self.good, pieces: Array(1..<Self.good.utf8.count)))
        #expect(single == whole)
    }

    @Test func everyPrefixOfAHeadWaitsForMore() throws {
        let head = Self.good.utf8.count - "body".utf8.count
        for length in 0..<head {
            #expect(try parse(String(decoding: Array(Self.good.utf8).prefix(length), as: UTF8.self)) == nil)
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\nHost: x\r\n\r\n", HTTPFailure.malformedStartLine),
        ("GET / HTTP/1.1\rHost: x\r\n\r\n", .malformedStartLine),
        ("\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", .malformedStartLine),
        ("GET /\0 HTTP/1.1\r\nHost: x\r\n\r\n", .malformedStartLine),
        ("GET / HTTP/1.1\r\nHost: x\n\r\n", .malformedField),
        ("GET / HTTP/1.1\r\nHost: x\r\n\n", .malformedField),
        ("GET / HTTP/1.1\r\nHost: x\r\r\n\r\n", .malformedField),
        ("GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n", .malformedField),
        ("GET / HTTP/1.1\r\nHost: x\r\n\tfolded: y\r\n\r\n", .malformedField),
        ("GET / HTTP/1.1\r\n Host: x\r\n\r\n", .malformedField),
        ("GET / HTTP/1.1\r\nHost : x\r\n\r\n", .malformedField),
        ("GET / HTTP/1.1\r\nHost\r\n\r\n", .malformedField),
        ("GET / HTTP/1.1\r\n: x\r\n\r\n", .malformedField),
        ("GET / HTTP/1.1\r\nHo(st: x\r\n\r\n", .malformedField),
        ("GET / HTTP/1.1\r\nHost: x\0y\r\n\r\n", .malformedField),
        ("GET / HTTP/1.1\r\nHost: x\u{7f}\r\n\r\n", .malformedField),
    ])
    func aMalformedHeadIsRefused(text: String, expected: HTTPFailure) {
        #expect(throws: SocketsError.http(expected)) { try parse(text) }
        // And just so when it comes byte by byte.
        #expect(throws: SocketsError.http(expected)) { try parse(text, pieces: Array(1..<text.utf8.count)) }
    }

    @Test(arguments: [
        ("GET  / HTTP/1.1\r\nHost: x\r\n\r\n", HTTPFailure.malformedStartLine),
        ("GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", .malformedStartLine),
        ("GET / HTTP/1.1 \r\nHost: x\r\n\r\n", .malformedStartLine),
        ("GET /\r\nHost: x\r\n\r\n", .malformedStartLine),
        ("GE(T / HTTP/1.1\r\nHost: x\r\n\r\n", .malformedStartLine),
        ("GET a HTTP/1.1\r\nHost: x\r\n\r\n", .malformedStartLine),
        ("GET /\u{e9} HTTP/1.1\r\nHost: x\r\n\r\n", .malformedStartLine),
        ("GET / http/1.1\r\nHost: x\r\n\r\n", .malformedStartLine),
        ("GET / HTTP/2.0\r\nHost: x\r\n\r\n", .unsupportedVersion),
        ("GET / HTTP/1.10\r\nHost: x\r\n\r\n", .unsupportedVersion),
        ("GET / HTTP/1.1\r\n\r\n", .malformedField),
        ("GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n", .malformedField),
    ])
    func aRequestThatIsNoneIsRefused(text: String, expected: HTTPFailure) {
        #expect(throws: SocketsError.http(expected)) { try request(text) }
    }

    @Test(arguments: [
        "GET / HTTP/1.0\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n",
        "POST /%20 HTTP/1.1\r\nHost:x\r\n\r\n",
    ])
    func aRequestOfAnotherFormIsAccepted(text: String) throws {
        #expect(try request(text) != nil)
    }

    @Test func theSizeAndTheNumberOfFieldsAreBounded() throws {
        var limits = HTTPHeadParser.Limits()
        limits.bytes = 100
        limits.fields = 3
        let fits = "GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n"
        #expect(try parse(fits, limits: limits) != nil)
        #expect(throws: SocketsError.http(.headTooLarge)) {
            try parse("GET / HTTP/1.1\r\nA: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n\r\n", limits: limits)
        }
        // Refused at the limit, not at the end of the line.
        #expect(try parse(String(repeating: "a", count: 100), limits: limits) == nil)
        #expect(throws: SocketsError.http(.headTooLarge)) {
            try parse(String(repeating: "a", count: 101), limits: limits)
        }
    }

    @Test func aResponseIsTakenApart() throws {
        let (head, _) = try #require(try parse("HTTP/1.0 404 Not  Found\r\nA: b\r\n\r\n"))
        #expect(try HTTPResponseHead(head).status == 404)
        #expect(try HTTPResponseHead(try #require(try parse("HTTP/1.1 200\r\n\r\n")).head).status == 200)
        #expect(try HTTPResponseHead(try #require(try parse("HTTP/1.1 200 \r\n\r\n")).head).status == 200)
    }

    @Test(arguments: [
        "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 099 OK", "HTTP/1.1 600 OK", "HTTP/1.1 +20 OK", "HTTP/1.1",
        "ICY 200 OK", "HTTP/3 200 OK",
    ])
    func aResponseThatIsNoneIsRefused(line: String) throws {
        let head = try #require(try parse("\(line)\r\n\r\n")).head
        #expect(throws: SocketsError.self) { try HTTPResponseHead(head) }
    }

    @Test func aFieldCannotBeSmuggledIntoAMessageThatIsSent() {
        #expect(throws: SocketsError.http(.malformedField)) { try HTTPFields([("A", "b\r\nC: d")]) }
        #expect(throws: SocketsError.http(.malformedField)) { try HTTPFields([("A\r\nB", "c")]) }
        #expect(throws: SocketsError.http(.malformedField)) { try HTTPFields([("A ", "c")]) }
        #expect(throws: Never.self) { try HTTPFields([("A", "b c")]) }
    }

    @Test func listsOfTokensAreSearchedWithoutRegardToCase() throws {
        let fields = try HTTPFields([
            ("Connection", "keep-alive, Upgrade"), ("Upgrade", "WebSocket"), ("Other", "not-upgrade"),
        ])
        #expect(fields.lists("upgrade", in: "connection"))
        #expect(fields.lists("websocket", in: "Upgrade"))
        #expect(!fields.lists("upgrade", in: "other"))
        #expect(!fields.lists("keep", in: "connection"))
    }
}
