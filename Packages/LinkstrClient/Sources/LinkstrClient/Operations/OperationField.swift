public import NostrEvents

/// A member of what an operation takes or gives.
public struct OperationField: Sendable {
    /// What kind of JSON value it is.
    public indirect enum Kind: Sendable, Equatable {
        /// A string.
        case text
        /// 64 lower-case hexadecimal digits: a public key or an id.
        case hex
        /// A whole number: a count, or seconds since 1970.
        case integer
        /// true or false.
        case bool
        /// A list of such values.
        case list(Kind)
        /// An object, whose members the summary tells.
        case object
    }

    /// The key.
    public let name: String
    /// What stands behind it.
    public let kind: Kind
    /// Whether it may be left out or null.
    public let isOptional: Bool
    /// What it means, without a full stop.
    public let summary: String

    init(_ name: String, _ kind: Kind, optional: Bool = false, _ summary: String) {
        self.name = name
        self.kind = kind
        self.isOptional = optional
        self.summary = summary
    }
}

extension OperationField {
    /// The field as a JSON Schema.
    var schema: JSONValue {
        var object = kind.schema
        if isOptional { object["type"] = .array([object["type"] ?? .null, "null"]) }
        object["description"] = .string(summary)
        return .object(object)
    }
}

extension ClientOperation {
    /// The JSON Schema of its arguments.
    public var argumentSchema: JSONValue { Self.schema(takes) }
    /// The JSON Schema of each object that it gives.
    public var resultSchema: JSONValue { Self.schema(gives) }

    private static func schema(_ fields: [OperationField]) -> JSONValue {
        var properties = JSONObject()
        for field in fields { properties[field.name] = field.schema }
        return [
            "type": "object", "properties": .object(properties),
            "required": .array(fields.filter { !$0.isOptional }.map { .string($0.name) }),
            "additionalProperties": false,
        ]
    }
}

extension OperationField.Kind {
    fileprivate var schema: JSONObject {
        switch self {
        case .text: ["type": "string"]
        case .hex: ["type": "string", "pattern": "^[0-9a-f]{64}$"]
        case .integer: ["type": "integer"]
        case .bool: ["type": "boolean"]
        case .list(let kind): ["type": "array", "items": .object(kind.schema)]
        case .object: ["type": "object"]
        }
    }

    /// Whether a value is of this kind.
    public func fits(_ value: JSONValue) -> Bool {
        switch self {
        case .text: value.string != nil
        case .hex:
            value.string.map { $0.utf8.count == 64 && $0.utf8.allSatisfy { (48...57) ~= $0 || (97...102) ~= $0 } }
                ?? false
        case .integer: value.integer != nil
        case .bool: value.bool != nil
        case .list(let kind): value.array?.allSatisfy(kind.fits) ?? false
        case .object: value.object != nil
        }
    }

    /// How messages and the documentation name it.
    public var sentence: String {
        switch self {
        case .text: "a text"
        case .hex: "64 hexadecimal digits"
        case .integer: "a whole number"
        case .bool: "true or false"
        case .list(let kind): "a list, each of it \(kind.sentence)"
        case .object: "an object"
        }
    }
}

extension JSONValue {
    /// A text, or null.
    static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
