import NostrCrypto
public import NostrEvents

/// The sum of IDs modulo 2^256, each read as a little-endian number (NIP-77, "Fingerprint Algorithm").
///
/// Sums can be added and subtracted, so a set that keeps the sums of its prefixes has the sum of any range at once.
public struct NegentropySum: Sendable, Hashable, BitwiseCopyable {
    private var words: (UInt64, UInt64, UInt64, UInt64)

    /// The sum of no IDs.
    public init() {
        words = (0, 0, 0, 0)
    }

    /// Adds one ID.
    public mutating func add(_ id: EventID) {
        add(Self(id))
    }

    /// Adds another sum.
    public mutating func add(_ other: NegentropySum) {
        var carry = false
        words.0 = Self.add(words.0, other.words.0, &carry)
        words.1 = Self.add(words.1, other.words.1, &carry)
        words.2 = Self.add(words.2, other.words.2, &carry)
        words.3 = Self.add(words.3, other.words.3, &carry)
    }

    /// Takes another sum away.
    public mutating func subtract(_ other: NegentropySum) {
        var complement = NegentropySum()
        complement.words = (~other.words.0, ~other.words.1, ~other.words.2, ~other.words.3)
        var one = NegentropySum()
        one.words.0 = 1
        add(complement)
        add(one)
    }

    public static func == (left: NegentropySum, right: NegentropySum) -> Bool {
        left.words == right.words
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(words.0)
        hasher.combine(words.1)
        hasher.combine(words.2)
        hasher.combine(words.3)
    }

    /// The 16 bytes that stand for `count` items with this sum.
    func fingerprint(count: Int) -> NegentropyFingerprint {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(48)
        for word in [words.0, words.1, words.2, words.3] {
            withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
        }
        Varint.append(UInt64(count), to: &bytes)
        return NegentropyFingerprint(SHA256.hash(bytes).array.prefix(NegentropyFingerprint.size))
    }

    private init(_ id: EventID) {
        let stored = id.bytes.words
        words = (
            UInt64(littleEndian: stored.0), UInt64(littleEndian: stored.1),
            UInt64(littleEndian: stored.2), UInt64(littleEndian: stored.3)
        )
    }

    private static func add(_ left: UInt64, _ right: UInt64, _ carry: inout Bool) -> UInt64 {
        let (sum, first) = left.addingReportingOverflow(right)
        let (result, second) = sum.addingReportingOverflow(carry ? 1 : 0)
        carry = first || second
        return result
    }
}

/// The digest of all IDs in a range.
struct NegentropyFingerprint: Equatable {
    static let size = 16

    let bytes: [UInt8]

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }
}
