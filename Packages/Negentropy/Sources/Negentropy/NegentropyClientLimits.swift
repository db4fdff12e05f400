/// What a server may cost a ``NegentropyClient``. Each answer is bounded by its own size besides.
public struct NegentropyClientLimits: Sendable, Equatable {
    /// How many answers the server may give.
    public var maximumRounds: Int
    /// In how many separate ranges the sets may differ at the same time; each takes 112 bytes.
    public var maximumRanges: Int

    /// Limits with room for sets of millions.
    public init(maximumRounds: Int = 10_000, maximumRanges: Int = 262_144) {
        self.maximumRounds = maximumRounds
        self.maximumRanges = maximumRanges
    }
}
