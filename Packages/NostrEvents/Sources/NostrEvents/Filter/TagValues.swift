/// The values a filter accepts for a tag, in the order they were given, each once. They are compared byte for byte.
public struct TagValues: Sendable {
    private let values: [String]
    private let lookup: Set<ExactText>

    /// The values; of equal ones the first stays.
    public init(_ values: some Sequence<String>) {
        var lookup: Set<ExactText> = []
        self.values = values.filter { lookup.insert(ExactText($0)).inserted }
        self.lookup = lookup
    }

    /// Whether the value is one of these.
    public func contains(_ value: String) -> Bool {
        lookup.contains(ExactText(value))
    }

    /// Whether the string is one of these. For a few values no string is made of it.
    func contains(_ string: JSONString, _ bytes: RawSpan) -> Bool {
        guard !string.hasEscapes, values.count <= 8 else { return contains(string.decoded(bytes)) }
        return values.contains { bytes.isExactly(string.range, $0) }
    }
}

extension TagValues: RandomAccessCollection {
    public var startIndex: Int { values.startIndex }
    public var endIndex: Int { values.endIndex }
    public subscript(position: Int) -> String { values[position] }
}

extension TagValues: Equatable, ExpressibleByArrayLiteral {
    /// The order does not matter.
    public static func == (left: TagValues, right: TagValues) -> Bool {
        left.lookup == right.lookup
    }

    public init(arrayLiteral elements: String...) {
        self.init(elements)
    }
}

extension RawSpan {
    fileprivate func isExactly(_ range: Range<Int>, _ text: String) -> Bool {
        guard text.utf8.count == range.count else { return false }
        var offset = range.lowerBound
        for byte in text.utf8 {
            guard self.byte(offset) == byte else { return false }
            offset &+= 1
        }
        return true
    }
}
