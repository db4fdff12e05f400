import Sockets
import Testing

@Suite struct HTTPURLTests {
    @Test(arguments: [
        ("http://example.com", "http://example.com/"),
        ("HTTPS://Example.COM:443/a?b#c", "https://example.com/a?b"),
        ("wss://relay.example:7777/x", "wss://relay.example:7777/x"),
        ("ws://relay.example:80", "ws://relay.example/"),
        ("http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"),
        ("http://192.0.2.1?q", "http://192.0.2.1/?q"),
        ("http://h/a b\u{e9}\"", "http://h/a%20b%C3%A9%22"),
        ("http://h/a%20b/../c", "http://h/a%20b/../c"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
    ])
    func aURLIsTakenApartAndPutTogether(text: String, expected: String) throws {
        #expect(try HTTPURL(text).description == expected)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com/", "http:/example.com", "http://", "http:///path",
        "http://user@example.com/",
        "http://user:pass@example.com/", "http://example.com:0/", "http://example.com:65536/", "http://example.com:/",
        "http://example.com:+80/", "http://exa mple.com/", "http://b\u{fc}cher.example/", "http://a..b/", "http://.a/",
        "http://[::1/", "http://[1.2.3.4]/", "http://[::1]x/", "http://::1/", "http://a\\b/", "http://a%41/",
        "http://a\r\nb/",
        "javascript:alert(1)",
    ])
    func somethingElseIsRefused(text: String) {
        #expect(throws: SocketsError.self) { try HTTPURL(text) }
    }

    @Test func aURLThatIsTooLongIsRefused() throws {
        #expect(throws: Never.self) { try HTTPURL("http://a/" + String(repeating: "x", count: 8000)) }
        #expect(throws: SocketsError.invalidURL(reason: "it is too long")) {
            try HTTPURL("http://a/" + String(repeating: "x", count: 8200))
        }
    }

    // The examples of RFC 3986 section 5.4 that concern a path.
    @Test(arguments: [
        ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"),
        ("//g", "http://g/"),
        ("?y", "http://a/b/c/d?y"), ("g?y", "http://a/b/c/g?y"), ("", "http://a/b/c/d?q"), (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../g", "http://a/g"), ("../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"),
        ("g#s/../x", "http://a/b/c/g"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("https://z:1/q", "https://z:1/q"),
        ("./g/.", "http://a/b/c/g/"), ("g/../h", "http://a/b/c/h"),
    ])
    func aReferenceIsResolved(reference: String, expected: String) throws {
        #expect(try HTTPURL("http://a/b/c/d?q").resolving(reference).description == expected)
    }

    @Test func anOriginIsSchemeHostAndPort() throws {
        let url = try HTTPURL("https://a/x")
        #expect(url.hasSameOrigin(as: try HTTPURL("https://A:443/y")))
        for other in ["http://a/x", "https://b/x", "https://a:444/x"] {
            #expect(!url.hasSameOrigin(as: try HTTPURL(other)))
        }
    }
}
