import LinkstrLinks
import Testing

@Suite("A linkstr link")
struct DeepLinkTests {
    @Test("comes back from its text unchanged")
    func roundTrip() throws {
        let url = try WebURL("https://example.com/a%20b?first=1&next=a%2Bb#section")
        for link in [
            DeepLink.open(url), .share(url, note: "50 % off + more & \"ü\""), .share(url, note: nil), .save(url),
        ] {
            #expect(try DeepLink(link.text) == link)
        }
    }

    @Test("trims the note and leaves out an empty one")
    func notes() throws {
        let url = try WebURL("example.com/watch")
        let link = DeepLink.share(url, note: "  worth saving & tagging? yes  ")
        #expect(try DeepLink(link.text) == .share(url, note: "worth saving & tagging? yes"))
        #expect(url.text == "https://example.com/watch")
        #expect(DeepLink.share(url, note: " \t ").text == DeepLink.share(url, note: nil).text)
    }

    @Test("cuts a note to 4,000 characters")
    func longNote() throws {
        let url = try WebURL("example.com")
        let link = DeepLink.share(url, note: String(repeating: "ä", count: 4_005))
        guard case .share(_, let note?) = try DeepLink(link.text) else {
            Issue.record("no note came back")
            return
        }
        #expect(note.count == 4_000)
    }

    @Test("is read with scheme and route in any case and a trailing slash")
    func spelling() throws {
        let expected = DeepLink.open(try WebURL("https://example.com"))
        #expect(try DeepLink("LINKSTR://Open/?url=https://example.com") == expected)
    }

    @Test(
        "is refused when it is not one of the three",
        arguments: [
            "linkstr://share", "linkstr://share?note=hi", "linkstr://save", "linkstr://share?url=ftp://example.com",
            "linkstr://watch?url=https://example.com/post", "linkstr://open/deep?url=https://example.com",
            "linkstr://open?p=aHR0cHM6Ly9leGFtcGxlLmNvbQ", "https://open?url=https://example.com", "linkstr:", "",
            "linkstr://open?url=%ff",
        ]
    )
    func refused(text: String) {
        #expect(throws: LinkError.self) { try DeepLink(text) }
    }
}
