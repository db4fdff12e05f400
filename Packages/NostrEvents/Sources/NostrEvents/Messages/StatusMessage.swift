/// Why a relay did something, as OK, CLOSED and NEG-ERR say it: a word for machines, a colon and a sentence for people
/// (NIP-01).
public struct StatusMessage: Sendable {
    /// The whole text as it is sent.
    public let text: String

    /// A text as it was received; it may be empty or have no prefix.
    public init(text: String) {
        self.text = text
    }

    /// A text of its prefix and its sentence.
    public init(_ prefix: Prefix, _ sentence: String) {
        text = "\(prefix.rawValue): \(sentence)"
    }

    /// No text: all is well.
    public static let empty = StatusMessage(text: "")

    /// The word for machines before the first colon, known or not; nil if the text does not begin with one.
    public var prefix: Prefix? {
        let word = text.utf8.prefix(Prefix.greatestLength + 1).prefix { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), ASCII.zero...ASCII.nine, ASCII.minus: true
            default: false
            }
        }
        guard !word.isEmpty, word.count <= Prefix.greatestLength, word.endIndex < text.utf8.endIndex,
            text.utf8[word.endIndex] == ASCII.colon
        else {
            return nil
        }
        return Prefix(rawValue: String(text[..<word.endIndex]))
    }

    /// The sentence for people: what follows the prefix, or the whole text if there is none.
    public var sentence: String {
        guard let prefix else { return text }
        return String(text.utf8.dropFirst(prefix.rawValue.utf8.count + 1).drop { $0 == 0x20 }) ?? text
    }

    /// The word for machines in a status.
    public struct Prefix: RawRepresentable, Hashable, Sendable {
        /// The word, without its colon.
        public let rawValue: String

        static let greatestLength = 32

        /// A word for machines; NIP-01 asks for a single one.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The relay has the event already.
        public static let duplicate = Prefix(rawValue: "duplicate")
        /// The event's proof of work is too small, or just was enough (NIP-13).
        public static let proofOfWork = Prefix(rawValue: "pow")
        /// The author or the client is banned.
        public static let blocked = Prefix(rawValue: "blocked")
        /// Too much in too short a time.
        public static let rateLimited = Prefix(rawValue: "rate-limited")
        /// The event or the filter is wrong.
        public static let invalid = Prefix(rawValue: "invalid")
        /// The key that was authenticated is not allowed to do this (NIP-42).
        public static let restricted = Prefix(rawValue: "restricted")
        /// Nobody was listening to an ephemeral event.
        public static let mute = Prefix(rawValue: "mute")
        /// Anything else.
        public static let error = Prefix(rawValue: "error")
        /// The client has to authenticate first (NIP-42).
        public static let authenticationRequired = Prefix(rawValue: "auth-required")
        /// The relay cannot answer such a filter.
        public static let unsupported = Prefix(rawValue: "unsupported")
        /// The relay gave up a reconciliation (NIP-77).
        public static let closed = Prefix(rawValue: "closed")
    }
}

extension StatusMessage: Hashable {
    public static func == (left: StatusMessage, right: StatusMessage) -> Bool {
        left.text.isExactly(right.text)
    }

    public func hash(into hasher: inout Hasher) {
        text.hashExactly(into: &hasher)
    }
}

extension StatusMessage: CustomStringConvertible {
    public var description: String { text }
}
