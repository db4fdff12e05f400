import NostrCrypto

/// Elements that only relays send.
extension MessageReader {
    mutating func optionalStatus(_ bytes: RawSpan) throws(EventError) -> StatusMessage {
        guard try hasNext(bytes) else { return .empty }
        guard try reader.peek(bytes) == ASCII.quote else { throw invalid(bytes) }
        return StatusMessage(text: try reader.string(bytes).decoded(bytes))
    }

    /// An integer; nil if there is no element, or one that is something else, which a relay may have put there.
    mutating func optionalInteger(_ bytes: RawSpan) throws(EventError) -> Int64? {
        guard try hasNext(bytes) else { return nil }
        if let value = reader.plainInteger(bytes) { return value }
        _ = try reader.skipValue(bytes, depth: JSONReader.deepest - 1)
        return nil
    }

    /// The hints of an EOSE. Unknown hints, and anything that is no array of strings, are as if they were absent
    /// (NIP-67).
    mutating func hints(_ bytes: RawSpan) throws(EventError) -> EndOfStoredEventsHints {
        var hints: EndOfStoredEventsHints = []
        guard try hasNext(bytes) else { return hints }
        guard try reader.peek(bytes) == ASCII.openBracket else {
            _ = try reader.skipValue(bytes, depth: JSONReader.deepest - 1)
            return hints
        }
        try reader.elements(bytes, 1) { (reader) throws(EventError) in
            guard try reader.peek(bytes) == ASCII.quote else {
                _ = try reader.skipValue(bytes, depth: JSONReader.deepest - 2)
                return
            }
            let text = try reader.string(bytes).decoded(bytes)
            for (hint, name) in EndOfStoredEventsHints.names where name == text { hints.insert(hint) }
        }
        return hints
    }

    mutating func count(_ bytes: RawSpan) throws(EventError) -> EventCount {
        guard try hasNext(bytes) else { throw .invalidMessage(.invalidElement) }
        guard try reader.peek(bytes) == ASCII.openBrace else { throw invalid(bytes) }
        let object = try reader.value(bytes, depth: JSONReader.deepest - 1, allowsDuplicateKeys: false)
        guard let count = object["count"]?.integer, (0...JSONReader.greatestInteger).contains(count) else {
            throw .invalidMessage(.invalidElement)
        }
        var result = EventCount(count: count)
        if let approximate = object["approximate"] {
            guard let isApproximate = approximate.bool else { throw .invalidMessage(.invalidElement) }
            result.isApproximate = isApproximate
        }
        if let sketch = object["hll"] {
            guard let text = sketch.string, let registers = try? Hex.decode(text, accepting: .either),
                registers.count == EventCount.registerCount
            else { throw .invalidMessage(.invalidElement) }
            result.hyperLogLog = registers
        }
        return result
    }
}

extension EventCount {
    func appendJSON(to output: inout [UInt8]) {
        var object: JSONObject = JSONObject()
        object["count"] = .integer(count)
        if isApproximate { object["approximate"] = true }
        if let hyperLogLog { object["hll"] = .string(Hex.encode(hyperLogLog)) }
        JSONValue.object(object).appendJSON(to: &output)
    }
}
