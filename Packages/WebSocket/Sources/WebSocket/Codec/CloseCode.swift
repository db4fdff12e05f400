/// The status code of a close frame (RFC 6455 section 7.4 and its IANA registry).
public struct CloseCode: RawRepresentable, Hashable, Sendable {
    /// The number as it is on the wire.
    public let rawValue: UInt16

    /// Any number; `mayBeSent` tells whether it may appear in a close frame.
    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The purpose of the connection is fulfilled.
    public static let normal = CloseCode(rawValue: 1000)
    /// The endpoint goes away: a server shuts down, a client navigates off.
    public static let goingAway = CloseCode(rawValue: 1001)
    /// The other end broke the protocol.
    public static let protocolError = CloseCode(rawValue: 1002)
    /// A kind of data came that this end cannot take.
    public static let unsupportedData = CloseCode(rawValue: 1003)
    /// Text was not UTF-8, or a compressed message did not inflate.
    public static let invalidPayload = CloseCode(rawValue: 1007)
    /// A policy of this end was broken.
    public static let policyViolation = CloseCode(rawValue: 1008)
    /// A message was too big.
    public static let messageTooBig = CloseCode(rawValue: 1009)
    /// The server met an unexpected condition.
    public static let internalError = CloseCode(rawValue: 1011)
    /// The service restarts; come back later.
    public static let serviceRestart = CloseCode(rawValue: 1012)
    /// The service is overloaded; come back later.
    public static let tryAgainLater = CloseCode(rawValue: 1013)

    /// Whether the code may appear in a close frame: registered codes but 1005, 1006 and 1015, and 3000 to 4999.
    public var mayBeSent: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// How a connection ended.
public struct CloseStatus: Equatable, Sendable {
    /// The code of the close frame, nil when it had none or no close frame came (RFC 6455's 1005 and 1006).
    public let code: CloseCode?
    /// The reason of the close frame, or what broke; may be empty. At most 123 bytes when it came from the wire.
    public let reason: String
    /// Which end began: it sent its close frame first, or broke the connection.
    public let side: Side
    /// Whether both close frames were exchanged.
    public let isClean: Bool

    /// An end of a connection.
    public enum Side: Equatable, Sendable {
        /// The end this program holds.
        case local
        /// The other end.
        case remote
    }

    /// A status made by hand, for tests and for ends that have no frame.
    public init(code: CloseCode?, reason: String, side: Side, isClean: Bool) {
        self.code = code
        self.reason = reason
        self.side = side
        self.isClean = isClean
    }
}

extension CloseStatus: CustomStringConvertible {
    /// One plain sentence.
    public var description: String {
        let who = side == .local ? "This end" : "The other end"
        let with = code.map { " with code \($0.rawValue)" } ?? ""
        let why = reason.isEmpty ? "." : ": \(reason)"
        return "\(who) closed the connection\(with)\(why)"
    }
}
