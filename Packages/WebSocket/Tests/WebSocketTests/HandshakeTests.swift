import Sockets
import Testing

@testable import WebSocket

private let urls: [(text: String, isSecure: Bool, host: String, port: UInt16, target: String, header: String)] = [
    ("ws://relay.example", false, "relay.example", 80, "/", "relay.example"),
    ("wss://Relay.Example/", true, "relay.example", 443, "/", "relay.example"),
    ("WSS://relay.example:7777/a/b?c=d", true, "relay.example", 7777, "/a/b?c=d", "relay.example:7777"),
    ("ws://relay.example?x", false, "relay.example", 80, "/?x", "relay.example"),
    ("ws://127.0.0.1:80/", false, "127.0.0.1", 80, "/", "127.0.0.1"),
    ("ws://[::1]:8080", false, "::1", 8080, "/", "[::1]:8080"),
    ("wss://[2001:DB8::1]", true, "2001:db8::1", 443, "/", "[2001:db8::1]"),
    ("ws://host:/path", false, "host", 80, "/path", "host"),
    ("ws://abc.onion/%20", false, "abc.onion", 80, "/%20", "abc.onion"),
]

@Test(arguments: urls)
func aWebSocketURLIsTakenApart(
    text: String,
    isSecure: Bool,
    host: String,
    port: UInt16,
    target: String,
    header: String
) throws {
    let url = try WebSocketURL(text)
    #expect(url.isSecure == isSecure && url.host == host && url.port == port && url.target == target)
    #expect(url.hostHeader == header)
    #expect(try WebSocketURL(url.description) == url)
}

@Test(
    arguments: [
        "", "relay.example", "http://relay.example", "ws:relay.example", "ws://", "ws:///path", "ws://:80",
        "ws://user@host", "ws://user:password@host", "ws://host:0", "ws://host:65536", "ws://host:99999999",
        "ws://host:-1", "ws://host:8a", "ws://host#fragment", "ws://host/ path", "ws://ho st", "ws://host\r\nX: y",
        "ws://hôte", "ws://[::1", "ws://[]", "ws://[host]", "ws://[::1]x", "ws://a\\b", "ws://host/\u{7F}",
        "ws://host/\"", "ws://" + String(repeating: "a", count: 254),
    ])
func aTextThatIsNoWebSocketURLIsRefused(text: String) {
    #expect(throws: WebSocketError.invalidURL(text)) { try WebSocketURL(text) }
}

@Test func aURLOfMoreThanFourThousandBytesIsRefused() throws {
    let long = "ws://host/" + String(repeating: "a", count: 4086)
    _ = try WebSocketURL(long)
    #expect(throws: WebSocketError.self) { try WebSocketURL(long + "a") }
}

private let goodRequest = [
    ("Host", "server.example.com"), ("Upgrade", "websocket"), ("Connection", "keep-alive, Upgrade"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="), ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Protocol", "chat, superchat"),
]

private func changed(_ name: String, _ values: [String]) -> [(String, String)] {
    goodRequest.filter { $0.0 != name } + values.map { (name, $0) }
}

private func accept(
    _ fields: [(String, String)],
    line: String = "GET /chat HTTP/1.1",
    subprotocols: [String] = []
) throws -> (agreement: HandshakeAgreement, response: String) {
    let request = try HTTPRequestHead(head(line, fields))
    let (agreement, response) = try ServerHandshake(subprotocols: subprotocols).accept(request)
    return (agreement, String(decoding: response, as: UTF8.self))
}

private func head(_ line: String, _ fields: [(String, String)]) throws -> HTTPHead {
    var parser = HTTPHeadParser()
    let text = ([line] + fields.map { "\($0): \($1)" } + ["", ""]).joined(separator: "\r\n")
    var index = 0
    return try #require(try parser.feed(Array(text.utf8), from: &index))
}

@Test func theRequestOfTheRFCIsAccepted() throws {
    let (agreement, response) = try accept(goodRequest, subprotocols: ["superchat", "chat"])
    #expect(agreement == HandshakeAgreement(subprotocol: "superchat", compression: nil))
    #expect(
        response == "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: superchat\r\n\r\n"
    )
    #expect(try accept(goodRequest, subprotocols: ["other"]).agreement.subprotocol == nil)
    let compressed = changed("Sec-WebSocket-Extensions", ["permessage-deflate"])
    #expect(
        try accept(compressed).agreement.compression
            == CompressionParameters(serverNoContextTakeover: true, clientNoContextTakeover: true)
    )
}

