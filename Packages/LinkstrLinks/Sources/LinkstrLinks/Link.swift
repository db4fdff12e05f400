/// What is known of a link from its text alone: nothing is fetched.
public struct Link: Hashable, Sendable {
    /// How a client shows it.
    public enum Strategy: String, Sendable {
        /// Played locally first, with the embed as a fallback.
        case extract
        /// In the provider's web player only.
        case embed
        /// Opened outside.
        case link
    }

    /// What it leads to.
    public enum Media: String, Sendable {
        /// A video.
        case video
        /// An upright one: reels, shorts, stories.
        case shortVideo = "short-video"
        /// A picture, or several.
        case photo
        /// Words that somebody posted, perhaps with more.
        case post
        /// Any other page.
        case page
    }

    /// The address, normalised.
    public let url: WebURL
    /// Whose address it is.
    public let provider: LinkProvider
    /// How a client shows it.
    public let strategy: Strategy
    /// What it leads to.
    public let media: Media
    /// What a web player loads; nil for `link`.
    public let embed: String?
    /// One address for all spellings of the same media, a key for caches and duplicates; never in place of the stored
    /// address. Nil where the text does not decide it.
    public let canonical: String?

    /// Width to height of the player.
    public var aspectRatio: (width: Int, height: Int) {
        switch (strategy, provider, media) {
        case (.extract, .tiktok, _), (.extract, .instagram, _): (9, 16)
        case (_, _, .shortVideo), (.embed, .tiktok, _): (9, 16)
        case (.embed, .twitter, _): (4, 5)
        default: (16, 9)
        }
    }

    /// Reads the address.
    public init(_ url: WebURL) {
        let provider = LinkProvider(host: url.host)
        let found =
            switch provider {
            case .tiktok: TikTok.read(url)
            case .instagram: Instagram.read(url)
            case .facebook: Facebook.read(url)
            case .youtube: YouTube.read(url)
            case .rumble: Rumble.read(url)
            case .twitter: Twitter.read(url)
            case .generic: Reading?.none
            }
        self.url = url
        self.provider = provider
        self.strategy = found?.strategy ?? .link
        self.media = found?.media ?? .page
        self.embed = found?.embed
        self.canonical = found?.canonical
    }
}

/// What a provider's rules make of an address.
struct Reading {
    var strategy: Link.Strategy
    var media: Link.Media
    var embed: String
    var canonical: String?
}

extension WebURL {
    /// The first path part that follows one of these names (any case) and passes the test, with the name in lower case.
    func part(after names: Set<String>, where accepts: (Substring) -> Bool = { _ in true }) -> (
        name: String, value: Substring
    )? {
        let parts = pathParts
        for (index, part) in parts.enumerated().dropLast() {
            let name = part.lowercased()
            if names.contains(name), accepts(parts[index + 1]) { return (name, parts[index + 1]) }
        }
        return nil
    }

    /// The lower-cased path part at an index, nil beyond the end.
    func lowerPart(_ index: Int) -> String? {
        let parts = pathParts
        return index < parts.count ? parts[index].lowercased() : nil
    }
}

extension StringProtocol {
    var isDigits: Bool {
        !utf8.isEmpty && utf8.allSatisfy { (48...57).contains($0) }
    }

    /// Letters, digits, `-` and `_` of ASCII, as providers draw their codes.
    var isCode: Bool {
        !utf8.isEmpty
            && utf8.allSatisfy {
                (48...57).contains($0) || (97...122).contains($0 | 0x20) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: "_")
            }
    }
}
