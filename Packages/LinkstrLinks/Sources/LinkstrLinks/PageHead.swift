/// What the head of an HTML page says of the page: found by one bounded pass over the bytes, without building a tree.
public struct PageHead: Hashable, Sendable {
    /// `property` or `name` in lower case to the first `content`, entities decoded.
    public private(set) var meta: [String: String] = [:]
    /// The text of the first `title` element, entities decoded, white space runs collapsed.
    public private(set) var title: String?
    /// `href` of the first `link` whose `rel` holds the token `canonical`.
    public private(set) var canonicalLink: String?
    /// `href` of the first `link` that offers JSON oEmbed.
    public private(set) var oEmbedLink: String?

    /// Values beyond this many bytes are cut.
    public static let maximumValueLength = 8_192
    /// Of more `meta` elements than this the rest is not read.
    public static let maximumMetaCount = 256

    /// The page's own address: `og:url`, then the canonical link.
    public var canonicalCandidate: String? {
        meta["og:url"] ?? canonicalLink
    }

    /// Reads up to the end of the head, of the bytes, or of what is worth reading. Bytes that are not UTF-8 are replaced.
    public init(html bytes: some Sequence<UInt8>) {
        let source = Array(bytes)
        var index = 0
        while let start = source[index...].firstIndex(of: UInt8(ascii: "<")) {
            index = start + 1
            if source[index...].starts(with: "!--".utf8) {
                index = Self.find("-->", in: source, from: index + 3)
                continue
            }
            guard let tag = Tag(source, at: index) else { continue }
            index = tag.end
            switch tag.name {
            case "meta": read(meta: tag.attributes)
            case "link": read(link: tag.attributes)
            case "title":
                let end = Self.find("</title", in: source, from: index)
                if title == nil {
                    let text = String(decoding: source[index..<end].prefix(Self.maximumValueLength), as: UTF8.self)
                    let words = HTMLEntities.decode(text).split(whereSeparator: \.isWhitespace)
                    title = words.isEmpty ? nil : words.joined(separator: " ")
                }
                index = end
            case "script", "style", "noscript":
                index = Self.find("</" + tag.name, in: source, from: index)
            case "/head", "body":
                return
            default: break
            }
        }
    }

    private mutating func read(meta attributes: [String: String]) {
        guard meta.count < Self.maximumMetaCount, let content = attributes["content"],
            let name = (attributes["property"] ?? attributes["name"])?.lowercased(), meta[name] == nil
        else { return }
        meta[name] = content
    }

    private mutating func read(link attributes: [String: String]) {
        guard let href = attributes["href"], let rel = attributes["rel"]?.lowercased() else { return }
        let tokens = rel.split(whereSeparator: \.isWhitespace)
        if canonicalLink == nil, tokens.contains("canonical") { canonicalLink = href }
        if oEmbedLink == nil, tokens.contains("alternate"),
            attributes["type"]?.lowercased() == "application/json+oembed"
        {
            oEmbedLink = href
        }
    }

    /// Where the text begins (ASCII, any case), or the end.
    private static func find(_ text: String, in source: [UInt8], from start: Int) -> Int {
        let wanted = Array(text.utf8)
        var index = start
        while index + wanted.count <= source.count {
            var matched = 0
            while matched < wanted.count, source[index + matched].asciiLower == wanted[matched] { matched += 1 }
            if matched == wanted.count { return index }
            index += 1
        }
        return source.count
    }

    /// One start or end tag.
    private struct Tag {
        let name: String
        var attributes: [String: String] = [:]
        let end: Int

        /// Nil where no tag name stands at the index.
        init?(_ source: [UInt8], at start: Int) {
            var index = start
            if index < source.count, source[index] == UInt8(ascii: "/") { index += 1 }
            while index < source.count, source[index].isLetterOrDigit { index += 1 }
            guard index > start, index - start <= 32 else { return nil }
            name = String(decoding: source[start..<index], as: UTF8.self).lowercased()
            let isWanted = name == "meta" || name == "link"
            while index < source.count, source[index] != UInt8(ascii: ">") {
                guard !source[index].isTagBlank else {
                    index += 1
                    continue
                }
                let key = index
                while index < source.count, !source[index].isTagBlank, source[index] != UInt8(ascii: "="),
                    source[index] != UInt8(ascii: ">")
                { index += 1 }
                let keyEnd = index
                while index < source.count, source[index].isTagBlank, source[index] != UInt8(ascii: "/") { index += 1 }
                guard index < source.count, source[index] == UInt8(ascii: "=") else {
                    if index == key { index += 1 }
                    continue
                }
                index += 1
                while index < source.count, source[index].isTagBlank { index += 1 }
                let value = Self.value(source, &index)
                guard isWanted, attributes.count < 16 else { continue }
                let word = String(decoding: source[key..<keyEnd], as: UTF8.self).lowercased()
                if attributes[word] == nil {
                    let text = String(decoding: value.prefix(PageHead.maximumValueLength), as: UTF8.self)
                    attributes[word] = HTMLEntities.decode(text)
                }
            }
            end = min(index + 1, source.count)
        }

        private static func value(_ source: [UInt8], _ index: inout Int) -> ArraySlice<UInt8> {
            guard index < source.count else { return [] }
            let quote = source[index]
            if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                let start = index + 1
                let close = source[start...].firstIndex(of: quote) ?? source.count
                index = min(close + 1, source.count)
                return source[start..<close]
            }
            let start = index
            while index < source.count, !source[index].isTagSpace, source[index] != UInt8(ascii: ">") { index += 1 }
            return source[start..<index]
        }
    }
}

extension UInt8 {
    fileprivate var asciiLower: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }

    fileprivate var isLetterOrDigit: Bool {
        (48...57).contains(self) || (97...122).contains(self | 0x20)
    }

    fileprivate var isTagSpace: Bool {
        self == 0x20 || (0x09...0x0d).contains(self)
    }

    fileprivate var isTagBlank: Bool {
        isTagSpace || self == UInt8(ascii: "/")
    }
}
