import LinkstrLinks
import Testing

@Suite("What a person types as a link")
struct WebURLTests {
    @Test(
        "becomes a web address",
        arguments: [
            (" https://example.com/path?q=1 ", "https://example.com/path?q=1"),
            ("http://example.com", "http://example.com"),
            ("example.com/post", "https://example.com/post"),
            ("example.com/video.mp4", "https://example.com/video.mp4"),
            (
                "https://example.com/a%20b?first=1&next=a%2Bb#section",
                "https://example.com/a%20b?first=1&next=a%2Bb#section"
            ),
            ("//example.com/a", "https://example.com/a"),
            ("localhost:8080/x", "https://localhost:8080/x"),
            ("127.0.0.1/x", "https://127.0.0.1/x"),
            ("127.0.0.1:80/x", "https://127.0.0.1:80/x"),
            ("[::1]/x", "https://[::1]/x"),
            ("[::1]:8080/x", "https://[::1]:8080/x"),
            ("example.com:8443/x", "https://example.com:8443/x"),
            ("HTTPS://Example.COM/A", "HTTPS://Example.COM/A"),
            ("\u{200b}\u{3000}example.com\u{2029}", "https://example.com"),
            ("https://bücher.example/straße", "https://bücher.example/straße"),
            ("https://user:word@example.com:81/", "https://user:word@example.com:81/"),
            ("example.com/a|b", "https://example.com/a|b"),
            ("example.com.", "https://example.com."),
        ]
    )
    func accepted(input: String, expected: String) throws {
        #expect(try WebURL(input).text == expected)
    }

    @Test(
        "is refused when it is none",
        arguments: [
            ("ftp://example.com/file", LinkError.notWeb(scheme: "ftp")),
            ("mailto:test@example.com", .notWeb(scheme: "mailto")),
            ("https://", .noCredibleHost),
            ("not-a-url", .noCredibleHost),
            ("", .empty),
            (" \n", .empty),
            ("javascript:alert('xss')", .notWeb(scheme: "javascript")),
            ("linkstr://open?url=https%3A%2F%2Fexample.com%2Fpost", .notWeb(scheme: "linkstr")),
            ("example..com", .noCredibleHost),
            ("-bad.example", .noCredibleHost),
            ("bad-.example", .noCredibleHost),
            ("https://exa mple.com", .whiteSpaceInside),
            ("https://example.com/a\u{1b}[31m", .whiteSpaceInside),
            ("https://example.com:65536/", .invalidPort),
            ("https://example.com:8a/", .invalidPort),
            ("https://[::1", .noCredibleHost),
            ("https://[::g]/", .noCredibleHost),
            ("https://good.example\\@evil.example/", .noCredibleHost),
            ("https:example.com", .noCredibleHost),
            ("https://evil.example\\\u{301}@good.example/", .noCredibleHost),
            ("https://good.example\u{301}@/", .noCredibleHost),
            ("https://\u{301}good.example/", .noCredibleHost),
            ("https://u@\u{fe0f}good.example/", .noCredibleHost),
            ("https://[::1]\u{301}:80/", .noCredibleHost),
            ("https://[::1]x/", .noCredibleHost),
        ]
    )
    func refused(input: String, error: LinkError) {
        #expect(throws: error) { try WebURL(input) }
    }

    @Test("tells its parts")
    func parts() throws {
        let url = try WebURL("HTTP://u@Sub.Example.com:8080/A/b%20c//d?x=1%2B2&Y=z#f?g")
        #expect(url.scheme == "http")
        #expect(url.host == "sub.example.com")
        #expect(url.port == 8080)
        #expect(url.path == "/A/b%20c//d")
        #expect(url.query == "x=1%2B2&Y=z")
        #expect(url.queryValue("x") == "1+2")
        #expect(url.queryValue("y") == "z")
        #expect(url.pathParts == ["A", "b%20c", "d"])
    }

    /// A mark behind a delimiter makes one character of both, in which a text does not find the delimiter. Browsers do.
    @Test(
        "has the host that browsers see, also where marks follow delimiters",
        arguments: [
            ("https://good.example/\u{301}@evil.example/", "/\u{301}@evil.example/", nil),
            ("https://good.example?\u{301}@evil.example/#\u{301}x", "", "\u{301}@evil.example/"),
            ("https://good.example#\u{301}@evil.example/", "", nil),
            ("good.example/a?b#\u{20dd}c", "/a", "b"),
        ] as [(String, String, String?)]
    )
    func marks(input: String, path: String, query: String?) throws {
        let url = try WebURL(input)
        #expect(url.host == "good.example")
        #expect(url.path.unicodeScalars.elementsEqual(path.unicodeScalars))
        #expect(url.query.map { Array($0.unicodeScalars) } == query.map { Array($0.unicodeScalars) })
    }

    @Test("finds path parts and query values between delimiters that marks follow")
    func partsWithMarks() throws {
        let url = try WebURL("https://example.com/a/\u{301}b?x=\u{301}1&\u{301}y=2&z=3")
        #expect(url.pathParts.map { $0.unicodeScalars.count } == [1, 2])
        #expect(url.queryValue("x").map { $0.unicodeScalars.count } == 2)
        #expect(url.queryValue("z") == "3")
    }

    @Test("is compared by its bytes, not by canonical equivalence")
    func comparison() throws {
        let composed = try WebURL("https://example.com/\u{e9}")
        let decomposed = try WebURL("https://example.com/e\u{301}")
        #expect(composed != decomposed)
        #expect(composed.text == decomposed.text)
    }

    @Test("may also be an open link when it is to be posted")
    func postInput() throws {
        let open = " \nlinkstr://open?url=https%3A%2F%2Fexample.com%2Fpost\n "
        #expect(try WebURL(postInput: open).text == "https://example.com/post")
        #expect(try WebURL(postInput: "example.com").text == "https://example.com")
    }

    @Test(
        "may be no other linkstr link when it is to be posted",
        arguments: [
            "linkstr://open", "linkstr://watch?url=https://example.com/post",
            "linkstr://open/path?url=https://example.com/post",
            "linkstr://open?url=https%3A%2F%2Fexample.com%2Fpost and more", "linkstr://open?url=javascript%3Aalert(1)",
            "linkstr://open?url=linkstr%3A%2F%2Fopen%3Furl%3Dhttps%253A%252F%252Fexample.com",
            "linkstr://share?url=https%3A%2F%2Fexample.com%2Fpost",
        ]
    )
    func refusedPostInput(input: String) {
        #expect(throws: LinkError.self) { try WebURL(postInput: input) }
    }
}
