public import Negentropy
public import NostrEvents

/// The ids and times of stored events as a sorted set for reconciliation (NIP-77), as they were when it was made.
///
/// Up to 16,384 items are held in memory. Beyond that they lie in a file beside the database, 40 bytes each, that has no name
/// and is gone with the set; memory then holds that many at most and an eighth of a byte for each. A database in memory holds
/// its sets there too.
public struct EventSet: NegentropySet, Sendable {
    // Newest first, as queries give them: place n is the item at count - 1 - n.
    private let places: ItemList
    /// Element n is the sum of the ids in the first n * stride places.
    private let sums: [NegentropySum]

    private static let blockSize = 256

    /// - Parameter places: the items, newest first and at the same time highest id first.
    init(_ places: ItemList) throws(StoreError) {
        var sums: [NegentropySum] = [NegentropySum()]
        var sum = NegentropySum()
        for start in stride(from: 0, to: places.count - Self.blockSize + 1, by: Self.blockSize) {
            for item in try places.items(in: start..<start + Self.blockSize) { sum.add(item.id) }
            sums.append(sum)
        }
        self.places = places
        self.sums = sums
    }

    /// How many items there are.
    public var count: Int { places.count }

    /// The item at `index`, oldest first.
    ///
    /// - Throws: ``StoreError/temporaryFile(path:reason:)``.
    public func item(at index: Int) throws -> NegentropyItem {
        try places.items(in: count - 1 - index..<count - index)[0]
    }

    /// The sum of the ids in `range`, for which at most 512 items are read.
    ///
    /// - Throws: ``StoreError/temporaryFile(path:reason:)``.
    public func sum(of range: Range<Int>) throws -> NegentropySum {
        var sum = try sum(ofFirst: count - range.lowerBound)
        sum.subtract(try self.sum(ofFirst: count - range.upperBound))
        return sum
    }

    /// The ids in `range`, in order.
    ///
    /// - Throws: ``StoreError/temporaryFile(path:reason:)``.
    public func ids(in range: Range<Int>) throws -> [EventID] {
        try places.items(in: count - range.upperBound..<count - range.lowerBound).reversed().map(\.id)
    }

    private func sum(ofFirst end: Int) throws(StoreError) -> NegentropySum {
        let block = end / Self.blockSize
        var sum = sums[block]
        for item in try places.items(in: block * Self.blockSize..<end) { sum.add(item.id) }
        return sum
    }
}

/// Makes an ``EventSet`` of items as queries give them: newest first, at the same time lowest id first.
///
/// NIP-77 sorts by id upward within a time in the other direction too, so each run of equal times is turned over.
struct EventSetBuilder {
    private var places: ItemList
    private var runStart = 0
    private var runTime: UInt64?

    /// - Parameter path: the database, beside which a temporary file may be made; nil keeps everything in memory.
    init(beside path: String?) {
        places = ItemList(beside: path)
    }

    var count: Int { places.count }

    mutating func append(_ item: NegentropyItem) throws(StoreError) {
        if item.timestamp != runTime {
            try places.reverse(runStart..<places.count)
            runStart = places.count
            runTime = item.timestamp
        }
        try places.append(item)
    }

    mutating func finish() throws(StoreError) -> EventSet {
        try places.reverse(runStart..<places.count)
        return try EventSet(places)
    }
}
