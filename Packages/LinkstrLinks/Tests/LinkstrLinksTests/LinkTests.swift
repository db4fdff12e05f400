import LinkstrLinks
import Testing

@Suite("What a link is, from its text")
struct LinkTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let input: String
        let provider: LinkProvider
        let strategy: Link.Strategy
        let embed: String?

        var testDescription: String { input }

        init(_ input: String, _ provider: LinkProvider, _ strategy: Link.Strategy, _ embed: String?) {
            self.input = input
            self.provider = provider
            self.strategy = strategy
            self.embed = embed
        }
    }

    @Test(
        "has the provider, strategy and embed of the examples",
        arguments: [
            Row(
                "https://www.tiktok.com/@acct/video/7596114833477537054",
                .tiktok,
                .extract,
                "https://www.tiktok.com/player/v1/7596114833477537054"
            ),
            Row(
                "https://www.tiktok.com/player/v1/7596114833477537054",
                .tiktok,
                .extract,
                "https://www.tiktok.com/player/v1/7596114833477537054"
            ),
            Row(
                "https://www.tiktok.com/@acct/photo/7651971146413329671",
                .tiktok,
                .embed,
                "https://www.tiktok.com/player/v1/7651971146413329671"
            ),
            Row("https://www.tiktok.com/t/ZTk1EeG6M/", .tiktok, .extract, "https://www.tiktok.com/t/ZTk1EeG6M/"),
            Row("https://vm.tiktok.com/ZMfooBar/", .tiktok, .extract, "https://vm.tiktok.com/ZMfooBar/"),
            Row(
                "https://www.tiktok.com/?aweme_id=7596114833477537054",
                .tiktok,
                .extract,
                "https://www.tiktok.com/player/v1/7596114833477537054"
            ),
            Row("https://www.tiktok.com/@acct", .tiktok, .link, nil),
            Row(
                "https://www.instagram.com/reel/C7x5mYfP0R1/",
                .instagram,
                .extract,
                "https://www.instagram.com/reel/C7x5mYfP0R1/?l=1"
            ),
            Row(
                "https://www.instagram.com/p/C7x5mYfP0R1/",
                .instagram,
                .extract,
                "https://www.instagram.com/p/C7x5mYfP0R1/?l=1"
            ),
            Row(
                "https://m.instagram.com/reel/C7x5mYfP0R1/",
                .instagram,
                .extract,
                "https://www.instagram.com/reel/C7x5mYfP0R1/?l=1"
            ),
            Row(
                "https://www.instagram.com/share/reel/DUSWiOIDivu/",
                .instagram,
                .extract,
                "https://www.instagram.com/reel/DUSWiOIDivu/?l=1"
            ),
            Row(
                "https://www.instagram.com/share/p/DUbRe_8EuQY/",
                .instagram,
                .extract,
                "https://www.instagram.com/p/DUbRe_8EuQY/?l=1"
            ),
            Row(
                "https://www.instagram.com/p/C-dH1fUNQwq/?l=1",
                .instagram,
                .extract,
                "https://www.instagram.com/p/C-dH1fUNQwq/?l=1"
            ),
            Row(
                "https://www.instagram.com/reel/DaBh1TUP5sC/?igsh=MmFyM2E2anAyMXdt",
                .instagram,
                .extract,
                "https://www.instagram.com/reel/DaBh1TUP5sC/?l=1"
            ),
            Row("https://www.instagram.com/acct/", .instagram, .link, nil),
            Row(
                "https://www.facebook.com/reel/123456789012345",
                .facebook,
                .extract,
                "https://www.facebook.com/plugins/post.php?href=https://www.facebook.com/reel/123456789012345&show_text=false&width=540"
            ),
            Row(
                "https://www.facebook.com/some.page/videos/123456789012345/",
                .facebook,
                .extract,
                "https://m.facebook.com/watch/?v=123456789012345"
            ),
            Row(
                "https://www.facebook.com/share/v/10153231379946729/",
                .facebook,
                .extract,
                "https://m.facebook.com/watch/?v=10153231379946729"
            ),
            Row(
                "https://www.facebook.com/share/r/213286701716863/",
                .facebook,
                .extract,
                "https://www.facebook.com/plugins/post.php?href=https://www.facebook.com/share/r/213286701716863/&show_text=false&width=540"
            ),
            Row(
                "https://www.facebook.com/share/v/1AnBCzUqak/",
                .facebook,
                .extract,
                "https://www.facebook.com/plugins/post.php?href=https://www.facebook.com/share/v/1AnBCzUqak/&show_text=false&width=540"
            ),
            Row(
                "https://m.facebook.com/share/v/1AnBCzUqak/",
                .facebook,
                .extract,
                "https://www.facebook.com/plugins/post.php?href=https://www.facebook.com/share/v/1AnBCzUqak/&show_text=false&width=540"
            ),
            Row("https://www.facebook.com/acct/", .facebook, .link, nil),
            Row(
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ",
                .youtube,
                .embed,
                "https://www.youtube.com/embed/dQw4w9WgXcQ?playsinline=1&rel=0"
            ),
            Row(
                "https://www.youtube.com/shorts/aqz-KE-bpKQ",
                .youtube,
                .embed,
                "https://www.youtube.com/embed/aqz-KE-bpKQ?playsinline=1&rel=0"
            ),
            Row(
                "https://www.youtube.com/v/dQw4w9WgXcQ",
                .youtube,
                .embed,
                "https://www.youtube.com/embed/dQw4w9WgXcQ?playsinline=1&rel=0"
            ),
            Row(
                "https://youtu.be/dQw4w9WgXcQ",
                .youtube,
                .embed,
                "https://www.youtube.com/embed/dQw4w9WgXcQ?playsinline=1&rel=0"
            ),
            Row(
                "https://www.youtube.com/live/jfKfPfyJRdk",
                .youtube,
                .embed,
                "https://www.youtube.com/embed/jfKfPfyJRdk?playsinline=1&rel=0"
            ),
            Row(
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=43",
                .youtube,
                .embed,
                "https://www.youtube.com/embed/dQw4w9WgXcQ?playsinline=1&rel=0&start=43"
            ),
            Row(
                "https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=1h2m3s",
                .youtube,
                .embed,
                "https://www.youtube.com/embed/dQw4w9WgXcQ?playsinline=1&rel=0&start=3723"
            ),
            Row(
                "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ",
                .youtube,
                .embed,
                "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?playsinline=1&rel=0"
            ),
            Row("https://www.youtube.com/@channel", .youtube, .link, nil),
            Row(
                "https://rumble.com/v5h7abc-sample-title.html",
                .rumble,
                .embed,
                "https://rumble.com/v5h7abc-sample-title.html"
            ),
            Row("https://rumble.com/c/channel", .rumble, .link, nil),
            Row("https://x.com/acct/status/20", .twitter, .extract, "https://x.com/i/status/20"),
            Row(
                "https://fixupx.com/acct/status/924685391524798464/video/1",
                .twitter,
                .extract,
                "https://x.com/i/status/924685391524798464"
            ),
            Row(
                "https://twitter.com/acct/status/861627479294746624/photo/1",
                .twitter,
                .extract,
                "https://x.com/i/status/861627479294746624"
            ),
            Row("https://x.com/acct", .twitter, .link, nil),
            Row("https://example.com/article", .generic, .link, nil),
            Row("https://notfacebook.com/reel/123456", .generic, .link, nil),
            Row("https://instagram.com.evil.com/reel/C7x5mYfP0R1/", .generic, .link, nil),
            Row("https://reallytiktok.com/video/7596114833477537054", .generic, .link, nil),
            Row("https://twitter.com.evil.org/acct/status/20", .generic, .link, nil),
            Row(
                "https://rumble.com/v8tc4h9-sample-words.html",
                .rumble,
                .embed,
                "https://rumble.com/v8tc4h9-sample-words.html"
            ),
            Row(
                "https://www.facebook.com/plugins/video.php?href=https%3A%2F%2Fwww.facebook.com%2Freel%2F123456789012345",
                .facebook,
                .embed,
                "https://www.facebook.com/plugins/video.php?href=https%3A%2F%2Fwww.facebook.com%2Freel%2F123456789012345"
            ),
        ]
    )
    func example(row: Row) throws {
        let link = Link(try WebURL(row.input))
        #expect(link.provider == row.provider)
        #expect(link.strategy == row.strategy)
        #expect(link.embed == row.embed)
    }

    @Test(
        "has one canonical address for all spellings",
        arguments: [
            (
                "https://m.tiktok.com/@acct/video/7596114833477537054?share_item_id=7596114833477537054&utm_source=copy#video",
                "https://www.tiktok.com/@acct/video/7596114833477537054"
            ),
            (
                "https://m.tiktok.com/@acct/photo/7651971146413329671?share_item_id=7651971146413329671&utm_source=copy",
                "https://www.tiktok.com/@acct/photo/7651971146413329671"
            ),
            ("https://tiktok.com.example.com/@acct/video/7596114833477537054", nil),
            (
                "https://www.instagram.com/reel/DaBh1TUP5sC/?igsh=MmFyM2E2anAyMXdt",
                "https://www.instagram.com/reel/DaBh1TUP5sC/"
            ),
            ("https://www.instagram.com/reel/DaBh1TUP5sC/?l=1", "https://www.instagram.com/reel/DaBh1TUP5sC/"),
            (
                "https://www.instagram.com/reel/DaBh1TUP5sC/?anything=goes&x=1",
                "https://www.instagram.com/reel/DaBh1TUP5sC/"
            ),
            (
                "https://www.facebook.com/video.php?v=1088981923474158",
                "https://www.facebook.com/watch/?v=1088981923474158"
            ),
            (
                "https://www.facebook.com/some.page/videos/news-title/1088981923474158/",
                "https://www.facebook.com/watch/?v=1088981923474158"
            ),
            ("https://www.facebook.com/reels/1088981923474158/", "https://www.facebook.com/reel/1088981923474158/"),
        ] as [(String, String?)]
    )
    func canonical(input: String, expected: String?) throws {
        #expect(Link(try WebURL(input)).canonical == expected)
    }

    @Test(
        "believes a Facebook page about itself only when it names the same number",
        arguments: [
            ("https://www.facebook.com/reel/1088981923474158/", "https://www.facebook.com/reel/1088981923474158/"),
            ("https://www.facebook.com/reel/2088981923474158/", "https://www.facebook.com/watch/?v=1088981923474158"),
            ("https://www.facebook.com/watch/?v=notanumber", "https://www.facebook.com/watch/?v=1088981923474158"),
            (
                "https://facebook.com.evil.example/reel/1088981923474158/",
                "https://www.facebook.com/watch/?v=1088981923474158"
            ),
        ]
    )
    func pageAddress(page: String, expected: String) throws {
        let url = try WebURL("https://www.facebook.com/some.page/videos/1088981923474158/")
        #expect(Facebook.canonical(url, pageSays: try WebURL(page)) == expected)
    }

    @Test(
        "knows which Facebook addresses are share links",
        arguments: [
            ("https://m.facebook.com/share/v/1AnBCzUqak/?mibextid=x", true),
            ("https://www.facebook.com/share/r/213286701716863/", true),
            ("https://www.facebook.com/reel/213286701716863/", false),
            ("https://notfacebook.com/share/r/213286701716863/", false),
        ]
    )
    func share(input: String, expected: Bool) throws {
        #expect(Facebook.isShare(try WebURL(input)) == expected)
    }

    @Test(
        "reads YouTube times in seconds or units",
        arguments: [
            ("43", "&start=43"), ("1h2m3s", "&start=3723"), ("2m", "&start=120"), ("90s", "&start=90"),
            ("0", ""), ("-5", ""), ("abc", ""), ("1s2m", ""), ("99999999999999999999", ""), ("h", ""),
        ]
    )
    func times(time: String, suffix: String) throws {
        let link = Link(try WebURL("https://youtu.be/dQw4w9WgXcQ?t=\(time)"))
        #expect(link.embed == "https://www.youtube.com/embed/dQw4w9WgXcQ?playsinline=1&rel=0" + suffix)
    }

    @Test("has the shape its player needs")
    func shapes() throws {
        let shapes = try [
            "https://www.tiktok.com/@acct/video/7596114833477537054", "https://www.youtube.com/shorts/aqz-KE-bpKQ",
            "https://www.youtube.com/watch?v=dQw4w9WgXcQ", "https://x.com/acct/status/20", "https://example.com/",
        ].map { Link(try WebURL($0)).aspectRatio.width }
        #expect(shapes == [9, 9, 16, 16, 16])
    }
}
