/// How large a filter may be that is read from JSON.
public struct FilterLimits: Sendable, Equatable {
    /// Values in one list.
    public var values: Int
    /// Bytes of a tag's value or of the search text.
    public var valueSize: Int

    /// - Parameters:
    ///   - values: Values in one list, by default 10,000: as many as a follow list may have.
    ///   - valueSize: Bytes of a tag's value or of the search text, by default 4,096.
    public init(values: Int = 10_000, valueSize: Int = 4_096) {
        self.values = values
        self.valueSize = valueSize
    }

    /// The defaults of ``init(values:valueSize:)``.
    public static let standard = FilterLimits()
}
