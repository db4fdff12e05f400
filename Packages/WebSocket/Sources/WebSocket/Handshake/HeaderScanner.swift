/// Reads the value of a header by the rules that the WebSocket headers share (RFC 9110 section 5.6).
struct HeaderScanner {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// A comma-separated list to the end of the value; empty elements are skipped. Nil when an element is malformed.
    mutating func list<Element>(_ element: (inout HeaderScanner) -> Element?) -> [Element]? {
        var elements: [Element] = []
        while true {
            while skip(UInt8(ascii: ",")) {}
            guard !isAtEnd else { return elements }
            guard let next = element(&self) else { return nil }
            elements.append(next)
            guard isAtEnd || skip(UInt8(ascii: ",")) else { return nil }
        }
    }

    /// Skips white space and then this character; false when it is not there.
    mutating func skip(_ character: UInt8) -> Bool {
        skipSpace()
        guard index < bytes.count, bytes[index] == character else { return false }
        index += 1
        return true
    }

    /// A token, without the white space around it.
    mutating func token() -> String? {
        skipSpace()
        let start = index
        while index < bytes.count, Self.isTokenCharacter(bytes[index]) { index += 1 }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    /// A token, or a quoted string whose content is a token (RFC 6455 section 9.1).
    mutating func tokenOrQuotedToken() -> String? {
        guard skip(UInt8(ascii: "\"")) else { return token() }
        var content: [UInt8] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            if bytes[index] == UInt8(ascii: "\\") { index += 1 }
            guard index < bytes.count, Self.isTokenCharacter(bytes[index]) else { return nil }
            content.append(bytes[index])
            index += 1
        }
        guard index < bytes.count, !content.isEmpty else { return nil }
        index += 1
        return String(decoding: content, as: UTF8.self)
    }

    /// Whether `text` is one token and nothing else.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy(isTokenCharacter)
    }

    private var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return index == bytes.count
        }
    }

    private mutating func skipSpace() {
        while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    }

    private static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default:
            false
        }
    }
}
