/// What was wrong with an HTTP/1.1 message or exchange (RFC 9110, RFC 9112).
public enum HTTPFailure: Error, Equatable, Sendable {
    /// The start line is not one of HTTP/1.x.
    case malformedStartLine
    /// A header field is malformed: a bad name or value, a folded line, space before the colon.
    case malformedField
    /// The head is longer than allowed, or has more fields.
    case headTooLarge
    /// The version is not HTTP/1.0 or HTTP/1.1.
    case unsupportedVersion
    /// The length of the body is ambiguous: conflicting, repeated or malformed length fields.
    case ambiguousLength
    /// The transfer coding is not `chunked`.
    case unsupportedTransferCoding
    /// The chunks of the body are malformed.
    case malformedChunk
    /// The body is longer than allowed.
    case bodyTooLarge
    /// The decompressed body is longer than allowed.
    case inflatedBodyTooLarge
    /// The compressed body is damaged.
    case malformedCompression
    /// The content coding is not one that was asked for.
    case unsupportedContentCoding
    /// More redirects than allowed.
    case tooManyRedirects
    /// The policy forbids following this redirect, or its target cannot be used.
    case redirectRefused(String)
    /// A response was expected with status 101 or a final one, and something else came.
    case unexpectedStatus(Int)
}

extension HTTPFailure: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        switch self {
        case .malformedStartLine: "The first line is not HTTP."
        case .malformedField: "A header field is malformed."
        case .headTooLarge: "The HTTP header is too large."
        case .unsupportedVersion: "The HTTP version is not supported."
        case .ambiguousLength: "The length of the HTTP body is ambiguous."
        case .unsupportedTransferCoding: "The HTTP transfer coding is not supported."
        case .malformedChunk: "The chunks of the HTTP body are malformed."
        case .bodyTooLarge: "The HTTP body is too large."
        case .inflatedBodyTooLarge: "The HTTP body is too large when decompressed."
        case .malformedCompression: "The compressed HTTP body is damaged."
        case .unsupportedContentCoding: "The HTTP content coding is not supported."
        case .tooManyRedirects: "There were too many redirects."
        case .redirectRefused(let target): "The redirect to \(target) was not followed."
        case .unexpectedStatus(let status): "The answer has the unexpected status \(status)."
        }
    }
}
