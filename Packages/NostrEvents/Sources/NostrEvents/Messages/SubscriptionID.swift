/// The name a client gives to a subscription, a count or a reconciliation: 1 to 64 characters (NIP-01). Characters are
/// counted as Unicode scalars, and names compared byte for byte.
public struct SubscriptionID: Sendable {
    /// The name, 1 to 64 scalars.
    public let text: String

    /// The most characters a name may have.
    public static let greatestLength = 64

    /// - Throws: ``EventError/invalidSubscriptionID`` for an empty name and one of more than 64 characters.
    public init(_ text: String) throws(EventError) {
        // A scalar has at most four bytes, so that long text is not walked.
        guard !text.isEmpty, text.utf8.count <= 4 * Self.greatestLength,
            text.unicodeScalars.count <= Self.greatestLength
        else { throw .invalidSubscriptionID }
        self.text = text
    }
}

extension SubscriptionID: Hashable {
    public static func == (left: SubscriptionID, right: SubscriptionID) -> Bool {
        left.text.isExactly(right.text)
    }

    public func hash(into hasher: inout Hasher) {
        text.hashExactly(into: &hasher)
    }
}

extension SubscriptionID: CustomStringConvertible {
    public var description: String { text }
}
