package import LinkstrLinks
import NostrEvents
package import Sockets

/// The oEmbed form of a page's description (oembed.com, version 1.0), as JSON.
package enum OEmbed {
    /// Where a provider describes its links, for those that do so without a key.
    static func endpoint(for link: Link) -> String? {
        guard link.strategy != .link else { return nil }
        switch link.provider {
        case .youtube: return "https://www.youtube.com/oembed?format=json&url="
        case .tiktok: return "https://www.tiktok.com/oembed?url="
        case .rumble: return "https://rumble.com/api/Media/oembed.json?url="
        case .twitter: return "https://publish.twitter.com/oembed?omit_script=1&url="
        case .instagram, .facebook, .generic: return nil
        }
    }

    /// The value of a query item: everything escaped but letters, digits and `-._~`.
    static func escaped(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// What the answer says of a page; nil if it is no oEmbed object.
    package static func read(_ json: [UInt8], of page: WebURL, at url: HTTPURL) -> LinkMetadata? {
        let limits = JSONLimits(size: 256 << 10, depth: 16, allowsDuplicateKeys: true)
        guard let value = try? JSONValue(json: json, limits: limits), let object = value.object else { return nil }
        let title = object["title"]?.string ?? object["author_name"]?.string
        return LinkMetadata(
            url: page,
            title: LinkMetadata.line(title, limit: LinkMetadata.maximumTitle),
            thumbnail: object["thumbnail_url"]?.string.flatMap { MetadataFetcher.address($0, from: url) },
            siteName: LinkMetadata.line(object["provider_name"]?.string, limit: LinkMetadata.maximumTitle)
        )
    }
}
