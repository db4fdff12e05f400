enum TikTok {
    static func read(_ url: WebURL) -> Reading? {
        if url.host.hasPrefix("vm.") || url.host.hasPrefix("vt.")
            || (url.lowerPart(0) == "t" && url.lowerPart(1) != nil)
        {
            return Reading(strategy: .extract, media: .shortVideo, embed: url.text)
        }
        if let id = videoID(url) {
            return Reading(strategy: .extract, media: .shortVideo, embed: player(id), canonical: canonical(url))
        }
        if let id = url.part(after: ["photo"], where: { identifier($0) != nil }).flatMap({ identifier($0.value) }) {
            return Reading(strategy: .embed, media: .photo, embed: player(id), canonical: canonical(url))
        }
        return nil
    }

    private static func player(_ id: String) -> String {
        "https://www.tiktok.com/player/v1/\(id)"
    }

    private static func videoID(_ url: WebURL) -> String? {
        let parts = url.pathParts
        if url.lowerPart(0) == "player", url.lowerPart(1) == "v1", parts.count > 2, let id = identifier(parts[2]) {
            return id
        }
        if let found = url.part(after: ["video"], where: { identifier($0) != nil }) {
            return identifier(found.value)
        }
        for name in ["aweme_id", "item_id", "group_id", "video_id"] {
            if let id = url.queryValue(name).flatMap({ identifier($0) }) { return id }
        }
        return nil
    }

    /// The digits of a value, at least eight.
    private static func identifier(_ value: some StringProtocol) -> String? {
        let digits = value.utf8.filter { (48...57).contains($0) }
        return digits.count >= 8 ? String(decoding: digits, as: UTF8.self) : nil
    }

    private static func canonical(_ url: WebURL) -> String? {
        let parts = url.pathParts
        guard parts.count >= 3, parts[0].hasPrefix("@"), parts[0].count > 1,
            let form = url.lowerPart(1), form == "video" || form == "photo", let id = identifier(parts[2])
        else { return nil }
        return "https://www.tiktok.com/\(parts[0])/\(form)/\(id)"
    }
}
