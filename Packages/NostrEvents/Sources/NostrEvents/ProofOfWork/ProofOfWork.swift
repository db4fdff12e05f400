import NostrCrypto

/// Work that is proven by the leading zero bits of an event's id (NIP-13).
public enum ProofOfWork {
    /// The number of leading zero bits of an id, 0 ... 256.
    public static func difficulty(of id: EventID) -> Int {
        leadingZeroBits(id.bytes)
    }

    /// The difficulty that the author aimed at: the third element of the first `nonce` tag. Nil if there is none, or if it is
    /// no integer from 0 to 256 written with digits alone.
    public static func committedTarget(in tags: some Sequence<Tag>) -> Int? {
        guard let target = tags.first(where: { $0.name == "nonce" })?[2] else { return nil }
        guard (1...3).contains(target.utf8.count), target.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(target).flatMap { $0 <= 256 ? $0 : nil }
    }

    /// Whether an event has done the work that is asked for: its id has the leading zero bits, and its author aimed at no
    /// less, so that luck with a lower target does not count.
    /// - Parameter requiresCommitment: Whether an event without a committed target fails; NIP-13 allows both.
    public static func isSufficient(
        id: EventID,
        tags: some Sequence<Tag>,
        minimum: Int,
        requiresCommitment: Bool = true
    ) -> Bool {
        guard difficulty(of: id) >= minimum else { return false }
        guard let target = committedTarget(in: tags) else { return minimum <= 0 || !requiresCommitment }
        return target >= minimum
    }

    static func leadingZeroBits(_ bytes: Bytes32) -> Int {
        let words = bytes.words
        var bits = 0
        for word in [words.0, words.1, words.2, words.3] {
            bits += word.bigEndian.leadingZeroBitCount
            if word != 0 { break }
        }
        return bits
    }
}
