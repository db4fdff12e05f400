import Foundation
import Sockets
import Testing

/// A server that answers every connection with prepared bytes, whatever is asked.
private final class Canned: Sendable {
    let listener: Listener
    let asked = Shared<[String]>([])
    var port: UInt16 { listener.address.port ?? 0 }

    /// - Parameter answers: by path; each is sent piece by piece, and repeated for ever when `endless`.
    init(_ answers: [String: [[UInt8]]], endless: Bool = false, staysOpen: Bool = false) throws {
        let asked = self.asked
        listener = try Listener(on: .ip(.loopback4, port: 0)) { stream in
            Task {
                let connection = await Connection(stream)
                var request = ""
                while !request.contains("\r\n\r\n"), let more = try await connection.read(within: patience) {
                    request += String(decoding: more, as: UTF8.self)
                }
                let text = request
                asked.update { $0.append(text) }
                let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                do {
                    for piece in answers[path] ?? [] { try await connection.write(piece, within: patience) }
                    while endless, let last = answers[path]?.last { try await connection.write(last, within: patience) }
                    if staysOpen { _ = try await connection.read(within: patience) }
                } catch {}
                await connection.close()
            }
        }
    }
}

private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite struct HTTPClientTests {
    private func url(_ server: Canned, _ path: String) throws -> HTTPURL {
        try HTTPURL("http://127.0.0.1:\(server.port)\(path)")
    }

    private func answer(_ text: String, client: HTTPClient = HTTPClient()) async throws -> HTTPResponse {
        let server = try Canned(["/": [bytes(text)]])
        return try await client.get(url(server, "/"))
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello and something behind",
        "HTTP/1.1 200 OK\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\nA: b\r\n\r\n",
        "HTTP/1.1 103 Early\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        "HTTP/1.0 200\r\nContent-Encoding: identity\r\n\r\nhello",
    ])
    func aBodyOfEveryFramingIsRead(text: String) async throws {
        let response = try await answer(text)
        #expect(response.status == 200)
        #expect(response.body == bytes("hello"))
        #expect(!response.isCut)
    }

    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", SocketsError.endedEarly),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", .endedEarly),
        ("HTTP/1.1 200 OK\r\nConte", .endedEarly),
        ("", .endedEarly),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello", .http(.ambiguousLength)),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello", .http(.ambiguousLength)),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nhello", .http(.unsupportedTransferCoding)),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\nhello", .http(.unsupportedContentCoding)),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nhello", .http(.malformedCompression)),
        ("HTTP/1.1 101 Switching Protocols\r\n\r\n", .http(.unexpectedStatus(101))),
        (String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 20), .http(.unexpectedStatus(101))),
        ("SSH-2.0-x\r\n\r\n", .http(.malformedStartLine)),
    ])
    func aBadAnswerIsAnErrorThatSaysWhich(text: String, expected: SocketsError) async throws {
        #expect(await failure { _ = try await answer(text) } == expected)
    }

    @Test func aBodyBeyondTheLimitIsRefusedOrCut() async throws {
        var client = HTTPClient()
        client.bodyLimit = 100_000
        for head in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFF\r\n"] {
            let server = try Canned(["/": [bytes(head), [UInt8](repeating: 97, count: 30_000)]], endless: true)
            client.cutsLongBodies = false
            let strict = client
            let target = try url(server, "/")
            #expect(await failure { _ = try await strict.get(target) } == .http(.bodyTooLarge))
            client.cutsLongBodies = true
            let response = try await client.get(target)
            #expect(response.isCut)
            #expect(response.body == [UInt8](repeating: 97, count: 100_000))
        }
        let exact = "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + String(repeating: "a", count: 100_000)
        client.cutsLongBodies = false
        #expect(try await answer(exact, client: client).body.count == 100_000)
        let announced = client
        #expect(
            await failure {
                _ = try await answer("HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n", client: announced)
            }
                == .http(.bodyTooLarge)
        )
    }

    @Test func aCompressedBodyIsInflatedUpToTheLimit() async throws {
        let head = bytes("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n")
        let text = [UInt8](repeating: 0, count: 8_000_000)
        let bomb = try await gzip(text)
        let server = try Canned([
            "/": [head, bomb], "/cut": [head, Array(bomb.dropLast(20))], "/behind": [head, bomb, [1, 2, 3]],
            "/empty": [head], "/bytes": [head] + bomb.map { [$0] },
        ])
        var client = HTTPClient()
        #expect(isSame(try await client.get(url(server, "/")).body, text))
        #expect(isSame(try await client.get(url(server, "/bytes")).body, text))
        #expect(try await client.get(url(server, "/empty")).body.isEmpty)
        for path in ["/cut", "/behind"] {
            let target = try url(server, path)
            #expect(await failure { _ = try await HTTPClient().get(target) } == .http(.malformedCompression))
        }
        client.inflatedLimit = 1_000_000
        let strict = client
        let target = try url(server, "/")
        #expect(await failure { _ = try await strict.get(target) } == .http(.inflatedBodyTooLarge))
        client.cutsLongBodies = true
        let response = try await client.get(target)
        #expect(response.isCut)
        #expect(response.body.count == 1_000_000)
        #expect(server.asked.value.allSatisfy { $0.contains("\r\nAccept-Encoding: gzip\r\n") })
    }

    private func gzip(_ bytes: [UInt8]) async throws -> [UInt8] {
        let directory = TemporaryDirectory()
        let file = directory.file("x")
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return try await offThePool {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["gzip", "-9", file]
            try process.run()
            process.waitUntilExit()
            return Array(try Data(contentsOf: URL(fileURLWithPath: file + ".gz")))
        }
    }

    @Test func aServerThatStallsIsGivenUp() async throws {
        let server = try Canned(["/": [bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")]], staysOpen: true)
        var client = HTTPClient()
        client.stallTime = .milliseconds(80)
        let impatient = client
        let target = try url(server, "/")
        #expect(await failure { _ = try await impatient.get(target) } == .timedOut(.response))
    }

    @Test func aServerThatDripsIsGivenUpAtTheTimeLimit() async throws {
        let listener = try Listener(on: .ip(.loopback4, port: 0)) { stream in
            Task {
                let connection = await Connection(stream)
                _ = try await connection.read(within: patience)
                try await connection.write(bytes("HTTP/1.1 200 OK\r\n\r\n"), within: patience)
                do {
                    while true {
                        try await connection.write([1], within: patience)
                        try await stream.loop.sleep(for: .milliseconds(5))
                    }
                } catch {}
                await connection.abort()
            }
        }
        var client = HTTPClient()
        client.timeout = .seconds(2)
        let impatient = client
        let target = try HTTPURL("http://127.0.0.1:\(try #require(listener.address.port))/")
        #expect(await failure { _ = try await impatient.get(target) } == .timedOut(.response))
    }

    private func redirect(_ status: Int, to location: String) -> [[UInt8]] {
        [bytes("HTTP/1.1 \(status) Moved\r\nLocation: \(location)\r\nContent-Length: 0\r\n\r\n")]
    }

    @Test func redirectsAreFollowedUpToTheLimit() async throws {
        let server = try Canned([
            "/1": redirect(301, to: "/2"), "/2": redirect(302, to: "3?x"),
            "/3?x": [bytes("HTTP/1.1 200 OK\r\n\r\nthere")], "/loop": redirect(302, to: "/loop"),
        ])
        let response = try await HTTPClient().get(url(server, "/1"))
        #expect(response.body == bytes("there"))
        #expect(response.url == (try url(server, "/3?x")))
        let loop = try url(server, "/loop")
        #expect(await failure { _ = try await HTTPClient().get(loop) } == .http(.tooManyRedirects))
        #expect(server.asked.value.count { $0.hasPrefix("GET /loop ") } == 6)
        var client = HTTPClient()
        client.redirects = .none
        #expect(try await client.get(loop).status == 302)
    }

    @Test func theAddressPolicyIsAskedAtEveryRedirect() async throws {
        let inside = try Canned(["/": [bytes("HTTP/1.1 200 OK\r\n\r\nsecret")]])
        let outside = try Canned([
            "/name": redirect(302, to: "http://inside.example:\(inside.port)/"),
            "/address": redirect(302, to: "http://127.0.0.2:\(inside.port)/"),
            "/fine": redirect(302, to: "/end"), "/end": [bytes("HTTP/1.1 200 OK\r\n\r\nfine")],
        ])
        var client = HTTPClient()
        client.connector.resolver = Resolver { name throws(SocketsError) in
            name == "outside.example" ? [.loopback4] : [.v4(0x7f00_0002)]
        }
        client.connector.addressPolicy = AddressPolicy { $0 == .loopback4 }
        let guarded = client
        let base = "http://outside.example:\(outside.port)"
        #expect(try await guarded.get(HTTPURL("\(base)/fine")).body == bytes("fine"))
        for path in ["/name", "/address"] {
            let target = try HTTPURL(base + path)
            #expect(await failure { _ = try await guarded.get(target) } == .addressRefused("127.0.0.2"))
        }
        #expect(inside.asked.value.isEmpty)
    }

    @Test(arguments: ["ftp://x/", "javascript:alert(1)", "ws://x/", "http://user@x/", "http://"])
    func aRedirectToSomethingElseIsRefused(location: String) async throws {
        let server = try Canned(["/": redirect(302, to: location)])
        let target = try url(server, "/")
        #expect(await failure { _ = try await HTTPClient().get(target) } == .http(.redirectRefused(location)))
    }

    @Test func aRedirectFromTLSToNoneIsRefused() async throws {
        let from = try HTTPURL("https://a/")
        let to = try HTTPURL("http://a/")
        let policy = HTTPClient.RedirectPolicy()
        #expect(!policy.allows(from, to))
        #expect(policy.allows(to, from))
        #expect(policy.allows(to, to))
    }

    @Test func secretsAreNotSentOnToAnotherHost() async throws {
        let other = try Canned(["/": [bytes("HTTP/1.1 200 OK\r\n\r\n")]])
        let server = try Canned([
            "/away": redirect(307, to: "http://127.0.0.1:\(other.port)/"), "/here": redirect(307, to: "/end"),
            "/end": [bytes("HTTP/1.1 200 OK\r\n\r\n")],
        ])
        let fields = try HTTPFields([("Authorization", "secret"), ("X-Other", "1")])
        _ = try await HTTPClient().get(url(server, "/away"), fields: fields)
        _ = try await HTTPClient().get(url(server, "/here"), fields: fields)
        #expect(server.asked.value.allSatisfy { $0.contains("Authorization: secret") })
        #expect(other.asked.value.count == 1)
        #expect(other.asked.value.allSatisfy { !$0.contains("secret") && $0.contains("X-Other: 1") })
    }

    @Test func aPostKeepsOrLosesItsBodyAsTheStatusSays() async throws {
        let server = try HTTPServer(on: .ip(.loopback4, port: 0)) { request in
            guard request.head.path != "/end" else {
                return HTTPResponse(
                    status: 200,
                    text: request.head.method + String(decoding: request.body, as: UTF8.self)
                )
            }
            var response = HTTPResponse(status: Int(request.head.path.dropFirst()) ?? 500)
            try? response.fields.append("Location", "/end")
            return response
        }
        let base = "http://127.0.0.1:\(try #require(server.address.port))"
        for (status, expected) in [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POSTbody"), (308, "POSTbody")] {
            let response = try await HTTPClient().post(
                HTTPURL("\(base)/\(status)"),
                body: bytes("body"),
                type: "text/plain"
            )
            #expect(String(decoding: response.body, as: UTF8.self) == expected)
        }
    }

    @Test(arguments: ["", "body"])
    func aBodyIsPutInThePlaceOfAResource(body: String) async throws {
        let server = try HTTPServer(on: .ip(.loopback4, port: 0)) { request in
            let length = request.head.fields.single("content-length") ?? "none"
            let body = String(decoding: request.body, as: UTF8.self)
            return HTTPResponse(status: 200, text: "\(request.head.method) \(length) \(body)")
        }
        let url = try HTTPURL("http://127.0.0.1:\(try #require(server.address.port))/")
        let response = try await HTTPClient().put(url, body: bytes(body), type: "text/plain")
        #expect(String(decoding: response.body, as: UTF8.self) == "PUT \(body.utf8.count) \(body)")
        server.close()
    }

    @Test func httpsWorksBetweenClientAndServer() async throws {
        let certificates = try await Certificates.shared()
        let server = try HTTPServer(
            on: .ip(.loopback4, port: 0),
            tls: TLSServer(
                certificateChainFile: certificates.certificate("good"),
                privateKeyFile: certificates.key("good")
            )
        ) { request in HTTPResponse(status: 200, text: "hello") }
        var client = HTTPClient()
        client.connector.tls = try await testClient()
        let response = try await client.get(HTTPURL("https://127.0.0.1:\(try #require(server.address.port))/"))
        #expect(response.body == bytes("hello"))
    }

    @Test func aCancelledRequestClosesItsConnection() async throws {
        let server = try Canned(["/": []], staysOpen: true)
        let target = try url(server, "/")
        let task = Task { try await HTTPClient().get(target) }
        #expect(await eventually { !server.asked.value.isEmpty })
        #expect(socketsTouching(port: server.port) == 3)
        task.cancel()
        #expect(await failure { _ = try await task.value } == .cancelled)
        #expect(await eventually { socketsTouching(port: server.port) == 1 })
    }

    @Test func aCallerCannotOverwriteTheFieldsOfTheFraming() async throws {
        let server = try Canned(["/": [bytes("HTTP/1.1 200 OK\r\n\r\n")]])
        let target = try url(server, "/")
        for name in ["Host", "content-length", "Transfer-Encoding", "Connection"] {
            let fields = try HTTPFields([(name, "1")])
            #expect(await failure { _ = try await HTTPClient().get(target, fields: fields) } == .http(.malformedField))
        }
    }
}
