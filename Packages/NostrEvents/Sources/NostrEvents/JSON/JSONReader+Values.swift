extension JSONReader {
    /// Consumes a value and makes a tree of it. The recursion goes as deep as `depth` allows.
    mutating func value(
        _ bytes: RawSpan,
        depth: Int,
        allowsDuplicateKeys: Bool
    ) throws(EventError) -> JSONValue {
        switch try peek(bytes) {
        case ASCII.quote:
            return .string(try string(bytes).decoded(bytes))
        case UInt8(ascii: "t"):
            try literal("true", bytes)
            return .bool(true)
        case UInt8(ascii: "f"):
            try literal("false", bytes)
            return .bool(false)
        case UInt8(ascii: "n"):
            try literal("null", bytes)
            return .null
        case ASCII.openBracket:
            var values: [JSONValue] = []
            try elements(bytes, depth) { (reader) throws(EventError) in
                values.append(
                    try reader.value(bytes, depth: depth - 1, allowsDuplicateKeys: allowsDuplicateKeys)
                )
            }
            return .array(values)
        case ASCII.openBrace:
            var members: [JSONObject.Member] = []
            try self.members(bytes, depth, allowsDuplicateKeys: allowsDuplicateKeys) {
                (key, reader) throws(EventError) in
                let value = try reader.value(
                    bytes,
                    depth: depth - 1,
                    allowsDuplicateKeys: allowsDuplicateKeys
                )
                members.append(JSONObject.Member(key: key, value: value))
            }
            return .object(JSONObject(members))
        default:
            return .number(JSONNumber(checked: bytes.text(try number(bytes))))
        }
    }

    /// Consumes an array, `body` each of its elements.
    mutating func elements(
        _ bytes: RawSpan,
        _ depth: Int,
        _ body: (inout JSONReader) throws(EventError) -> Void
    ) throws(EventError) {
        guard try peek(bytes) == ASCII.openBracket else { throw .malformedJSON(.unexpectedByte, at: position) }
        guard depth > 0 else { throw .malformedJSON(.tooDeep, at: position) }
        position &+= 1
        guard try !consume(ASCII.closeBracket, bytes) else { return }
        repeat {
            try body(&self)
        } while try consumeComma(or: ASCII.closeBracket, bytes)
    }

    /// Consumes an object, `body` the value of each of its members.
    mutating func members(
        _ bytes: RawSpan,
        _ depth: Int,
        allowsDuplicateKeys: Bool,
        _ body: (String, inout JSONReader) throws(EventError) -> Void
    ) throws(EventError) {
        guard try peek(bytes) == ASCII.openBrace else { throw .malformedJSON(.unexpectedByte, at: position) }
        guard depth > 0 else { throw .malformedJSON(.tooDeep, at: position) }
        position &+= 1
        guard try !consume(ASCII.closeBrace, bytes) else { return }
        var keys: Set<ExactText> = []
        repeat {
            skipWhitespace(bytes)
            let keyPosition = position
            let key = try string(bytes).decoded(bytes)
            if !allowsDuplicateKeys, !keys.insert(ExactText(key)).inserted {
                throw .malformedJSON(.duplicateKey, at: keyPosition)
            }
            try expect(ASCII.colon, bytes)
            try body(key, &self)
        } while try consumeComma(or: ASCII.closeBrace, bytes)
    }
}
