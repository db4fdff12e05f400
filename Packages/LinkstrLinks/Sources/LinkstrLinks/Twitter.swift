enum Twitter {
    static func read(_ url: WebURL) -> Reading? {
        guard let id = url.part(after: ["status"], where: \.isDigits)?.value else { return nil }
        let address = "https://x.com/i/status/\(id)"
        return Reading(strategy: .extract, media: .post, embed: address, canonical: address)
    }
}
