/// A number of JSON, kept as the text it is written with. Numbers are equal when their texts are.
public struct JSONNumber: Hashable, Sendable {
    /// The number in the grammar of RFC 8259 section 6.
    public let text: String

    init(checked text: String) {
        self.text = text
    }

    /// An integer in decimal digits.
    public init(_ value: Int64) {
        text = String(value)
    }

    /// The shortest text that reads as the same value; nil for infinities and NaN, which JSON does not have.
    public init?(_ value: Double) {
        guard value.isFinite else { return nil }
        text = String(value)
    }

    /// The value, if it is written without fraction and exponent and fits. `-0` is 0.
    public var integer: Int64? {
        Int64(text)
    }

    /// The nearest value; infinite for a number beyond all.
    public var double: Double {
        Double(text) ?? .nan
    }
}
