/// A JSON value (RFC 8259). Numbers keep the text they were written with and objects the order of their members, so
/// that what was read and is written again says the same. Values are equal when they are so byte for byte.
///
/// Strings are valid Unicode: half of a surrogate pair is refused. To keep parts of a text untouched, see ``RawJSON``.
public enum JSONValue: Sendable {
    /// `null`
    case null
    /// `true` or `false`
    case bool(Bool)
    /// A number, as it was written.
    case number(JSONNumber)
    /// A text.
    case string(String)
    /// A list.
    case array([JSONValue])
    /// Members and their values.
    case object(JSONObject)

    /// Reads UTF-8 JSON.
    /// - Throws: ``EventError/malformedJSON(_:at:)``.
    public init(json: [UInt8], limits: JSONLimits = .standard) throws(EventError) {
        self = try json.withRawSpan { (bytes) throws(EventError) in try JSONValue(json: bytes, limits: limits) }
    }

    /// Reads JSON text.
    /// - Throws: ``EventError/malformedJSON(_:at:)``.
    public init(json: String, limits: JSONLimits = .standard) throws(EventError) {
        try self.init(json: Array(json.utf8), limits: limits)
    }

    /// Reads UTF-8 JSON.
    /// - Throws: ``EventError/malformedJSON(_:at:)``.
    public init(json: RawSpan, limits: JSONLimits = .standard) throws(EventError) {
        guard json.byteCount <= limits.size else { throw .malformedJSON(.tooLarge, at: limits.size) }
        var reader = JSONReader()
        // The bound holds whatever the limits were set to: the reader recurses.
        let depth = min(limits.depth, JSONReader.deepest)
        self = try reader.value(json, depth: depth, allowsDuplicateKeys: limits.allowsDuplicateKeys)
        try reader.finish(json)
    }

    /// An integer.
    public static func integer(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }

    /// Whether the value is `null`.
    public var isNull: Bool { if case .null = self { true } else { false } }
    /// The value, if it is a boolean.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The value, if it is a string.
    public var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements, if the value is an array.
    public var array: [JSONValue]? { if case .array(let value) = self { value } else { nil } }
    /// The object, if the value is one.
    public var object: JSONObject? { if case .object(let value) = self { value } else { nil } }
    /// The number, if the value is one.
    public var number: JSONNumber? { if case .number(let value) = self { value } else { nil } }
    /// The number, if it is one that is written as an integer and fits.
    public var integer: Int64? { number?.integer }

    /// A member of an object; nil if there is none or this is no object. A member that is `null` is there.
    public subscript(key: String) -> JSONValue? { object?[key] }

    /// The value as compact UTF-8 JSON.
    public var json: [UInt8] {
        var output: [UInt8] = []
        appendJSON(to: &output)
        return output
    }

    /// Appends ``json``.
    public func appendJSON(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value): output.append(contentsOf: value.text.utf8)
        case .string(let value): CanonicalEscape.append(value, to: &output)
        case .array(let values):
            output.append(ASCII.openBracket)
            for (index, value) in values.enumerated() {
                if index > 0 { output.append(ASCII.comma) }
                value.appendJSON(to: &output)
            }
            output.append(ASCII.closeBracket)
        case .object(let object):
            output.append(ASCII.openBrace)
            for (index, member) in object.members.enumerated() {
                if index > 0 { output.append(ASCII.comma) }
                CanonicalEscape.append(member.key, to: &output)
                output.append(ASCII.colon)
                member.value.appendJSON(to: &output)
            }
            output.append(ASCII.closeBrace)
        }
    }
}

extension JSONValue: Equatable {
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.isExactly(right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(nilLiteral: ()) { self = .null }

    /// An object; of a key that is given twice the last value stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String { String(decoding: json, as: UTF8.self) }
}
