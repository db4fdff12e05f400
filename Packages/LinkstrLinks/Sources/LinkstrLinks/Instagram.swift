enum Instagram {
    static func read(_ url: WebURL) -> Reading? {
        guard let found = url.part(after: ["reel", "reels", "p", "tv"], where: { $0.utf8.count >= 5 && $0.isCode })
        else { return nil }
        let form = found.name == "reels" ? "reel" : found.name
        let address = "https://www.instagram.com/\(form)/\(found.value)/"
        return Reading(
            strategy: .extract,
            media: form == "p" ? .post : .shortVideo,
            embed: address + "?l=1",
            canonical: address
        )
    }
}
