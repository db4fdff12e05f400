public import Sockets

/// Why there is no metadata.
public enum LinkMetadataError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The address cannot be fetched: it holds a user name, or a host that is no name in ASCII.
    case unusableAddress(reason: String)
    /// The host, or one that it redirects to, lies in a private network or on this machine.
    case privateAddress(String)
    /// The server answered with another status than 200 to 299.
    case status(Int)
    /// What is there is neither a page nor a picture; its media type, cut to 100 characters.
    case unsupportedType(String)
    /// The page says nothing of itself.
    case nothingFound
    /// It took too long.
    case timedOut
    /// The task was cancelled.
    case cancelled
    /// The picture has more bytes than are taken.
    case tooLarge
    /// The connection or the server failed.
    case network(SocketsError)

    init(_ error: SocketsError) {
        self =
            switch error {
            case .addressRefused(let address): .privateAddress(address)
            case .invalidURL(let reason): .unusableAddress(reason: reason)
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            case .http(.bodyTooLarge), .http(.inflatedBodyTooLarge): .tooLarge
            default: .network(error)
            }
    }

    public var description: String {
        switch self {
        case .unusableAddress(let reason): "The address cannot be fetched: \(reason)."
        case .privateAddress(let address): "The link leads to \(address), which is not on the public Internet."
        case .status(let status): "The server answered with status \(status)."
        case .unsupportedType(let type): "There is no page and no picture, but \(type)."
        case .nothingFound: "The page says nothing of itself."
        case .timedOut: "The server did not answer in time."
        case .cancelled: "Fetching was cancelled."
        case .tooLarge: "What is there is too large."
        case .network(let error): error.description
        }
    }
}
