/// Why a text is not a link that can be shared.
public enum LinkError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nothing was left after trimming.
    case empty
    /// The text holds white space or control characters inside.
    case whiteSpaceInside
    /// The scheme is neither http nor https.
    case notWeb(scheme: String)
    /// There is no host, or it could not be one: not `localhost`, an address, or two or more labels.
    case noCredibleHost
    /// The port is not a number from 0 to 65,535.
    case invalidPort
    /// A `linkstr:` link whose route, path or `url` value is not one this version knows.
    case invalidDeepLink

    public var description: String {
        switch self {
        case .empty: "There is no link in an empty text."
        case .whiteSpaceInside: "A link has no blanks or control characters inside."
        case .notWeb(let scheme): "Only http and https links can be shared, not \(scheme.prefix(32)):."
        case .noCredibleHost: "The link has no host such as example.com."
        case .invalidPort: "The port of the link is not a number from 0 to 65535."
        case .invalidDeepLink:
            "This is no linkstr link that can be opened here: it needs open, share or save and a web url."
        }
    }
}
