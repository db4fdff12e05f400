import LinkstrLinks
import Sockets
import Testing

@testable import LinkMetadata

@Suite("Metadata of a link", .timeLimit(.minutes(10)))
struct MetadataTests {
    private func fetcher(_ change: (inout MetadataFetcher) -> Void = { _ in }) -> MetadataFetcher {
        var fetcher = MetadataFetcher()
        fetcher.allowsPrivateAddresses = true
        // It only guards against hanging.
        fetcher.timeout = .seconds(60)
        change(&fetcher)
        return fetcher
    }

    @Test("comes from Open Graph, then from the oEmbed that the page names, then from its title")
    func sources() async throws {
        let server = try HostileServer { path in
            switch path {
            case "/graph":
                .html(
                    """
                    <title>Plain</title><meta property="og:title" content="Graph &amp; more">
                    <meta property="og:description" content=" two
                    lines "><meta property="og:image" content="/pictures/a.png">
                    <meta property="og:site_name" content="Site"><link rel="canonical" href="/own">
                    """
                )
            case "/embed":
                .html(
                    """
                    <title>Plain</title><meta name="description" content="D">
                    <link rel="alternate" type="application/json+oembed" href="/oembed.json">
                    """
                )
            case "/oembed.json":
                .init(
                    type: "application/json",
                    body: Array(
                        #"{"version":"1.0","title":"From oEmbed","thumbnail_url":"https://e.example/t.jpg","provider_name":"P"}"#
                            .utf8
                    )
                )
            case "/title": .html("<title> Only\n a title </title>")
            case "/picture": .init(type: "image/png", body: [1, 2, 3])
            case "/empty": .html("")
            default: .init(status: 404)
            }
        }
        defer { server.close() }
        let graph = try await fetcher().metadata(of: try server.url("/graph"))
        #expect(graph.title == "Graph & more")
        #expect(graph.description == "two lines")
        #expect(graph.thumbnail?.text == "http://127.0.0.1:\(server.port)/pictures/a.png")
        #expect(graph.siteName == "Site")
        #expect(graph.canonical?.path == "/own")
        let embed = try await fetcher().metadata(of: try server.url("/embed"))
        #expect(embed.title == "From oEmbed")
        #expect(embed.description == "D")
        #expect(embed.thumbnail?.text == "https://e.example/t.jpg")
        #expect(embed.siteName == "P")
        #expect(try await fetcher().metadata(of: try server.url("/title")).title == "Only a title")
        let picture = try await fetcher().metadata(of: try server.url("/picture"))
        #expect(picture.thumbnail == picture.url)
        #expect(try await fetcher().picture(at: try server.url("/picture")).bytes == [1, 2, 3])
        await #expect(throws: LinkMetadataError.nothingFound) {
            try await fetcher().metadata(of: try server.url("/empty"))
        }
        await #expect(throws: LinkMetadataError.status(404)) {
            try await fetcher().metadata(of: try server.url("/none"))
        }
    }

    @Test("is asked of the provider first, and the page fills what is missing")
    func provider() async throws {
        let server = try HostileServer { path in
            switch path {
            case "/whole": .init(body: Array(#"{"title":"W","thumbnail_url":"https://e.example/w.png"}"#.utf8))
            case "/part": .init(body: Array(#"{"title":"P"}"#.utf8))
            case "/broken": .init(body: Array("<html>".utf8))
            default: .html(#"<meta property="og:title" content="Page"><meta property="og:image" content="/p.png">"#)
            }
        }
        defer { server.close() }
        let port = server.port
        func title(_ path: String) async throws -> LinkMetadata {
            let fetcher = fetcher { $0.endpoint = { _ in "http://127.0.0.1:\(port)\(path)" } }
            return try await fetcher.metadata(of: try server.url("/page"))
        }
        #expect(try await title("/whole").title == "W")
        #expect(server.log.all.map { String($0.head.path) } == ["/whole"])
        let part = try await title("/part")
        #expect(part.title == "P")
        #expect(part.thumbnail?.path == "/p.png")
        #expect(try await title("/broken").title == "Page")
        let link = Link(try WebURL("youtu.be/dQw4w9WgXcQ"))
        #expect(
            MetadataFetcher().endpoint(link)
                == "https://www.youtube.com/oembed?format=json&url=https%3A%2F%2Fwww.youtube.com%2Fwatch%3Fv%3DdQw4w9WgXcQ"
        )
        #expect(MetadataFetcher().endpoint(Link(try WebURL("example.com"))) == nil)
    }

    @Test(
        "is read in the charset that the server or the page names; of others only ASCII",
        arguments: [
            ("text/html; charset=ISO-8859-1", [0x63, 0x61, 0x66, 0xe9], "café"),
            ("text/html; charset=\"windows-1252\"", [0x80, 0x35], "€5"),
            ("text/html; charset=iso-8859-15", [0xa4], "€"),
            ("text/html", [0x63, 0xc3, 0xa9], "cé"),
            ("text/html; charset=utf-8", [0x63, 0xe9], "c\u{fffd}"),
            ("text/html; charset=shift_jis", [0x41, 0x83, 0x42], "A\u{fffd}B"),
            ("text/html; charset=", [0x63, 0xc3, 0xa9], "cé"),
            ("text/html; charset=\u{22}\u{22}; x=charset=latin1", [0x63, 0xc3, 0xa9], "cé"),
        ] as [(String, [UInt8], String)]
    )
    func charsets(type: String, bytes: [UInt8], title: String) async throws {
        let body = Array("<title>".utf8) + bytes + Array("</title>".utf8)
        let server = try HostileServer { _ in .init(type: type, body: body) }
        defer { server.close() }
        #expect(try await fetcher().metadata(of: try server.url("/")).title == title)
    }

    @Test("is read in the charset of a mark or of the page itself")
    func declaredCharsets() {
        #expect(
            PageText.utf8(Array("<meta charset=latin1>".utf8) + [0xe9], contentType: "text/html").suffix(2) == [
                0xc3, 0xa9,
            ]
        )
        let single = Array("<meta charset=utf-16><title>é</title>".utf8)
        #expect(PageText.utf8(single, contentType: nil) == single, "pairs of bytes do not say so in single ones")
        #expect(PageText.utf8([0xff, 0xfe, 0x41, 0, 0xe9, 0], contentType: nil) == Array("Aé".utf8))
        #expect(PageText.utf8([0x41, 0, 0xe9], contentType: "text/html; charset=utf-16") == Array("A".utf8))
        #expect(
            PageText.utf8([0x00, 0xd8, 0x41, 0], contentType: "text/html;charset=utf-16le") == Array("\u{fffd}A".utf8)
        )
        #expect(PageText.utf8([0xfe, 0xff, 0, 0x41, 0], contentType: nil) == Array("A".utf8))
        #expect(PageText.utf8([0xef, 0xbb, 0xbf, 0x41], contentType: "text/html; charset=latin1") == [0x41])
    }

    @Test(
        "has no control characters and an end",
        arguments: [
            ("a\u{202e}b\u{0}c\u{1b}[31m", "a\u{202e}bc[31m"), ("  \n\t ", nil), ("a \u{a0}\n b", "a b"),
            (String(repeating: "x", count: 10_000), String(repeating: "x", count: 300)),
            ("e" + String(repeating: "\u{301}", count: 100_000), "e" + String(repeating: "\u{301}", count: 1_199)),
        ] as [(String, String?)]
    )
    func lines(text: String, line: String?) {
        #expect(LinkMetadata.line(text, limit: LinkMetadata.maximumTitle) == line)
    }

    @Test("sends no cookies, even those that it was given")
    func cookies() async throws {
        let server = try HostileServer { path in path == "/a" ? .redirect("/b") : .html("<title>T</title>") }
        defer { server.close() }
        #expect(try await fetcher().metadata(of: try server.url("/a")).url.path == "/b")
        _ = try await fetcher().metadata(of: try server.url("/b"))
        #expect(server.log.all.count == 3)
        #expect(server.log.all.allSatisfy { $0.head.fields.values("cookie").isEmpty })
        #expect(server.log.all.allSatisfy { $0.head.fields.values("referer").isEmpty })
    }

    @Test("is found as the example of the readme does it")
    func readme() async throws {
        let server = try HostileServer { _ in .html("<title>Hello</title>") }
        defer { server.close() }
        let url = try server.url("/")

        var fetcher = MetadataFetcher()
        fetcher.timeout = .seconds(5)
        fetcher.allowsPrivateAddresses = true
        let page = try await fetcher.metadata(of: url)
        #expect((page.title ?? page.url.text) == "Hello")
    }
}
