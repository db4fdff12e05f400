import LinkstrLinks
import Testing

@Suite("A text to share")
struct SharedTextTests {
    @Test(
        "has its first web link taken out, and the rest is the note",
        arguments: [
            ("https://example.com/a", "https://example.com/a", nil),
            ("Worth a look: https://example.com/a (long)", "https://example.com/a", "Worth a look: (long)"),
            ("see https://example.com/a.", "https://example.com/a", "see ."),
            (
                "e.g. this: HTTPS://example.com/b, and https://example.com/c", "HTTPS://example.com/b",
                "e.g. this: , and https://example.com/c"
            ),
            ("look\nexample.com/a\n", "https://example.com/a", "look"),
            ("https://en.example.org/wiki/Swift_(bird)", "https://en.example.org/wiki/Swift_(bird)", nil),
            ("(https://example.com/a)", "https://example.com/a", "( )"),
        ] as [(String, String, String?)]
    )
    func links(text: String, url: String, note: String?) throws {
        let shared = try SharedText(text)
        #expect(shared.url.text == url)
        #expect(shared.note == note)
    }

    @Test("without a web link is refused", arguments: ["", "no link here", "mailto:a@b", "ftp://example.com/x"])
    func noLink(text: String) {
        #expect(throws: LinkError.self) { try SharedText(text) }
    }
}