private let badRequests: [(name: String, values: [String], fault: HandshakeFault)] = [
    ("Upgrade", [], .upgrade), ("Upgrade", ["h2c"], .upgrade),
    ("Connection", [], .connection), ("Connection", ["keep-alive"], .connection),
    ("Sec-WebSocket-Version", [], .version), ("Sec-WebSocket-Version", ["12"], .version),
    ("Sec-WebSocket-Version", ["13", "13"], .version), ("Sec-WebSocket-Version", ["013"], .version),
    ("Sec-WebSocket-Key", [], .key), ("Sec-WebSocket-Key", ["AAAA"], .key),
    ("Sec-WebSocket-Key", ["dGhlIHNhbXBsZSBub25jZQ==", "dGhlIHNhbXBsZSBub25jZQ=="], .key),
    ("Sec-WebSocket-Protocol", ["a b"], .subprotocol), ("Sec-WebSocket-Extensions", ["a;;b"], .extensions),
]

@Test(arguments: badRequests)
func aRequestWithABadFieldIsRefused(name: String, values: [String], fault: HandshakeFault) {
    #expect(throws: fault) { try accept(changed(name, values)) }
    let text = String(decoding: ServerHandshake.refusal(of: fault), as: UTF8.self)
    #expect(text.hasPrefix(fault == .version ? "HTTP/1.1 426 " : "HTTP/1.1 400 "))
    #expect(text.hasSuffix(fault.description + "\n"))
}

@Test func onlyAGetOfHTTP11IsAccepted() throws {
    _ = try accept(goodRequest)
    #expect(throws: HandshakeFault.request) { try accept(goodRequest, line: "POST /chat HTTP/1.1") }
    #expect(throws: HandshakeFault.request) { try accept(goodRequest, line: "GET /chat HTTP/1.0") }
}

private func client(
    headers: [(name: String, value: String)] = [],
    offer: CompressionOffer? = CompressionOffer()
) throws -> ClientHandshake {
    try ClientHandshake(
        url: WebSocketURL("ws://server.example.com/chat"),
        headers: headers,
        subprotocols: ["chat", "superchat"],
        offer: offer,
        random: (0x0706_0504_0302_0100, 0x0F0E_0D0C_0B0A_0908)
    )
}

private let goodResponse = [
    ("Upgrade", "WebSocket"), ("Connection", "upgrade"), ("Sec-WebSocket-Accept", "Bz3qJYTGdOe8gUSpLosEdiLKDrk="),
]

@Test func theClientsRequestSaysWhatTheRFCDemands() throws {
    let text = String(decoding: try client(headers: [("User-Agent", "test")]).request, as: UTF8.self)
    #expect(
        text == "GET /chat HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            + "Sec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Protocol: chat, superchat\r\n"
            + "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\nUser-Agent: test\r\n\r\n"
    )
}

@Test(
    arguments: [
        ("Host", "x"), ("sec-websocket-key", "x"), ("Upgrade", "x"), ("Bad Name", "x"), ("", "x"),
        ("X-Split", "a\r\nB: c"), ("X-Null", "\0"), ("Content-Length", "1"),
    ])
func aHeaderThatWouldBreakTheRequestIsRefused(name: String, value: String) throws {
    #expect(throws: WebSocketError.handshake(.addedHeader(name))) { try client(headers: [(name, value)]) }
}

private func answer(
    _ fields: [(String, String)],
    status: Int = 101,
    offer: CompressionOffer? = CompressionOffer()
) throws -> HandshakeAgreement {
    let response = try HTTPResponseHead(head("HTTP/1.1 \(status) Reason", fields))
    return try client(offer: offer).agreement(response)
}

private let badAnswers: [(name: String, values: [String], fault: HandshakeFault)] = [
    ("Upgrade", [], .upgrade), ("Upgrade", ["h2c"], .upgrade), ("Connection", ["close"], .connection),
    ("Sec-WebSocket-Accept", [], .accept), ("Sec-WebSocket-Accept", ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="], .accept),
    ("Sec-WebSocket-Protocol", ["other"], .subprotocol), ("Sec-WebSocket-Protocol", ["chat", "chat"], .subprotocol),
    ("Sec-WebSocket-Extensions", ["x-other"], .extensions),
]

@Test(arguments: badAnswers)
func anAnswerThatBreaksTheHandshakeIsRefused(name: String, values: [String], fault: HandshakeFault) throws {
    let fields = goodResponse.filter { $0.0 != name } + values.map { (name, $0) }
    #expect(throws: WebSocketError.handshake(fault)) { try answer(fields) }
}

@Test func aGoodAnswerGivesWhatWasAgreedOn() throws {
    #expect(try answer(goodResponse) == HandshakeAgreement())
    let full =
        goodResponse + [("Sec-WebSocket-Protocol", "chat"), ("Sec-WebSocket-Extensions", "permessage-deflate")]
    #expect(try answer(full) == HandshakeAgreement(subprotocol: "chat", compression: CompressionParameters()))
    #expect(throws: WebSocketError.handshake(.extensions)) { try answer(full, offer: nil) }
    #expect(throws: WebSocketError.refused(status: 403)) { try answer(goodResponse, status: 403) }
}
