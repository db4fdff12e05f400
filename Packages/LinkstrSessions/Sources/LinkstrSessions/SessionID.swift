import LinkstrLinks
public import NostrCrypto
public import NostrEvents

/// What tells sessions apart: opaque text, compared byte by byte.
///
/// Ids drawn here name their creator: 16 random upper-case hex digits, then the first 16 of the SHA-256 of
/// `linkstr session `, the creator's key in lower-case hex and the random digits. Nobody else can claim such an id, and to
/// other clients it looks like any other.
public struct SessionID: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The trimmed text and the key for dictionaries.
    public let exact: ExactText

    /// The id without white space at its ends; nil if nothing is left.
    public init?(_ text: some StringProtocol) {
        let trimmed = text.linkstrTrimmed
        guard !trimmed.isEmpty else { return nil }
        exact = ExactText(trimmed)
    }

    private init(exact: ExactText) {
        self.exact = exact
    }

    /// A new id that names its creator.
    public static func draw(creator: Bytes32, random: RandomSource = .system) -> SessionID {
        let digits = random.bytes32().hex.prefix(randomCount).uppercased()
        return SessionID(exact: ExactText(digits + proof(of: creator, digits)))
    }

    /// Whether it has the form of ids that are drawn, 32 upper-case hex digits, rather than being a text that somebody chose.
    public var isDrawn: Bool {
        text.utf8.count == 2 * Self.randomCount && text.utf8.allSatisfy(\.isUpperHexDigit)
    }

    /// Whether the id was drawn by this key.
    public func names(_ creator: Bytes32) -> Bool {
        guard isDrawn else { return false }
        let digits = text.utf8
        let drawn = text.prefix(Self.randomCount)
        return Self.proof(of: creator, drawn).utf8.elementsEqual(digits.dropFirst(Self.randomCount))
    }

    /// The trimmed text.
    public var text: String { exact.text }
    public var description: String { text }

    /// The order of Unicode scalars.
    public static func < (left: SessionID, right: SessionID) -> Bool {
        left.exact < right.exact
    }

    private static let randomCount = 16

    private static func proof(of creator: Bytes32, _ drawn: some StringProtocol) -> String {
        SHA256.hash(Array("linkstr session \(creator.hex)\(drawn)".utf8)).hex.prefix(randomCount).uppercased()
    }
}

extension UInt8 {
    fileprivate var isUpperHexDigit: Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(self)
    }
}
