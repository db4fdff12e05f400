/// The tags of an event, read from its JSON as they are asked for.
///
/// A walk over them makes the strings of one tag at a time. Where they are needed again and again, keep an array of
/// them.
public struct Tags: Sequence, Sendable {
    private let buffer: [UInt8]
    private let range: Range<Int>

    /// How many there are.
    public let count: Int

    init(buffer: [UInt8], range: Range<Int>, count: Int) {
        self.buffer = buffer
        self.range = range
        self.count = count
    }

    /// Whether there is none.
    public var isEmpty: Bool { count == 0 }
    /// The same as ``count``.
    public var underestimatedCount: Int { count }

    /// A walk from the first tag.
    public func makeIterator() -> Iterator {
        Iterator(buffer: buffer, position: range.lowerBound + 1, remaining: count)
    }

    /// A walk over tags.
    public struct Iterator: IteratorProtocol {
        private let buffer: [UInt8]
        private var reader: JSONReader
        private var remaining: Int

        init(buffer: [UInt8], position: Int, remaining: Int) {
            self.buffer = buffer
            reader = JSONReader(at: position)
            self.remaining = remaining
        }

        /// The next tag; nil after the last.
        public mutating func next() -> Tag? {
            guard remaining > 0 else { return nil }
            remaining -= 1
            var elements: [String] = []
            // The text was checked when the event was parsed, so nothing here can fail.
            try? buffer.withRawSpan { (bytes) throws(EventError) in
                try reader.eachElement(bytes) { elements.append($0.decoded(bytes)) }
                if remaining > 0 { try reader.expect(ASCII.comma, bytes) }
            }
            return Tag(elements: elements)
        }
    }

    /// The first tag of a name.
    public func first(named name: String) -> Tag? {
        first { $0.name.isExactly(name) }
    }

    /// The value (second element) of the first tag of a name that has one.
    public func firstValue(named name: String) -> String? {
        for tag in self where tag.name.isExactly(name) {
            if let value = tag.value { return value }
        }
        return nil
    }

    /// The values (second elements) of all tags of a name, in their order.
    public func values(named name: String) -> [String] {
        compactMap { $0.name.isExactly(name) ? $0.value : nil }
    }

    /// The value of the first `d` tag, or "" if there is none: what tells addressable events of one author and kind
    /// apart (NIP-01).
    public var identifier: String {
        for tag in self where tag.name.isExactly("d") { return tag.value ?? "" }
        return ""
    }

    /// Calls `body` with the letter and the value of each tag that has both, until it returns true. No string is made.
    func containsIndexed(_ body: (TagLetter, JSONString, RawSpan) -> Bool) -> Bool {
        buffer.withRawSpan { bytes in
            var reader = JSONReader(at: range.lowerBound + 1)
            for index in 0..<count {
                var place = 0
                var letter: TagLetter?
                var isFound = false
                do {
                    if index > 0 { try reader.expect(ASCII.comma, bytes) }
                    try reader.eachElement(bytes) { element in
                        if place == 0 {
                            letter = element.letter(bytes)
                        } else if place == 1, let letter {
                            isFound = body(letter, element, bytes)
                        }
                        place += 1
                    }
                } catch {
                    return false
                }
                if isFound { return true }
            }
            return false
        }
    }
}

extension JSONReader {
    /// Consumes an array of strings.
    @inline(__always)
    fileprivate mutating func eachElement(_ bytes: RawSpan, _ body: (JSONString) -> Void) throws(EventError) {
        try expect(ASCII.openBracket, bytes)
        repeat {
            skipWhitespace(bytes)
            body(try string(bytes))
        } while try consumeComma(or: ASCII.closeBracket, bytes)
    }
}

extension JSONString {
    /// The letter, if the string is one.
    fileprivate func letter(_ bytes: RawSpan) -> TagLetter? {
        if range.count == 1 { return TagLetter(ascii: bytes.byte(range.lowerBound)) }
        return hasEscapes ? TagLetter(decoded(bytes)) : nil
    }
}
