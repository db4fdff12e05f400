import NostrCrypto

extension Filter {
    /// Reads a filter from UTF-8 JSON.
    ///
    /// A field this package does not know is refused: to leave a condition out would give more than was asked for. So
    /// are a field that appears twice, `null`, numbers that are no plain integers from 0 to 2^53 - 1, and ids, authors,
    /// `#e` and `#p` values that are not 64 lower-case hexadecimal digits. Prefixes, which old versions of NIP-01 had,
    /// are none.
    /// - Throws: ``EventError/invalidFilter(_:)`` or ``EventError/malformedJSON(_:at:)``.
    public init(json: [UInt8], limits: FilterLimits = .standard) throws(EventError) {
        self = try json.withRawSpan { (bytes) throws(EventError) in
            var reader = JSONReader()
            let filter = try Filter(&reader, bytes, limits)
            try reader.finish(bytes)
            return filter
        }
    }

    /// Reads a filter from JSON text.
    public init(json: String, limits: FilterLimits = .standard) throws(EventError) {
        try self.init(json: Array(json.utf8), limits: limits)
    }

    init(_ reader: inout JSONReader, _ bytes: RawSpan, _ limits: FilterLimits) throws(EventError) {
        self.init()
        guard try reader.peek(bytes) == ASCII.openBrace else {
            _ = try reader.skipValue(bytes)
            throw .invalidFilter(.notAnObject)
        }
        var keys: Set<ExactText> = []
        try reader.members(bytes, 1, allowsDuplicateKeys: true) { (key, reader) throws(EventError) in
            guard keys.insert(ExactText(key)).inserted else {
                throw .invalidFilter(.duplicateField(key.cutForDisplay))
            }
            try readField(key, &reader, bytes, limits)
        }
    }

    private mutating func readField(
        _ key: String,
        _ reader: inout JSONReader,
        _ bytes: RawSpan,
        _ limits: FilterLimits
    ) throws(EventError) {
        switch key {
        case "ids":
            ids = Set(try Self.hexList(key, &reader, bytes, limits).lazy.map(EventID.init))
        case "authors":
            authors = Set(try Self.hexList(key, &reader, bytes, limits))
        case "kinds":
            var kinds: Set<Kind> = []
            try Self.list(key, &reader, bytes, limits) { (reader) throws(EventError) in
                guard let kind = reader.plainInteger(bytes, upTo: Int64(UInt16.max)) else {
                    throw Self.invalid(key, reader, bytes)
                }
                kinds.insert(Kind(rawValue: UInt16(truncatingIfNeeded: kind)))
            }
            self.kinds = kinds
        case "since": since = try Self.number(key, &reader, bytes)
        case "until": until = try Self.number(key, &reader, bytes)
        case "limit": limit = Int(clamping: try Self.number(key, &reader, bytes))
        case "search": search = try Self.text(key, &reader, bytes, limits)
        default:
            guard key.utf8.count == 2, key.utf8.first == UInt8(ascii: "#"),
                let letter = TagLetter(String(key.dropFirst()))
            else {
                _ = try reader.skipValue(bytes, depth: JSONReader.deepest - 1)
                throw .invalidFilter(.unknownField(key.cutForDisplay))
            }
            let needsHex = letter == .e || letter == .p
            var values: [String] = []
            try Self.list(key, &reader, bytes, limits) { (reader) throws(EventError) in
                let start = reader
                let value = try Self.text(key, &reader, bytes, limits)
                guard !needsHex || (try? Bytes32(hex: value)) != nil else { throw Self.invalid(key, start, bytes) }
                values.append(value)
            }
            tags[letter] = TagValues(values)
        }
    }

    private static func list(
        _ key: String,
        _ reader: inout JSONReader,
        _ bytes: RawSpan,
        _ limits: FilterLimits,
        _ body: (inout JSONReader) throws(EventError) -> Void
    ) throws(EventError) {
        guard try reader.peek(bytes) == ASCII.openBracket else { throw invalid(key, reader, bytes) }
        var count = 0
        try reader.elements(bytes, 1) { (reader) throws(EventError) in
            count += 1
            guard count <= limits.values else { throw .invalidFilter(.tooManyValues(limit: limits.values)) }
            try body(&reader)
        }
    }

