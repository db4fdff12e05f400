/// One JSON value that was checked but not taken apart: a range of the text it was read from. What a program does not
/// know it can keep in this form and write again byte for byte.
public struct RawJSON: Sendable {
    private let buffer: [UInt8]
    private let range: Range<Int>

    init(buffer: [UInt8], range: Range<Int>) {
        self.buffer = buffer
        self.range = range
    }

    /// Checks UTF-8 JSON and keeps it. Keys that appear twice are not looked for in what is not taken apart.
    /// - Throws: ``EventError/malformedJSON(_:at:)``.
    public init(json: [UInt8], limits: JSONLimits = .standard) throws(EventError) {
        guard json.count <= limits.size else { throw .malformedJSON(.tooLarge, at: limits.size) }
        range = try json.withRawSpan { (bytes) throws(EventError) in
            var reader = JSONReader()
            let range = try reader.skipValue(bytes, depth: limits.depth)
            try reader.finish(bytes)
            return range
        }
        buffer = json
    }

    /// The text of a value.
    public init(_ value: JSONValue) {
        buffer = value.json
        range = 0..<buffer.count
    }

    /// The text as it was read, UTF-8, without white space around it.
    public var json: [UInt8] { Array(buffer[range]) }

    /// Appends ``json``.
    public func appendJSON(to output: inout [UInt8]) {
        output.append(contentsOf: buffer[range])
    }

    /// The value, taken apart.
    /// - Throws: ``EventError/malformedJSON(_:at:)`` for a key that appears twice in an object, if the limits do not
    ///   allow it.
    public func value(limits: JSONLimits = .standard) throws(EventError) -> JSONValue {
        try buffer.withRawSpan { (bytes) throws(EventError) in
            try JSONValue(json: bytes.extracting(range), limits: limits)
        }
    }

    /// Whether the value is an object.
    public var isObject: Bool { buffer[range.lowerBound] == ASCII.openBrace }

    /// The members of an object, their values not taken apart; nil if the value is none.
    /// - Throws: ``EventError/malformedJSON(_:at:)`` for a key that appears twice.
    public func members() throws(EventError) -> [(key: String, value: RawJSON)]? {
        guard isObject else { return nil }
        return try buffer.withRawSpan { (bytes) throws(EventError) in
            var members: [(key: String, value: RawJSON)] = []
            var reader = JSONReader(at: range.lowerBound)
            try reader.members(bytes, JSONReader.deepest, allowsDuplicateKeys: false) {
                (key, reader) throws(EventError) in
                members.append((key, RawJSON(buffer: buffer, range: try reader.skipValue(bytes))))
            }
            return members
        }
    }
}

extension RawJSON: CustomStringConvertible {
    public var description: String { String(decoding: buffer[range], as: UTF8.self) }
}
