/// A place in JSON text (RFC 8259), and the steps that move it forward. The text itself is handed to each step.
///
/// It is strict: UTF-8 is validated, control characters and lone surrogates in strings are refused, numbers follow the
/// grammar, nesting is bounded, and nothing is allocated but what a caller asks for.
struct JSONReader {
    /// The deepest nesting that is ever accepted: one bit of a word for each level.
    static let deepest = 64

    var position: Int

    init(at position: Int = 0) {
        self.position = position
    }

    @inline(__always)
    mutating func skipWhitespace(_ bytes: RawSpan) {
        while position < bytes.byteCount {
            let byte = bytes.byte(position)
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            position &+= 1
        }
    }

    /// The next byte that is not white space, which is not consumed.
    @inline(__always)
    mutating func peek(_ bytes: RawSpan) throws(EventError) -> UInt8 {
        skipWhitespace(bytes)
        guard position < bytes.byteCount else { throw .malformedJSON(.unexpectedEnd, at: position) }
        return bytes.byte(position)
    }

    /// Consumes `expected` after white space.
    @inline(__always)
    mutating func expect(_ expected: UInt8, _ bytes: RawSpan) throws(EventError) {
        guard try peek(bytes) == expected else { throw .malformedJSON(.unexpectedByte, at: position) }
        position &+= 1
    }

    /// Consumes `wanted` after white space if it is there.
    @inline(__always)
    mutating func consume(_ wanted: UInt8, _ bytes: RawSpan) throws(EventError) -> Bool {
        guard try peek(bytes) == wanted else { return false }
        position &+= 1
        return true
    }

    /// Consumes what follows an element of a list: true after a comma, false after `close`.
    @inline(__always)
    mutating func consumeComma(or close: UInt8, _ bytes: RawSpan) throws(EventError) -> Bool {
        let byte = try peek(bytes)
        guard byte == ASCII.comma || byte == close else { throw .malformedJSON(.unexpectedByte, at: position) }
        position &+= 1
        return byte == ASCII.comma
    }

    /// Refuses anything but white space after the value.
    mutating func finish(_ bytes: RawSpan) throws(EventError) {
        skipWhitespace(bytes)
        guard position == bytes.byteCount else { throw .malformedJSON(.trailingBytes, at: position) }
    }

    mutating func literal(_ text: StaticString, _ bytes: RawSpan) throws(EventError) {
        let end = position + text.utf8CodeUnitCount
        guard end <= bytes.byteCount, bytes.equals(position..<end, text) else {
            throw .malformedJSON(end > bytes.byteCount ? .unexpectedEnd : .unexpectedByte, at: position)
        }
        position = end
    }

    /// A number from 0 to `greatest` written with digits alone; nil, and nothing consumed, for anything else.
    mutating func plainInteger(_ bytes: RawSpan, upTo greatest: Int64 = greatestInteger) -> Int64? {
        skipWhitespace(bytes)
        var at = position
        var value: Int64 = 0
        while at < bytes.byteCount {
            let byte = bytes.byte(at)
            guard byte >= ASCII.zero, byte <= ASCII.nine else { break }
            guard at &- position < 16 else { return nil }
            value = value &* 10 &+ Int64(byte &- ASCII.zero)
            at &+= 1
        }
        guard at > position, value <= greatest else { return nil }
        if bytes.byte(position) == ASCII.zero, at > position &+ 1 { return nil }
        if at < bytes.byteCount {
            // Bit 5 makes an `E` an `e`.
            let next = bytes.byte(at)
            if next == UInt8(ascii: ".") || next | 0x20 == UInt8(ascii: "e") { return nil }
        }
        position = at
        return value
    }

    /// The greatest integer every JSON implementation keeps exactly (RFC 7493 section 2.2).
    static let greatestInteger: Int64 = (1 << 53) - 1

    /// Consumes a number of any form (RFC 8259 section 6).
    mutating func number(_ bytes: RawSpan) throws(EventError) -> Range<Int> {
        let start = position
        var at = position
        let count = bytes.byteCount

        func digits() -> Int {
            var end = at
            while end < count, bytes.byte(end) >= ASCII.zero, bytes.byte(end) <= ASCII.nine { end &+= 1 }
            return end
        }
        func isNext(_ lower: StaticString) -> Bool {
            guard at < count else { return false }
            let next = bytes.byte(at)
            for index in 0..<lower.utf8CodeUnitCount where unsafe lower.utf8Start[index] == next { return true }
            return false
        }
        func problem() -> EventError {
            .malformedJSON(at < count ? .invalidNumber : .unexpectedEnd, at: at)
        }

        if isNext("-") { at &+= 1 }
        var end = digits()
        guard end > at, bytes.byte(at) != ASCII.zero || end == at &+ 1 else { throw problem() }
        at = end
        if isNext(".") {
            at &+= 1
            end = digits()
            guard end > at else { throw problem() }
            at = end
        }
        if isNext("eE") {
            at &+= 1
            if isNext("+-") { at &+= 1 }
            end = digits()
            guard end > at else { throw problem() }
            at = end
        }
        position = at
        return start..<at
    }

    /// Consumes one value of any kind after checking all of it, without recursion, and returns where it is.
    mutating func skipValue(_ bytes: RawSpan, depth limit: Int = deepest) throws(EventError) -> Range<Int> {
        let limit = min(limit, Self.deepest)
        skipWhitespace(bytes)
        let start = position
        var depth = 0
        var objects: UInt64 = 0

        while true {
            let opening = try peek(bytes)
            switch opening {
            case ASCII.quote:
                _ = try string(bytes)
            case UInt8(ascii: "t"):
                try literal("true", bytes)
            case UInt8(ascii: "f"):
                try literal("false", bytes)
            case UInt8(ascii: "n"):
                try literal("null", bytes)
            case ASCII.openBracket, ASCII.openBrace:
                guard depth < limit else { throw .malformedJSON(.tooDeep, at: position) }
                let isObject = opening == ASCII.openBrace
                depth &+= 1
                objects = objects << 1 | (isObject ? 1 : 0)
                position &+= 1
                if try peek(bytes) != (isObject ? ASCII.closeBrace : ASCII.closeBracket) {
                    if isObject { try key(bytes) }
                    continue
                }
                position &+= 1
                depth &-= 1
                objects >>= 1
            default:
                _ = try number(bytes)
            }

            repeat {
                guard depth > 0 else { return start..<position }
                let isObject = objects & 1 == 1
                if try consumeComma(or: isObject ? ASCII.closeBrace : ASCII.closeBracket, bytes) {
                    if isObject { try key(bytes) }
                    break
                }
                depth &-= 1
                objects >>= 1
            } while true
        }
    }

    private mutating func key(_ bytes: RawSpan) throws(EventError) {
        skipWhitespace(bytes)
        _ = try string(bytes)
        try expect(ASCII.colon, bytes)
    }
}
