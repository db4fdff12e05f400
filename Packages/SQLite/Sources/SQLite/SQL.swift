/// The text of one or more SQL statements, written in the source.
///
/// It can only be made from a string literal without interpolation, so a value cannot be spliced into a statement by
/// accident or on purpose: values go in as bound parameters (`?1`, `?2`, …).
///
/// ```swift
/// let byName: SQL = "SELECT id FROM contact WHERE name = ?1"
/// ```
///
/// For a list of values bind one JSON array: `WHERE id IN (SELECT value FROM json_each(?1))`.
public struct SQL: ExpressibleByStringLiteral, Sendable, CustomStringConvertible {
    let text: StaticString

    /// Called by the compiler for a literal.
    public init(stringLiteral value: StaticString) {
        text = value
    }

    public var description: String { text.description }

    /// Runs `body` with the UTF-8 bytes of the text.
    func withUTF8<R>(_ body: (UnsafeBufferPointer<UInt8>) throws -> R) rethrows -> R {
        if text.hasPointerRepresentation {
            return try body(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
        }
        return try Array(String(text.unicodeScalar).utf8).withUnsafeBufferPointer(body)
    }
}

extension SQL: Hashable {
    // A literal has one address for the life of the process: comparing it is enough and costs nothing. The same text
    // written twice may count as two statements, which only means that it is prepared twice.
    private var identity: UInt {
        text.hasPointerRepresentation ? UInt(bitPattern: text.utf8Start) : UInt(text.unicodeScalar.value)
    }

    public static func == (a: SQL, b: SQL) -> Bool {
        a.identity == b.identity && a.text.hasPointerRepresentation == b.text.hasPointerRepresentation
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(identity)
    }
}
