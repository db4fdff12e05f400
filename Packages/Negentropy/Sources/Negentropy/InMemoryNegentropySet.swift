public import NostrEvents

/// A sorted set in memory: 40 bytes an item, and half a byte more for sums that make every fingerprint cheap.
public struct InMemoryNegentropySet: NegentropySet, Sendable {
    private let items: [NegentropyItem]
    /// Element n is the sum of the first n * stride items.
    private let sums: [NegentropySum]
    private static let stride = 64

    /// Sorts the items and drops repeated ones.
    public init(_ items: some Sequence<NegentropyItem>) {
        var sorted: [NegentropyItem] = []
        for item in items.sorted() where item != sorted.last { sorted.append(item) }
        var sums: [NegentropySum] = []
        var sum = NegentropySum()
        for (index, item) in sorted.enumerated() {
            if index.isMultiple(of: Self.stride) { sums.append(sum) }
            sum.add(item.id)
        }
        if sorted.count.isMultiple(of: Self.stride) { sums.append(sum) }
        self.items = sorted
        self.sums = sums
    }

    /// How many items there are.
    public var count: Int { items.count }

    /// An item by its place in the order.
    public func item(at index: Int) -> NegentropyItem { items[index] }

    /// The sum of the ids of a range of places.
    public func sum(of range: Range<Int>) -> NegentropySum {
        var sum = sum(below: range.upperBound)
        sum.subtract(self.sum(below: range.lowerBound))
        return sum
    }

    /// The ids of a range of places, in order.
    public func ids(in range: Range<Int>) -> [EventID] {
        items[range].map(\.id)
    }

    private func sum(below end: Int) -> NegentropySum {
        let block = end / Self.stride
        var sum = sums[block]
        for item in items[(block * Self.stride)..<end] { sum.add(item.id) }
        return sum
    }
}
