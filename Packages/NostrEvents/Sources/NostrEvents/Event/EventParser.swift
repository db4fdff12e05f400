import NostrCrypto

/// Reads one event from JSON: strict, in one pass, without allocating. What the rules are is said at ``WireEvent``.
struct EventParser {
    /// Which of id and signature the event has to have.
    enum Form {
        /// Both.
        case signed
        /// No signature; an id only if there is one (NIP-59 rumors).
        case rumor
    }

    var layout = EventLayout()
    var id: Bytes32?
    var signature: Signature?

    private var reader: JSONReader
    private var seen: UInt8 = 0

    /// Where the event begins, at its brace.
    let start: Int
    /// Where the event ends.
    var end: Int { reader.position }

    /// Reads the event that begins at `start`, after white space. What follows it is the caller's business.
    init(_ bytes: RawSpan, from start: Int, as form: Form, limits: EventLimits) throws(EventError) {
        var reader = JSONReader(at: start)
        guard try reader.peek(bytes) == ASCII.openBrace else {
            throw .malformedJSON(.unexpectedByte, at: reader.position)
        }
        self.start = reader.position
        reader.position &+= 1
        self.reader = reader
        if try !self.reader.consume(ASCII.closeBrace, bytes) {
            repeat {
                try readMember(bytes, limits)
            } while try self.reader.consumeComma(or: ASCII.closeBrace, bytes)
        }
        try checkFields(form)
        guard end &- self.start <= limits.size else { throw .tooLarge(limit: limits.size) }
        if layout.tagCount > limits.fewestTags {
            let limit = limits.tags(for: layout.kind)
            guard layout.tagCount <= limit else { throw .tooManyTags(limit: limit) }
        }
    }

    private func checkFields(_ form: Form) throws(EventError) {
        if form == .rumor, seen & Self.bit(.signature) != 0 { throw .unexpectedSignature }
        let needed = form == .signed ? Self.allFields : Self.rumorFields
        let missing = needed & ~seen
        guard missing != 0 else { return }
        for field in EventField.allCases where missing & Self.bit(field) != 0 { throw .missingField(field) }
    }

    private static let allFields: UInt8 = 0x7F
    private static let rumorFields: UInt8 = 0x3E

    @inline(__always)
    private static func bit(_ field: EventField) -> UInt8 {
        switch field {
        case .id: 0x01
        case .pubkey: 0x02
        case .createdAt: 0x04
        case .kind: 0x08
        case .tags: 0x10
        case .content: 0x20
        case .signature: 0x40
        }
    }

    private mutating func readMember(_ bytes: RawSpan, _ limits: EventLimits) throws(EventError) {
        let field = try readKey(bytes)
        try reader.expect(ASCII.colon, bytes)
        guard let field else {
            // An event's object is the first level.
            _ = try reader.skipValue(bytes, depth: JSONReader.deepest - 1)
            return
        }
        guard seen & Self.bit(field) == 0 else { throw .duplicateField(field) }
        seen |= Self.bit(field)
        switch field {
        case .id: id = try readBytes32(.id, bytes)
        case .pubkey: layout.pubkey = try readBytes32(.pubkey, bytes)
        case .signature: try readSignature(bytes)
        case .createdAt:
            guard let value = reader.plainInteger(bytes) else { throw invalid(.createdAt, bytes) }
            layout.createdAt = value
        case .kind:
            guard let value = reader.plainInteger(bytes, upTo: Int64(UInt16.max)) else { throw invalid(.kind, bytes) }
            layout.kind = Kind(rawValue: UInt16(truncatingIfNeeded: value))
        case .content:
            guard try reader.peek(bytes) == ASCII.quote else { throw invalid(.content, bytes) }
            let content = try reader.string(bytes)
            guard content.range.count <= limits.contentSize else { throw .contentTooLarge(limit: limits.contentSize) }
            layout.content = content
        case .tags: try readTags(bytes, limits)
        }
    }

