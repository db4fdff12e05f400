import LinkstrLinks
import Testing

@Suite("The head of a page")
struct PageHeadTests {
    @Test(
        "names the page's own address",
        arguments: [
            #"<link rel="canonical" href="https://m.facebook.com/watch/?v=10153231379946729&amp;foo=bar">"#,
            #"<link href='https://m.facebook.com/watch/?v=10153231379946729&amp;foo=bar' rel='alternate canonical'/>"#,
            #"<META content="https://m.facebook.com/watch/?v=10153231379946729&#38;foo=bar" PROPERTY=og:url>"#,
        ]
    )
    func canonical(html: String) {
        let head = PageHead(html: "<html><head>\(html)</head>".utf8)
        #expect(head.canonicalCandidate == "https://m.facebook.com/watch/?v=10153231379946729&foo=bar")
    }

    @Test("prefers og:url to the canonical link")
    func order() {
        let html =
            #"<link rel=canonical href="https://a.example/"><meta property="og:url" content="https://b.example/">"#
        #expect(PageHead(html: html.utf8).canonicalCandidate == "https://b.example/")
    }

    @Test("gives title, properties and the oEmbed link")
    func fields() {
        let html = """
            <!doctype html><!-- <title>no</title> --><head><script>var x = "<title>no</title>"</script>
            <title>\n A &amp; B\t&lt;C&gt; </title><title>second</title>
            <meta name=description content=short><meta property="og:title" content="T"><meta property="og:title" content="U">
            <link rel="alternate" type="application/json+oembed" href="https://e.example/o?u=1&amp;f=json">
            </head><body><meta property="og:image" content="too late">
            """
        let head = PageHead(html: html.utf8)
        #expect(head.title == "A & B <C>")
        #expect(head.meta == ["description": "short", "og:title": "T"])
        #expect(head.oEmbedLink == "https://e.example/o?u=1&f=json")
    }

    @Test("survives being cut anywhere and bytes of any kind")
    func hostile() {
        let html = Array(
            #"<head><meta property="og:title" content='x &#x41; &#x110000; &bogus;'><title>a</title><link rel=canonical href=/>"#
                .utf8
        )
        for end in 0...html.count { _ = PageHead(html: html[..<end]) }
        var state: UInt64 = 88_172_645_463_325_252
        for length in 0..<400 {
            let bytes = (0..<length).map { _ -> UInt8 in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return Array("<>/=\"'& metalink\u{e9}!-".utf8)[Int(state % 20)]
            }
            _ = PageHead(html: bytes)
        }
        #expect(PageHead(html: html).meta["og:title"] == "x A &#x110000; &bogus;")
    }

    @Test("keeps at most 256 properties and 8 KiB of each")
    func bounds() {
        let many = (0..<400).map { "<meta name=n\($0) content=v>" }.joined()
        #expect(PageHead(html: many.utf8).meta.count == 256)
        let long = "<title>" + String(repeating: "a", count: 100_000) + "</title>"
        #expect(PageHead(html: long.utf8).title?.utf8.count == 8_192)
    }

    @Test("costs time in proportion to its size", .timeLimit(.minutes(10)))
    func linear() {
        let html = String(repeating: "<", count: 1_000_000) + String(repeating: "<!--", count: 200_000)
        #expect(PageHead(html: html.utf8).title == nil)
    }
}
