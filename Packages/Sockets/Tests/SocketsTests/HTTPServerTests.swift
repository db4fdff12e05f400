import Foundation
import Sockets
import Testing

@Suite struct HTTPServerTests {
    private func server(_ change: (inout HTTPServer.Limits) -> Void = { _ in }) throws -> HTTPServer {
        var limits = HTTPServer.Limits()
        change(&limits)
        return try HTTPServer(on: .ip(.loopback4, port: 0), limits: limits) { request in
            HTTPResponse(
                status: 200,
                text: "\(request.head.method) \(request.head.target) \(String(decoding: request.body, as: UTF8.self))"
            )
        }
    }

    private func connect(_ server: HTTPServer) async throws -> Connection {
        let port = try #require(server.address.port)
        let loop = try EventLoopGroup.shared.next()
        return await Connection(try await Connector().connect(to: "127.0.0.1", port: port, on: loop))
    }

    /// Sends a text and returns all that comes back until the server closes.
    private func talk(_ text: String, to server: HTTPServer, splitAt cut: Int? = nil) async throws -> String {
        let connection = try await connect(server)
        let bytes = Array(text.utf8)
        if let cut {
            try await connection.write(Array(bytes[..<cut]), within: patience)
            try await connection.write(Array(bytes[cut...]), within: patience)
        } else {
            try await connection.write(bytes, within: patience)
        }
        await connection.finishWriting()
        var answer: [UInt8] = []
        while let more = try await connection.read(within: patience) { answer += more }
        await connection.close()
        return String(decoding: answer, as: UTF8.self)
    }

    private let get = "GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    private let answerToGet =
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 7\r\nConnection: close\r\n\r\nGET /a "

    @Test func aRequestIsAnswered() async throws {
        #expect(try await talk(get, to: server()) == answerToGet)
    }

    @Test func aHeadRequestGetsTheLengthAndNoBody() async throws {
        let answer = try await talk("HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", to: server())
        #expect(answer.contains("Content-Length: 8\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n"))
    }

    @Test func requestsInOnePieceAreAnsweredInOrder() async throws {
        let post = "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nxyz"
        let chunked =
            "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;e=1\r\nc\r\n0\r\nT: v\r\n\r\n"
        let answer = try await talk(post + chunked + get, to: server())
        #expect(answer.contains("POST /b xyzHTTP/1.1"))
        #expect(answer.contains("POST /c abcHTTP/1.1"))
        #expect(answer.hasSuffix("GET /a "))
    }

