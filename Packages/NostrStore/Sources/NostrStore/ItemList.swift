import Negentropy

/// Items in the order in which they were added: in memory while they are few, then in a file without a name.
struct ItemList: Sendable {
    /// What is held in memory at most, 640 KiB.
    static let mostInMemory = 16_384

    private let path: String?
    private var file: NamelessFile?
    private var inFile = 0
    private var rest: [NegentropyItem] = []

    /// - Parameter path: beside which file a temporary one may be made; nil keeps everything in memory.
    init(beside path: String?) {
        self.path = path
    }

    var count: Int { inFile + rest.count }

    mutating func append(_ item: NegentropyItem) throws(StoreError) {
        rest.append(item)
        if rest.count > Self.mostInMemory { try moveToFile() }
    }

    /// Turns a stretch over.
    mutating func reverse(_ range: Range<Int>) throws(StoreError) {
        guard range.count > 1 else { return }
        if range.lowerBound < inFile, range.upperBound > inFile { try moveToFile() }
        guard range.lowerBound < inFile else {
            rest[(range.lowerBound - inFile)..<(range.upperBound - inFile)].reverse()
            return
        }
        var (low, high) = (range.lowerBound, range.upperBound)
        while high - low > 1 {
            let size = min(4_096, (high - low) / 2)
            let front = try items(in: low..<low + size)
            let back = try items(in: high - size..<high)
            try file?.write(back.reversed(), at: low)
            try file?.write(front.reversed(), at: high - size)
            low += size
            high -= size
        }
    }

    func items(in range: Range<Int>) throws(StoreError) -> [NegentropyItem] {
        var items: [NegentropyItem] = []
        if let file, range.lowerBound < inFile {
            items = try file.read(range.lowerBound..<min(range.upperBound, inFile))
        }
        if range.upperBound > inFile {
            items += rest[(max(range.lowerBound, inFile) - inFile)..<(range.upperBound - inFile)]
        }
        return items
    }

    private mutating func moveToFile() throws(StoreError) {
        guard let path else { return }
        if file == nil { file = try NamelessFile(beside: path) }
        try file?.write(rest, at: inFile)
        inFile += rest.count
        rest.removeAll(keepingCapacity: true)
    }
}
