extension BinaryInteger {
    /// The number with what is counted, for a sentence: `1 post`, `2 posts`.
    /// - Parameters:
    ///   - one: What one of it is called.
    ///   - many: What several are called; `one` with an s unless it is given.
    public func counted(_ one: String, _ many: String? = nil) -> String {
        "\(self) " + (self == 1 ? one : many ?? one + "s")
    }
}
