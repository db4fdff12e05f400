import NostrCrypto
import NostrEvents

/// Writes ranges in ascending order as long as they fit, with a skip wherever one does not begin where the last ended.
struct MessageWriter {
    /// What is written so far.
    private(set) var message: [UInt8] = [NegentropyFrame.version]
    /// Where the last written range ends.
    private(set) var end = NegentropyBound.zero
    private let limit: Int

    /// A set with fewer items in a range than this lists them, others are described by fingerprints of `buckets` parts.
    private static let listThreshold = 32
    private static let buckets = 16

    /// - Parameter limit: bytes that the message may have.
    init(limit: Int) {
        self.limit = limit
    }

    /// Describes what `set` has in a range that differs: lists a few IDs, or takes fingerprints of the range's parts.
    ///
    /// - Returns: the bound up to which the description fitted; it is above `lower` if anything was written.
    mutating func describe(
        _ set: some NegentropySet,
        indices: Range<Int>,
        from lower: NegentropyBound,
        to upper: NegentropyBound
    ) throws -> NegentropyBound {
        guard indices.count >= Self.listThreshold else {
            return try list(set, indices: indices, from: lower, to: upper)
        }
        let (size, larger) = indices.count.quotientAndRemainder(dividingBy: Self.buckets)
        var described = lower
        var first = indices.lowerBound
        for bucket in 0..<Self.buckets {
            let next = first + size + (bucket < larger ? 1 : 0)
            let bound = bucket == Self.buckets - 1 ? upper : try Self.bound(before: next, of: set, in: described, upper)
            let fingerprint = try set.fingerprint(of: first..<next)
            guard append(fingerprint, from: described, to: bound) else { break }
            described = bound
            first = next
        }
        return described
    }

    /// Lists the IDs that `set` has in a range.
    ///
    /// - Returns: the bound up to which they fitted; it is above `lower` if anything was written.
    mutating func list(
        _ set: some NegentropySet,
        indices: Range<Int>,
        from lower: NegentropyBound,
        to upper: NegentropyBound
    ) throws -> NegentropyBound {
        // The largest head: a skip, the bound, the mode and the number of IDs.
        let head = 2 * (NegentropyFrame.maximumBoundSize + 1) + 10
        let fitting = max(0, limit - message.count - head) / 32
        if indices.count <= fitting || indices.isEmpty {
            let ids = try set.ids(in: indices)
            return append(ids, from: lower, to: upper) ? upper : lower
        }
        guard fitting > 0 else { return lower }
        let part = indices.prefix(fitting)
        let bound = try Self.bound(before: part.endIndex, of: set, in: lower, upper)
        return append(try set.ids(in: part), from: lower, to: bound) ? bound : lower
    }

    /// The bound between two items of a range, which is not empty to either side if the set is sorted.
    private static func bound(
        before index: Int,
        of set: some NegentropySet,
        in lower: NegentropyBound,
        _ upper: NegentropyBound
    ) throws -> NegentropyBound {
        let (last, next) = (try set.item(at: index - 1), try set.item(at: index))
        let bound = NegentropyBound.between(last, next)
        guard last < next, lower < bound, bound < upper else { throw NegentropyError.unsortedSet }
        return bound
    }

    /// Closes a message that is full with the fingerprint of all that follows; the space for it was kept free.
    mutating func appendRemainder(_ set: some NegentropySet) throws {
        let fingerprint = try set.fingerprint(of: try set.indices(from: end, to: .infinity))
        write(.infinity)
        Varint.append(RangeMode.fingerprint, to: &message)
        message.append(contentsOf: fingerprint.bytes)
    }

    private mutating func append(
        _ fingerprint: NegentropyFingerprint,
        from lower: NegentropyBound,
        to upper: NegentropyBound
    ) -> Bool {
        appending(from: lower, to: upper) { message in
            Varint.append(RangeMode.fingerprint, to: &message)
            message.append(contentsOf: fingerprint.bytes)
        }
    }

    private mutating func append(_ ids: [EventID], from lower: NegentropyBound, to upper: NegentropyBound) -> Bool {
        appending(from: lower, to: upper) { message in
            Varint.append(RangeMode.idList, to: &message)
            Varint.append(UInt64(ids.count), to: &message)
            for id in ids { id.bytes.withUnsafeBytes { message.append(contentsOf: $0) } }
        }
    }

    private mutating func appending(
        from lower: NegentropyBound,
        to upper: NegentropyBound,
        _ payload: (inout [UInt8]) -> Void
    ) -> Bool {
        let mark = (count: message.count, end: end)
        if lower != end {
            write(lower)
            Varint.append(RangeMode.skip, to: &message)
        }
        write(upper)
        payload(&message)
        guard message.count <= limit else {
            message.removeLast(message.count - mark.count)
            end = mark.end
            return false
        }
        return true
    }

    private mutating func write(_ bound: NegentropyBound) {
        if bound == .infinity {
            Varint.append(0, to: &message)
        } else {
            // Bounds ascend from `end`, so this cannot wrap and infinity is excluded.
            Varint.append(bound.timestamp - end.timestamp + 1, to: &message)
        }
        Varint.append(UInt64(bound.prefixLength), to: &message)
        message.append(contentsOf: bound.id.bytes.array.prefix(Int(bound.prefixLength)))
        end = bound
    }
}
