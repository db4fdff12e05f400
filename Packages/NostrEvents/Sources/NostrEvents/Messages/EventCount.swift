/// A relay's answer to COUNT (NIP-45).
public struct EventCount: Sendable, Equatable {
    /// How many events match.
    public var count: Int64
    /// Whether the relay says that the count is approximate.
    public var isApproximate: Bool
    /// 256 registers of a HyperLogLog sketch over the authors, if the relay sent one.
    public var hyperLogLog: [UInt8]?

    /// The number of registers in a sketch.
    public static let registerCount = 256

    /// An answer. A sketch has 256 registers; one of another length is refused by whoever reads it.
    public init(count: Int64, isApproximate: Bool = false, hyperLogLog: [UInt8]? = nil) {
        self.count = count
        self.isApproximate = isApproximate
        self.hyperLogLog = hyperLogLog
    }
}
