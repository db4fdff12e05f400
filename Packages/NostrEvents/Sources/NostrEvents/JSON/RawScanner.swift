/// Moves over JSON without checking it. On text that is not JSON it finds something or nothing, but never leaves it.
struct RawScanner {
    var position: Int

    @inline(__always)
    mutating func skipWhitespace(_ bytes: RawSpan) {
        while position < bytes.byteCount, bytes.byte(position) <= 0x20 { position &+= 1 }
    }

    @inline(__always)
    mutating func take(_ expected: UInt8, _ bytes: RawSpan) -> Bool {
        skipWhitespace(bytes)
        guard position < bytes.byteCount, bytes.byte(position) == expected else { return false }
        position &+= 1
        return true
    }

    /// Moves over a string and returns what is between the quotes.
    @inline(__always)
    mutating func takeString(_ bytes: RawSpan) -> Range<Int>? {
        guard take(ASCII.quote, bytes) else { return nil }
        let start = position
        guard skipToQuote(bytes) else { return nil }
        return start..<(position &- 1)
    }

    /// Moves behind the quote that ends the string.
    mutating func skipToQuote(_ bytes: RawSpan) -> Bool {
        let ones: UInt64 = 0x0101_0101_0101_0101
        var at = position
        let count = bytes.byteCount
        while at < count {
            while at &+ 8 <= count {
                let word = bytes.word(at)
                let quotes = word ^ 0x2222_2222_2222_2222
                let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
                let found =
                    (((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)) & 0x8080_8080_8080_8080
                if found != 0 {
                    at &+= found.trailingZeroBitCount >> 3
                    break
                }
                at &+= 8
            }
            guard at < count else { return false }
            switch bytes.byte(at) {
            case ASCII.quote:
                position = at &+ 1
                return true
            case ASCII.backslash: at &+= 2
            default: at &+= 1
            }
        }
        return false
    }

    /// Moves over a value of any kind, to the comma or bracket behind it.
    mutating func skipValue(_ bytes: RawSpan) -> Bool {
        var depth = 0
        while position < bytes.byteCount {
            switch bytes.byte(position) {
            case ASCII.quote:
                position &+= 1
                guard skipToQuote(bytes) else { return false }
                continue
            case ASCII.openBracket, ASCII.openBrace:
                depth &+= 1
            case ASCII.closeBracket, ASCII.closeBrace:
                guard depth > 0 else { return true }
                depth &-= 1
            case ASCII.comma where depth == 0:
                return true
            default: break
            }
            position &+= 1
        }
        return false
    }

    /// The value of the key `id` of the object that is next.
    mutating func eventID(_ bytes: RawSpan) -> EventID? {
        guard take(ASCII.openBrace, bytes) else { return nil }
        repeat {
            guard let key = takeString(bytes), take(ASCII.colon, bytes) else { return nil }
            if bytes.equals(key, "id") {
                guard let value = takeString(bytes), value.count == 64 else { return nil }
                return bytes.bytes32(value.lowerBound).map(EventID.init)
            }
            guard skipValue(bytes) else { return nil }
        } while take(ASCII.comma, bytes)
        return nil
    }
}
