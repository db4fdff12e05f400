/// What is accepted when general JSON is read.
public struct JSONLimits: Sendable, Equatable {
    /// Bytes of the text.
    public var size: Int
    /// How deep arrays and objects may lie in each other, at most 64.
    public var depth: Int
    /// Whether a key may appear again in one object. RFC 8259 leaves it open, and programs disagree about what it
    /// means, so that it is refused by default.
    public var allowsDuplicateKeys: Bool

    /// - Parameters:
    ///   - size: Bytes of the text, by default 1 MiB.
    ///   - depth: How deep arrays and objects may lie in each other, by default and at most 64.
    ///   - allowsDuplicateKeys: Whether a key may appear again in one object.
    public init(size: Int = 1 << 20, depth: Int = 64, allowsDuplicateKeys: Bool = false) {
        self.size = size
        self.depth = min(depth, JSONReader.deepest)
        self.allowsDuplicateKeys = allowsDuplicateKeys
    }

    /// The defaults of ``init(size:depth:allowsDuplicateKeys:)``.
    public static let standard = JSONLimits()
}
