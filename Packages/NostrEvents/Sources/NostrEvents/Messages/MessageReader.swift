import NostrCrypto

/// Reads the elements of a message one after the other. Elements beyond those a message is known to have are checked
/// and ignored, as later NIPs append them.
struct MessageReader {
    var reader = JSONReader()
    let type: String
    private var hasEnded = false

    init(_ bytes: RawSpan, _ limits: MessageLimits) throws(EventError) {
        guard bytes.byteCount <= limits.size else {
            throw .malformedJSON(.tooLarge, at: limits.size)
        }
        guard try reader.consume(ASCII.openBracket, bytes), try reader.peek(bytes) == ASCII.quote else {
            throw .invalidMessage(.notAMessage)
        }
        type = try reader.string(bytes).decoded(bytes)
    }

    /// Whether there is another element; its value is next.
    mutating func hasNext(_ bytes: RawSpan) throws(EventError) -> Bool {
        guard !hasEnded else { return false }
        hasEnded = try !reader.consumeComma(or: ASCII.closeBracket, bytes)
        return !hasEnded
    }

    /// Moves to the next element, which has to be there.
    private mutating func advance(_ bytes: RawSpan) throws(EventError) {
        guard try hasNext(bytes) else { throw .invalidMessage(.invalidElement) }
        reader.skipWhitespace(bytes)
    }

    /// Consumes what is left and refuses anything after the message.
    mutating func finish(_ bytes: RawSpan) throws(EventError) {
        while try hasNext(bytes) { _ = try reader.skipValue(bytes, depth: JSONReader.deepest - 1) }
        try reader.finish(bytes)
    }

    /// The error for an element that is not what it should be: malformed JSON if it is that.
    func invalid(_ bytes: RawSpan) -> EventError {
        var reader = reader
        do {
            _ = try reader.skipValue(bytes, depth: JSONReader.deepest - 1)
        } catch {
            return error
        }
        return .invalidMessage(.invalidElement)
    }

    mutating func text(_ bytes: RawSpan) throws(EventError) -> String {
        try advance(bytes)
        guard try reader.peek(bytes) == ASCII.quote else { throw invalid(bytes) }
        return try reader.string(bytes).decoded(bytes)
    }

    mutating func subscription(_ bytes: RawSpan) throws(EventError) -> SubscriptionID {
        try SubscriptionID(text(bytes))
    }

    mutating func status(_ bytes: RawSpan) throws(EventError) -> StatusMessage {
        StatusMessage(text: try text(bytes))
    }

    mutating func hex(_ bytes: RawSpan) throws(EventError) -> [UInt8] {
        let text = try text(bytes)
        do {
            return try Hex.decode(text, accepting: .either)
        } catch {
            throw .invalidMessage(.invalidElement)
        }
    }

    mutating func eventID(_ bytes: RawSpan) throws(EventError) -> EventID {
        let text = try text(bytes)
        do {
            return EventID(try Bytes32(hex: text))
        } catch {
            throw .invalidMessage(.invalidElement)
        }
    }

    mutating func bool(_ bytes: RawSpan) throws(EventError) -> Bool {
        try advance(bytes)
        switch try reader.peek(bytes) {
        case UInt8(ascii: "t"):
            try reader.literal("true", bytes)
            return true
        case UInt8(ascii: "f"):
            try reader.literal("false", bytes)
            return false
        default: throw invalid(bytes)
        }
    }

    mutating func event(_ bytes: RawSpan, _ limits: MessageLimits) throws(EventError) -> EventParser {
        try advance(bytes)
        guard try reader.peek(bytes) == ASCII.openBrace else { throw invalid(bytes) }
        let parser = try EventParser(bytes, from: reader.position, as: .signed, limits: limits.event)
        reader.position = parser.end
        return parser
    }

    mutating func filter(_ bytes: RawSpan, _ limits: MessageLimits) throws(EventError) -> Filter {
        try advance(bytes)
        return try Filter(&reader, bytes, limits.filter)
    }

    /// All elements that are left, one at least.
    mutating func filters(_ bytes: RawSpan, _ limits: MessageLimits) throws(EventError) -> [Filter] {
        var filters: [Filter] = []
        while try hasNext(bytes) {
            guard filters.count < limits.filters else { throw .invalidMessage(.tooManyFilters(limit: limits.filters)) }
            filters.append(try Filter(&reader, bytes, limits.filter))
        }
        guard !filters.isEmpty else { throw .invalidMessage(.noFilter) }
        return filters
    }

    /// The type, cut to what an error may show.
    var unknownType: EventError { .invalidMessage(.unknownType(type.cutForDisplay)) }
}
