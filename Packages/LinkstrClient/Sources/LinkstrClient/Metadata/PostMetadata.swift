public import NostrEvents

/// What a post's link says of itself, as far as it was fetched.
public struct PostMetadata: Hashable, Sendable {
    /// The page's title.
    public let title: String?
    /// A few sentences about it.
    public let summary: String?
    /// The site's name.
    public let siteName: String?
    /// The file of its thumbnail on this device; nil where there is none or it was removed.
    public let thumbnail: String?
    /// When it was fetched, in seconds since 1970.
    public let fetchedAt: Int64
    /// Where the thumbnail is on the web; nil where the page names none.
    let thumbnailURL: String?

    /// Whether something is to be had that is not here.
    var isIncomplete: Bool { title == nil || thumbnailURL != nil && thumbnail == nil }

    init(
        title: String?,
        summary: String?,
        siteName: String?,
        thumbnail: String?,
        thumbnailURL: String?,
        fetchedAt: Int64
    ) {
        self.title = title
        self.summary = summary
        self.siteName = siteName
        self.thumbnail = thumbnail
        self.thumbnailURL = thumbnailURL
        self.fetchedAt = fetchedAt
    }

    init?(json: [UInt8]) {
        guard let object = try? JSONValue(json: json), let time = object["fetched_at"]?.integer else { return nil }
        self.init(
            title: object["title"]?.string,
            summary: object["summary"]?.string,
            siteName: object["site"]?.string,
            thumbnail: object["thumbnail"]?.string,
            thumbnailURL: object["thumbnail_url"]?.string,
            fetchedAt: time
        )
    }

    var json: [UInt8] {
        var object = JSONObject()
        object["title"] = title.map { .string($0) }
        object["summary"] = summary.map { .string($0) }
        object["site"] = siteName.map { .string($0) }
        object["thumbnail"] = thumbnail.map { .string($0) }
        object["thumbnail_url"] = thumbnailURL.map { .string($0) }
        object["fetched_at"] = .integer(fetchedAt)
        return JSONValue.object(object).json
    }

    /// What is known as an object: `title`, `description`, `site_name`, `thumbnail` (a file of this device), each null where there is
    /// none, and `fetched_at`.
    public var value: JSONValue {
        [
            "title": .text(title), "description": .text(summary), "site_name": .text(siteName),
            "thumbnail": .text(thumbnail),
            "fetched_at": .integer(fetchedAt),
        ]
    }

    func with(thumbnail: String?) -> PostMetadata {
        PostMetadata(
            title: title,
            summary: summary,
            siteName: siteName,
            thumbnail: thumbnail,
            thumbnailURL: thumbnailURL,
            fetchedAt: fetchedAt
        )
    }
}
