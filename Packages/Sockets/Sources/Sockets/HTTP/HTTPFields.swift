/// The header fields of a message, in order (RFC 9110 section 5). Names are compared without regard to case.
public struct HTTPFields: Sendable, Equatable {
    private struct Field: Sendable, Equatable {
        var name: String
        var value: String
    }

    private var fields: [Field] = []

    /// No fields.
    public init() {}

    /// - Throws: ``HTTPFailure/malformedField`` as ``append(_:_:)``.
    public init(_ pairs: [(name: String, value: String)]) throws(SocketsError) {
        for pair in pairs { try append(pair.name, pair.value) }
    }

    /// Every field.
    public var all: [(name: String, value: String)] { fields.map { ($0.name, $0.value) } }

    /// How many fields there are.
    public var count: Int { fields.count }

    /// Adds a field.
    ///
    /// - Throws: ``HTTPFailure/malformedField`` for a name that is no token, or a value with a line break or another control
    ///   character: nobody smuggles a field in.
    public mutating func append(_ name: String, _ value: String) throws(SocketsError) {
        guard HTTPSyntax.isToken(Array(name.utf8)[...]), HTTPSyntax.isFieldValue(Array(value.utf8)[...]) else {
            throw .http(.malformedField)
        }
        fields.append(Field(name: name, value: value))
    }

    /// Adds a field whose syntax has been checked.
    mutating func appendChecked(_ name: String, _ value: String) {
        fields.append(Field(name: name, value: value))
    }

    /// Removes every field of a name.
    public mutating func remove(_ name: String) {
        let name = name.lowercased()
        fields.removeAll { $0.name.lowercased() == name }
    }

    /// The values of every field of a name, in order.
    public func values(_ name: String) -> [String] {
        let name = name.lowercased()
        return fields.compactMap { $0.name.lowercased() == name ? $0.value : nil }
    }

    /// The value of a field that is there once; nil when it is missing or repeated.
    public func single(_ name: String) -> String? {
        let values = values(name)
        return values.count == 1 ? values[0] : nil
    }

    /// Whether the comma-separated lists of a name hold a token.
    public func lists(_ token: String, in name: String) -> Bool {
        let token = token.lowercased()
        return values(name).contains { value in
            value.split(separator: ",").contains { element in
                element.lowercased().drop { $0 == " " || $0 == "\t" }
                    .split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == ";" }).first.map { $0 == token } ?? false
            }
        }
    }
}
