extension String {
    /// Whether both are the same bytes. `==` of the standard library also calls strings equal that merely look the same
    /// ("é" as one scalar and as two), which on the network are different values.
    @inline(__always)
    func isExactly(_ other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }

    /// The first 32 scalars, for an error text. A `Character` may be of any length.
    var cutForDisplay: String { String(unicodeScalars.prefix(32)) }

    func hashExactly(into hasher: inout Hasher) {
        if unsafe utf8.withContiguousStorageIfAvailable({ unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) })
            == nil
        {
            for byte in utf8 { hasher.combine(byte) }
        }
        hasher.combine(UInt8(0xFF))
    }
}

/// Text that is compared, hashed and ordered by its UTF-8 bytes, which is also the order of its Unicode scalars.
/// Strings of the standard library are equal when they look the same; on the network such texts are different values.
public struct ExactText: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The text as it is.
    public let text: String

    /// A text as it is: nothing is normalised.
    public init(_ text: String) {
        self.text = text
    }

    public static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.isExactly(right.text)
    }

    public static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        text.hashExactly(into: &hasher)
    }

    public var description: String { text }
}
