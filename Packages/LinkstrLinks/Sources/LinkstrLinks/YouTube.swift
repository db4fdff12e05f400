enum YouTube {
    static func read(_ url: WebURL) -> Reading? {
        guard let id = identifier(url) else { return nil }
        let isNoCookie = url.host == "youtube-nocookie.com" || url.host.hasSuffix(".youtube-nocookie.com")
        let host = isNoCookie ? "www.youtube-nocookie.com" : "www.youtube.com"
        var embed = "https://\(host)/embed/\(id)?playsinline=1&rel=0"
        if let start = (url.queryValue("t") ?? url.queryValue("start")).flatMap(seconds), start > 0 {
            embed += "&start=\(start)"
        }
        return Reading(
            strategy: .embed,
            media: url.lowerPart(0) == "shorts" ? .shortVideo : .video,
            embed: embed,
            canonical: "https://www.youtube.com/watch?v=\(id)"
        )
    }

    private static func identifier(_ url: WebURL) -> String? {
        if url.host == "youtu.be" || url.host.hasSuffix(".youtu.be") {
            return url.pathParts.first.flatMap { $0.isCode ? String($0) : nil }
        }
        if let found = url.part(after: ["shorts", "embed", "live", "v"], where: \.isCode) {
            return String(found.value)
        }
        if url.lowerPart(0) == "watch", let id = url.queryValue("v"), id.isCode { return id }
        return nil
    }

    /// Whole seconds, or hours, minutes and seconds as in `1h2m3s`, any of them present, in this order.
    static func seconds(_ text: String) -> Int? {
        if text.isDigits { return text.utf8.count <= 9 ? Int(text) : nil }
        var rest = text.lowercased()[...]
        var total = 0
        for (unit, factor) in [("h", 3600), ("m", 60), ("s", 1)] {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard rest.dropFirst(digits.count).hasPrefix(unit) else { continue }
            guard (1...6).contains(digits.utf8.count), let number = Int(digits) else { return nil }
            total += number * factor
            rest = rest.dropFirst(digits.count + 1)
        }
        return rest.isEmpty && !text.isEmpty ? total : nil
    }
}
