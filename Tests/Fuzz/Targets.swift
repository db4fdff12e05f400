import LinkMetadata
import LinkstrLinks
import Sockets

extension FuzzTarget {
    static let all: [FuzzTarget] =
        links + identifiers + events + negentropy + webSocket + http + crypto + sessions + contacts + transport
        + relay + controlSocket + push

    static let links: [FuzzTarget] = [
        FuzzTarget(name: "url") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            guard let url = try? WebURL(postInput: text) else { return }
            _ = Link(url)
            precondition((try? WebURL(url.text)) == url, "normalising twice gives another address")
        },
        FuzzTarget(name: "deep-link") { bytes in
            guard let link = try? DeepLink(String(decoding: bytes, as: UTF8.self)) else { return }
            precondition((try? DeepLink(link.text)) == link, "a link does not survive its own text")
        },
        FuzzTarget(name: "page-head") { bytes in
            _ = PageHead(html: bytes)
        },
        // The first byte says how many of the next are the header field, the rest is the page.
        FuzzTarget(name: "page-text") { bytes in
            guard let first = bytes.first else { return }
            let field = bytes.dropFirst().prefix(Int(first))
            let page = Array(bytes.dropFirst(1 + field.count))
            let text = PageText.utf8(page, contentType: String(validating: field, as: UTF8.self))
            precondition(text.count <= 3 * page.count, "a page grows beyond its bound")
            _ = PageHead(html: text)
        },
        FuzzTarget(name: "oembed") { bytes in
            guard let found = OEmbed.read(Array(bytes), of: page, at: place) else { return }
            for line in [found.title, found.siteName].compactMap(\.self) {
                precondition(!line.isEmpty && line.count <= 300, "a line without bounds")
                precondition(!line.unicodeScalars.contains { $0.properties.generalCategory == .control }, "controls")
            }
            guard let thumbnail = found.thumbnail else { return }
            precondition((try? WebURL(thumbnail.text)) == thumbnail, "a picture without an address")
        },
    ]

    private static let page = try! WebURL("https://example.com/page")
    private static let place = try! HTTPURL("https://example.com/oembed.json")
}