    @Test func aRequestInTwoPiecesIsTheSameRequest() async throws {
        let server = try server()
        let post =
            "POST /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nA\r\n0123456789\r\n0\r\n\r\n"
        let whole = try await talk(post, to: server)
        #expect(whole.hasSuffix("POST /b 0123456789"))
        for cut in stride(from: 1, to: post.utf8.count, by: 7) {
            #expect(try await talk(post, to: server, splitAt: cut) == whole)
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("GET / HTTP/3.0\r\nHost: x\r\n\r\n", 505),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3, 3\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +3\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length:\r\n\r\nabc", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999999999\r\n\r\n", 413),
        ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            400
        ),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501),
        ("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;\u{1}\r\na\r\n0\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n00000001\r\na\r\n0\r\n\r\n", 400),
        (
            "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFF\r\n"
                + String(repeating: "a", count: 2_000_000), 413
        ),
        ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n folded\r\n\r\n", 400),
        ("GET /" + String(repeating: "a", count: 20_000) + " HTTP/1.1\r\nHost: x\r\n\r\n", 431),
    ])
    func aRequestThatTwoReadersCouldReadDifferentlyIsRefused(text: String, status: Int) async throws {
        let server = try server()
        let answer = try await talk(text + get, to: server)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer.prefix(200))")
        #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
        #expect(try await talk(get, to: server) == answerToGet)
    }

    @Test func aServerMayRefuseInItsOwnWords() async throws {
        var limits = HTTPServer.Limits()
        limits.body = 4
        let server = try HTTPServer(
            on: .ip(.loopback4, port: 0),
            limits: limits,
            refusal: { status, _ in
                HTTPResponse(status: status == 413 ? 400 : 500, text: "\(status)", type: "text/x-test")
            },
            handler: { _ in HTTPResponse(status: 200, text: "taken") }
        )
        func post(_ body: String) -> String {
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: \(body.count)\r\n\r\n\(body)"
        }
        let refused = try await talk(post("12345"), to: server)
        #expect(refused.hasPrefix("HTTP/1.1 400 ") && refused.contains("text/x-test") && refused.hasSuffix("413"))
        #expect(try await talk(post("1234"), to: server).hasSuffix("taken"))
        server.close()
    }

    @Test func afterClosingAConnectionServesNoFurtherRequest() async throws {
        let server = try server()
        let connection = try await connect(server)
        let request = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n"
        try await connection.write(Array(request.utf8), within: patience)
        let first = try #require(try await connection.read(within: patience))
        #expect(!String(decoding: first, as: UTF8.self).contains("Connection: close"))
        server.close()
        try await connection.write(Array(request.utf8), within: patience)
        let second = try #require(try await connection.read(within: patience))
        #expect(String(decoding: second, as: UTF8.self).contains("Connection: close"))
        #expect(try await connection.read(within: patience) == nil)
        await connection.close()
    }

    @Test(arguments: [false, true])
    func aHeadHasLessTimeThanAWholeRequest(isBody: Bool) async throws {
        let server = try server {
            $0.headTime = .seconds(1)
            $0.requestTime = .seconds(30)
        }
        let connection = try await connect(server)
        let text = isBody ? "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n" : "POST / HTTP/1.1\r\nHost"
        try await connection.write(Array(text.utf8), within: patience)
        if isBody {
            // Longer than a head may take.
            try await Task.sleep(for: .milliseconds(1500))
            try await connection.write([UInt8(ascii: "x")], within: patience)
            #expect(try await connection.read(within: patience) != nil)
        } else {
            #expect(try await connection.read(within: .seconds(20)) == nil)
        }
        await connection.close()
    }

    @Test func aClientThatStallsIsCutOff() async throws {
        let server = try server {
            $0.requestTime = .milliseconds(60)
            $0.idleTime = .milliseconds(60)
        }
        for start in ["", "GET / HT", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc"] {
            let connection = try await connect(server)
            if !start.isEmpty { try await connection.write(Array(start.utf8), within: patience) }
            let answer = try? await connection.read(within: patience)
            #expect(answer == .some(.none) || answer == .none)
            await connection.abort()
        }
    }

    @Test func moreConnectionsThanAllowedAreClosed() async throws {
        let server = try server { $0.connections = 1 }
        let first = try await connect(server)
        try await first.write(Array("GET /a HTTP/1.1\r\nHost: x\r\n\r\n".utf8), within: patience)
        _ = try await first.read(within: patience)
        let second = try await connect(server)
        let answer = try? await second.read(within: patience)
        #expect(answer == .some(.none) || answer == .none)
        await second.abort()
        await first.close()
        #expect(await eventually { (try? await talk(get, to: server)) == answerToGet })
    }

    @Test func aConnectionIsHandedOverForAnUpgradeWithWhatCameBehindTheRequest() async throws {
        let server = try HTTPServer(
            on: .ip(.loopback4, port: 0),
            upgrades: [
                "echo": { head, stream in
                    stream.start(Echo(stream))
                    _ = stream.write(Array("HTTP/1.1 101 Switching Protocols\r\n\r\n".utf8))
                }
            ]
        ) { _ in HTTPResponse(status: 404) }
        let connection = try await connect(server)
        let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: Echo\r\n\r\nearly"
        try await connection.write(Array(request.utf8), within: patience)
        let expected = Array("HTTP/1.1 101 Switching Protocols\r\n\r\nearly".utf8)
        #expect(try await connection.read(exactly: expected.count, within: patience) == expected)
        try await connection.write([1, 2], within: patience)
        #expect(try await connection.read(exactly: 2, within: patience) == [1, 2])
        await connection.close()
        let other = try await talk(
            "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: other\r\n\r\n",
            to: server
        )
        #expect(other.hasPrefix("HTTP/1.1 404 "))
    }

    @Test func aClientThatAsksBeforeItSendsABodyIsToldToGoOn() async throws {
        let connection = try await connect(try server())
        let head =
            "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n"
        try await connection.write(Array(head.utf8), within: patience)
        let go = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        #expect(try await connection.read(exactly: go.count, within: patience) == go)
        try await connection.write(Array("ok".utf8), within: patience)
        var answer: [UInt8] = []
        while let more = try await connection.read(within: patience) { answer += more }
        #expect(String(decoding: answer, as: UTF8.self).hasSuffix("POST / ok"))
        await connection.close()
    }
}
