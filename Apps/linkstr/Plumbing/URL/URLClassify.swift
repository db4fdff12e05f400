import CommandKit
import LinkstrLinks

enum URLClassify {
    private static let url = VariadicArgument("URL", .text, minimum: 1, "A web address; - reads lines")

    static let command = Command(
        "classify",
        "Show what a link is from its text alone, as JSON",
        details: [
            "Members: url (as it would be stored), provider (tiktok, instagram, facebook, youtube, rumble, twitter or "
                + "generic), strategy (extract, embed or link), media, canonical and embed (null where there is none). "
                + "Nothing is fetched."
        ],
        takes: [url],
        examples: [
            Example(
                "linkstr url classify youtu.be/dQw4w9WgXcQ",
                "Prints {\"url\":\"https://youtu.be/dQw4w9WgXcQ\",...}"
            ),
            Example("linkstr url classify - < links.txt", "Classifies every line"),
        ]
    ) { call in
        try Texts.convert(call[url], call, of: "web addresses", read: { try WebURL($0) }) { url in
            try call.console.output.line(json(url))
        }
    }

    static func json(_ url: WebURL) -> JSON {
        let link = Link(url)
        return [
            "url": .string(link.url.text), "provider": .string(link.provider.rawValue),
            "strategy": .string(link.strategy.rawValue), "media": .string(link.media.rawValue),
            "canonical": .string(link.canonical), "embed": .string(link.embed),
        ]
    }
}
