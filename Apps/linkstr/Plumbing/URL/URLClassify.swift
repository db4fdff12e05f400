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
        let texts = call[url]
        if texts == ["-"] {
            try LineStream(call, of: "web addresses").forEach { bytes in
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw CommandFailure(.badInput, "the line is not UTF-8 text")
                }
                try call.console.output.line(json(text))
            }
        } else {
            for one in try texts.map(json) { try call.console.output.line(one) }
        }
    }

    private static func json(_ text: String) throws -> JSON { json(try WebURL(text)) }

    static func json(_ url: WebURL) -> JSON {
        let link = Link(url)
        return [
            "url": .string(link.url.text), "provider": .string(link.provider.rawValue),
            "strategy": .string(link.strategy.rawValue), "media": .string(link.media.rawValue),
            "canonical": .string(link.canonical), "embed": .string(link.embed),
        ]
    }
}