    /// The field a key names; nil for a key that is no field of an event.
    @inline(__always)
    private mutating func readKey(_ bytes: RawSpan) throws(EventError) -> EventField? {
        reader.skipWhitespace(bytes)
        let at = reader.position
        if at &+ 17 <= bytes.byteCount, bytes.byte(at) == ASCII.quote {
            let word = bytes.word(at &+ 1)
            let next = bytes.word(at &+ 9)
            if word & 0xFF_FFFF == Self.word(#"id""#) {
                reader.position = at &+ 4
                return .id
            }
            if word & 0xFFFF_FFFF == Self.word(#"sig""#) {
                reader.position = at &+ 5
                return .signature
            }
            if word & 0xFF_FFFF_FFFF == Self.word(#"kind""#) {
                reader.position = at &+ 6
                return .kind
            }
            if word & 0xFF_FFFF_FFFF == Self.word(#"tags""#) {
                reader.position = at &+ 6
                return .tags
            }
            if word & 0xFF_FFFF_FFFF_FFFF == Self.word(#"pubkey""#) {
                reader.position = at &+ 8
                return .pubkey
            }
            if word == Self.word(#"content""#) {
                reader.position = at &+ 9
                return .content
            }
            if word == Self.word("created_"), next & 0xFF_FFFF == Self.word(#"at""#) {
                reader.position = at &+ 12
                return .createdAt
            }
        }
        // Near the end of the text, spelled with escapes, or unknown.
        let key = try reader.string(bytes)
        guard key.range.count <= Self.longestKey else { return nil }
        return EventField(rawValue: key.decoded(bytes))
    }

    /// `created_at` with each letter as a `\u` escape.
    private static let longestKey = 60

    /// Up to eight characters as they are loaded from memory.
    @inline(__always)
    private static func word(_ text: StaticString) -> UInt64 {
        var word: UInt64 = 0
        for index in 0..<text.utf8CodeUnitCount {
            word |= unsafe UInt64(text.utf8Start[index]) << UInt64(8 * index)
        }
        return word
    }

    @inline(__always)
    private mutating func readBytes32(_ field: EventField, _ bytes: RawSpan) throws(EventError) -> Bytes32 {
        reader.skipWhitespace(bytes)
        let at = reader.position
        guard at &+ 66 <= bytes.byteCount, bytes.byte(at) == ASCII.quote, bytes.byte(at &+ 65) == ASCII.quote,
            let value = bytes.bytes32(at &+ 1)
        else { throw invalid(field, bytes) }
        reader.position = at &+ 66
        return value
    }

    private mutating func readSignature(_ bytes: RawSpan) throws(EventError) {
        reader.skipWhitespace(bytes)
        let at = reader.position
        guard at &+ 130 <= bytes.byteCount, bytes.byte(at) == ASCII.quote, bytes.byte(at &+ 129) == ASCII.quote,
            let r = bytes.bytes32(at &+ 1), let s = bytes.bytes32(at &+ 65)
        else { throw invalid(.signature, bytes) }
        reader.position = at &+ 130
        signature = Signature(r: r, s: s)
    }

    /// The error for a value that is not what the field needs: malformed JSON if it is that, else the field's own.
    private func invalid(_ field: EventField, _ bytes: RawSpan) -> EventError {
        var reader = reader
        do {
            _ = try reader.skipValue(bytes, depth: JSONReader.deepest - 1)
        } catch {
            return error
        }
        return .invalidField(field)
    }

    private mutating func readTags(_ bytes: RawSpan, _ limits: EventLimits) throws(EventError) {
        guard try reader.peek(bytes) == ASCII.openBracket else { throw invalid(.tags, bytes) }
        let start = reader.position
        reader.position &+= 1
        var count = 0
        // The bytes it takes without white space, to know whether there is any.
        var compactCount = 2
        var isCanonical = true

        if try !reader.consume(ASCII.closeBracket, bytes) {
            repeat {
                guard try reader.peek(bytes) == ASCII.openBracket else { throw invalid(.tags, bytes) }
                reader.position &+= 1
                count &+= 1
                guard count <= limits.mostTags else { throw .tooManyTags(limit: limits.mostTags) }
                if try reader.consume(ASCII.closeBracket, bytes) { throw .emptyTag }
                compactCount &+= 2
                repeat {
                    guard try reader.peek(bytes) == ASCII.quote else { throw invalid(.tags, bytes) }
                    let element = try reader.string(bytes)
                    isCanonical = isCanonical && element.isCanonical
                    // Two quotes and a comma or, instead of it, nothing.
                    compactCount &+= element.range.count &+ 3
                } while try reader.consumeComma(or: ASCII.closeBracket, bytes)
            } while try reader.consumeComma(or: ASCII.closeBracket, bytes)
            // The last element of a tag has no comma, the last tag neither.
            compactCount &-= 1
        }
        let range = start..<reader.position
        layout.tags = range
        layout.tagCount = count
        layout.tagsAreCanonical = isCanonical && range.count == compactCount
    }
}
