/// A `linkstr:` link: it carries a web address and nothing else that identifies anybody.
public enum DeepLink: Hashable, Sendable {
    /// Show a shared link.
    case open(WebURL)
    /// The post composer, with a note of at most 4,000 characters.
    case share(WebURL, note: String?)
    /// Save the media.
    case save(WebURL)

    /// A longer note is cut.
    public static let maximumNoteLength = 4_000

    /// The link inside.
    public var url: WebURL {
        switch self {
        case .open(let url), .share(let url, _), .save(let url): url
        }
    }

    /// The text of the link, the address percent-encoded.
    public var text: String {
        switch self {
        case .open(let url): Self.link("open", url)
        case .save(let url): Self.link("save", url)
        case .share(let url, let note):
            Self.link("share", url) + (Self.cleaned(note).map { "&note=" + PercentCoding.encode($0) } ?? "")
        }
    }

    /// A note without outer blanks and cut to 4,000 characters, nil when nothing is left.
    public static func cleaned(_ note: String?) -> String? {
        guard let trimmed = note?.linkstrTrimmed, !trimmed.isEmpty else { return nil }
        return String(trimmed.prefix(maximumNoteLength))
    }

    /// Reads `linkstr://open?url=…`, `linkstr://share?url=…&note=…` or `linkstr://save?url=…`; scheme and route in any case,
    /// path empty or `/`.
    /// - Throws: ``LinkError/invalidDeepLink`` for another route, a deeper path or a missing or non-web address.
    public init(_ input: some StringProtocol) throws(LinkError) {
        let text = input.linkstrTrimmed
        guard !text.unicodeScalars.contains(where: { $0.isLinkstrBlank || $0.value < 0x20 }) else {
            throw .whiteSpaceInside
        }
        let prefix = "linkstr://"
        let start = String(decoding: text.utf8.prefix(prefix.utf8.count), as: UTF8.self)
        guard start.lowercased() == prefix else { throw .invalidDeepLink }
        let (rest, _) = Substring(text.utf8.dropFirst(prefix.utf8.count)).cut(at: "#")
        let (place, query) = rest.cut(at: "?")
        guard let query else { throw .invalidDeepLink }
        var route = place.lowercased()
        if route.hasSuffix("/") { route.removeLast() }
        var values: [String: String] = [:]
        for item in query.split(atASCII: "&") {
            let (name, text) = item.cut(at: "=")
            guard let text, let value = PercentCoding.decode(text) else { continue }
            if values[String(name)] == nil { values[String(name)] = value }
        }
        guard let value = values["url"] else { throw .invalidDeepLink }
        let url: WebURL
        do { url = try WebURL(value) } catch { throw .invalidDeepLink }
        switch route {
        case "open": self = .open(url)
        case "share": self = .share(url, note: Self.cleaned(values["note"]))
        case "save": self = .save(url)
        default: throw .invalidDeepLink
        }
    }

    private static func link(_ route: String, _ url: WebURL) -> String {
        "linkstr://\(route)?url=\(PercentCoding.encode(url.text))"
    }
}

extension WebURL {
    /// What a person gives to be posted: a web address, or a `linkstr://open` link whose inner address is taken.
    /// - Throws: ``LinkError``; other linkstr routes are refused.
    public init(postInput input: some StringProtocol) throws(LinkError) {
        let text = input.linkstrTrimmed
        guard text.prefix(8).lowercased() == "linkstr:" else {
            self = try WebURL(text)
            return
        }
        guard case .open(let url) = try DeepLink(text) else { throw .invalidDeepLink }
        self = url
    }
}
