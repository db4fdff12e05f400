public import NostrEvents

/// A sorted set that can be reconciled: items in ascending order, each once, counted from 0.
///
/// A database can offer one without loading it: only ``count`` and ``item(at:)`` are needed, and the other requirements
/// have defaults that it may replace by something faster. The set must not change during one call of
/// ``NegentropyClient`` or ``NegentropyServer``; between two calls it may. Errors thrown here pass through unchanged.
public protocol NegentropySet {
    /// How many items there are.
    var count: Int { get throws }

    /// The item at `index`, which is in `0 ..< count`.
    func item(at index: Int) throws -> NegentropyItem

    /// The index of the first item in `range` that is not below `bound`, or the range's end.
    func firstIndex(notBelow bound: NegentropyBound, in range: Range<Int>) throws -> Int

    /// The sum of the IDs in `range`.
    func sum(of range: Range<Int>) throws -> NegentropySum

    /// The IDs in `range`, in order.
    func ids(in range: Range<Int>) throws -> [EventID]
}

extension NegentropySet {
    /// By binary search.
    public func firstIndex(notBelow bound: NegentropyBound, in range: Range<Int>) throws -> Int {
        var low = range.lowerBound
        var high = range.upperBound
        while low < high {
            let middle = low + (high - low) / 2
            if bound.isAbove(try item(at: middle)) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// By visiting each item.
    public func sum(of range: Range<Int>) throws -> NegentropySum {
        var sum = NegentropySum()
        for index in range { sum.add(try item(at: index).id) }
        return sum
    }

    /// By visiting each item.
    public func ids(in range: Range<Int>) throws -> [EventID] {
        try range.map { try item(at: $0).id }
    }

    func fingerprint(of range: Range<Int>) throws -> NegentropyFingerprint {
        try sum(of: range).fingerprint(count: range.count)
    }

    /// The indices of the items between two bounds.
    func indices(from lower: NegentropyBound, to upper: NegentropyBound, after start: Int = 0) throws -> Range<Int> {
        let count = try count
        guard start <= count else { throw NegentropyError.unsortedSet }
        let first = lower == .zero ? start : try firstIndex(notBelow: lower, in: start..<count)
        guard (start...count).contains(first) else { throw NegentropyError.unsortedSet }
        let end = upper == .infinity ? count : try firstIndex(notBelow: upper, in: first..<count)
        guard (first...count).contains(end) else { throw NegentropyError.unsortedSet }
        return first..<end
    }
}
