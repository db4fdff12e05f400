/// Facebook's many spellings of one video (linkstr links, sections on strategy and canonical addresses).
public enum Facebook {
    static func read(_ url: WebURL) -> Reading? {
        if url.lowerPart(0) == "plugins", let page = url.lowerPart(1), page == "video.php" || page == "post.php" {
            return Reading(strategy: .embed, media: page == "video.php" ? .video : .post, embed: url.text)
        }
        if isReel(url) {
            return Reading(strategy: .extract, media: .shortVideo, embed: postPlugin(url), canonical: canonical(url))
        }
        guard isVideo(url) else { return nil }
        let embed = videoID(url).map { "https://m.facebook.com/watch/?v=\($0)" } ?? postPlugin(url)
        return Reading(strategy: .extract, media: .video, embed: embed, canonical: canonical(url))
    }

    /// A `/share/…` address: only a redirect tells what it leads to.
    public static func isShare(_ url: WebURL) -> Bool {
        LinkProvider(host: url.host) == .facebook && url.lowerPart(0) == "share"
    }

    /// The canonical address, with what the page says of itself (its `og:url` or canonical link) where that was read:
    /// it is believed only when it names the same number.
    public static func canonical(_ url: WebURL, pageSays page: WebURL? = nil) -> String? {
        guard LinkProvider(host: url.host) == .facebook, !isShare(url) else { return nil }
        let own = url.part(after: ["reel", "reels"], where: isNumber).map { String($0.value) }
        if let own { return "https://www.facebook.com/reel/\(own)/" }
        guard let id = videoID(url) else { return nil }
        if let page, LinkProvider(host: page.host) == .facebook, isReel(page), videoID(page) == id {
            return "https://www.facebook.com/reel/\(id)/"
        }
        return "https://www.facebook.com/watch/?v=\(id)"
    }

    private static func isReel(_ url: WebURL) -> Bool {
        url.part(after: ["reel", "reels", "r"], where: { $0.utf8.count >= 4 }) != nil
    }

    private static func isVideo(_ url: WebURL) -> Bool {
        if url.host == "fb.watch" || url.host.hasSuffix(".fb.watch") { return true }
        if url.pathParts.contains(where: { $0.lowercased() == "videos" }) { return true }
        if let first = url.lowerPart(0), first == "share" || first == "watch", url.lowerPart(1) == "v",
            url.lowerPart(2) != nil
        {
            return true
        }
        return ["v", "video_id", "story_fbid"].contains { url.queryValue($0).map { !$0.isEmpty } ?? false }
    }

    /// The number of the video, at least six digits.
    private static func videoID(_ url: WebURL) -> String? {
        if let found = url.part(after: ["reel", "reels", "videos", "v", "r"], where: isNumber) {
            return String(found.value)
        }
        let parts = url.pathParts
        if let videos = parts.firstIndex(where: { $0.lowercased() == "videos" }),
            let last = parts[(videos + 1)...].last(where: isNumber)
        {
            return String(last)
        }
        return ["v", "video_id", "story_fbid"].lazy.compactMap { url.queryValue($0) }.first { isNumber($0) }
    }

    private static func isNumber(_ text: some StringProtocol) -> Bool {
        text.isDigits && (6...32).contains(text.utf8.count)
    }

    /// The plugin page that shows any public post.
    private static func postPlugin(_ url: WebURL) -> String {
        let isShort = url.host == "fb.watch" || url.host.hasSuffix(".fb.watch")
        let address = isShort ? url.text : "https://www.facebook.com\(url.path)\(url.query.map { "?" + $0 } ?? "")"
        let value = PercentCoding.encode(address, keeping: ":/?@!$'()*,;")
        return "https://www.facebook.com/plugins/post.php?href=\(value)&show_text=false&width=540"
    }
}
