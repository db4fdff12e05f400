enum Rumble {
    static func read(_ url: WebURL) -> Reading? {
        guard let first = url.lowerPart(0) else { return nil }
        let isEmbed = first == "embed" && url.lowerPart(1) != nil
        let isVideo = first.hasPrefix("v") && (first.contains("-") || first.hasSuffix(".html"))
        guard isEmbed || isVideo else { return nil }
        return Reading(strategy: .embed, media: .video, embed: url.text)
    }
}
