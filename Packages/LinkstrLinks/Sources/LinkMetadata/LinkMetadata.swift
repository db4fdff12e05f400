public import LinkstrLinks

/// What a page says of itself. Every text is somebody else's: show it as such.
public struct LinkMetadata: Hashable, Sendable {
    /// Where the page was found, after redirects.
    public var url: WebURL
    /// At most 300 characters on one line.
    public var title: String?
    /// At most 1,000 characters on one line.
    public var description: String?
    /// The address of a picture. It has not been fetched.
    public var thumbnail: WebURL?
    /// At most 300 characters on one line.
    public var siteName: String?
    /// The address that the page gives as its own.
    public var canonical: WebURL?

    /// Metadata of its parts.
    public init(
        url: WebURL,
        title: String? = nil,
        description: String? = nil,
        thumbnail: WebURL? = nil,
        siteName: String? = nil,
        canonical: WebURL? = nil
    ) {
        self.url = url
        self.title = title
        self.description = description
        self.thumbnail = thumbnail
        self.siteName = siteName
        self.canonical = canonical
    }

    static let maximumTitle = 300
    static let maximumDescription = 1_000

    /// The text on one line, without control characters, cut; nil if nothing is left.
    static func line(_ text: String?, limit: Int) -> String? {
        guard let text else { return nil }
        // A character can have any number of scalars, so these are bounded first.
        let scalars = text.unicodeScalars.prefix(4 * limit)
        var line = String.UnicodeScalarView()
        for scalar in scalars {
            if scalar.properties.isWhitespace {
                if let last = line.last, last != " " { line.append(" ") }
            } else if scalar.properties.generalCategory != .control {
                line.append(scalar)
            }
        }
        if line.last == " " { line.removeLast() }
        let cut = String(String(line).prefix(limit))
        return cut.isEmpty ? nil : cut
    }

    /// Takes what is missing from another source.
    mutating func complete(with other: LinkMetadata) {
        title = title ?? other.title
        description = description ?? other.description
        thumbnail = thumbnail ?? other.thumbnail
        siteName = siteName ?? other.siteName
        canonical = canonical ?? other.canonical
    }
}