    private static func hexList(
        _ key: String,
        _ reader: inout JSONReader,
        _ bytes: RawSpan,
        _ limits: FilterLimits
    ) throws(EventError) -> [Bytes32] {
        var values: [Bytes32] = []
        try list(key, &reader, bytes, limits) { (reader) throws(EventError) in
            reader.skipWhitespace(bytes)
            let at = reader.position
            guard at + 66 <= bytes.byteCount, bytes.byte(at) == ASCII.quote, bytes.byte(at + 65) == ASCII.quote,
                let value = bytes.bytes32(at + 1)
            else { throw invalid(key, reader, bytes) }
            reader.position = at + 66
            values.append(value)
        }
        return values
    }

    private static func number(
        _ key: String,
        _ reader: inout JSONReader,
        _ bytes: RawSpan
    ) throws(EventError) -> Int64 {
        guard let value = reader.plainInteger(bytes) else { throw invalid(key, reader, bytes) }
        return value
    }

    private static func text(
        _ key: String,
        _ reader: inout JSONReader,
        _ bytes: RawSpan,
        _ limits: FilterLimits
    ) throws(EventError) -> String {
        guard try reader.peek(bytes) == ASCII.quote else { throw invalid(key, reader, bytes) }
        let value = try reader.string(bytes).decoded(bytes)
        guard value.utf8.count <= limits.valueSize else { throw .invalidFilter(.invalidField(key)) }
        return value
    }

    /// The error for a value that is not what the field needs: malformed JSON if it is that, else the field's own.
    private static func invalid(_ key: String, _ reader: JSONReader, _ bytes: RawSpan) -> EventError {
        var reader = reader
        do {
            _ = try reader.skipValue(bytes, depth: JSONReader.deepest - 1)
        } catch {
            return error
        }
        return .invalidFilter(.invalidField(key))
    }

    /// The filter as compact UTF-8 JSON. Ids, authors, kinds and letters are sorted, so that equal filters read equal
    /// but for the order of tag values.
    public var json: [UInt8] {
        var output: [UInt8] = []
        appendJSON(to: &output)
        return output
    }

    /// Appends ``json``.
    public func appendJSON(to output: inout [UInt8]) {
        output.append(ASCII.openBrace)
        let start = output.count
        func name(_ key: String, _ output: inout [UInt8]) {
            if output.count > start { output.append(ASCII.comma) }
            CanonicalEscape.append(key, to: &output)
            output.append(ASCII.colon)
        }
        func list<Element>(
            _ key: String,
            _ values: some Sequence<Element>,
            _ output: inout [UInt8],
            _ write: (Element, inout [UInt8]) -> Void
        ) {
            name(key, &output)
            output.append(ASCII.openBracket)
            for (index, value) in values.enumerated() {
                if index > 0 { output.append(ASCII.comma) }
                write(value, &output)
            }
            output.append(ASCII.closeBracket)
        }
        func hex(_ value: Bytes32, _ output: inout [UInt8]) {
            output.append(ASCII.quote)
            value.appendHex(to: &output)
            output.append(ASCII.quote)
        }

        if let ids { list("ids", ids.sorted().lazy.map(\.bytes), &output, hex) }
        if let authors { list("authors", authors.sorted(), &output, hex) }
        if let kinds { list("kinds", kinds.sorted(), &output) { $1.append(decimal: UInt64($0.rawValue)) } }
        for letter in tags.keys.sorted() {
            list("#\(letter)", tags[letter] ?? [], &output) { CanonicalEscape.append($0, to: &$1) }
        }
        for (key, value) in [("since", since), ("until", until), ("limit", limit.map(Int64.init))] {
            guard let value else { continue }
            name(key, &output)
            output.append(decimal: UInt64(min(max(value, 0), JSONReader.greatestInteger)))
        }
        if let search {
            name("search", &output)
            CanonicalEscape.append(search, to: &output)
        }
        output.append(ASCII.closeBrace)
    }
}

extension Filter: CustomStringConvertible {
    /// The filter as JSON.
    public var description: String { String(decoding: json, as: UTF8.self) }
}
