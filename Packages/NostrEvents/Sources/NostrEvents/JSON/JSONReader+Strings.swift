/// A string in JSON text: where its characters are, between the quotes, and what is known of them.
struct JSONString {
    let range: Range<Int>

    /// There is a backslash in it.
    let hasEscapes: Bool

    /// Each escape is the one that NIP-01 asks for in the id's serialisation, so that the bytes can be taken as they
    /// are.
    let isCanonical: Bool
}

extension JSONReader {
    /// Consumes a string, which begins at `position`, and checks it: UTF-8, escapes, surrogate pairs, control
    /// characters.
    mutating func string(_ bytes: RawSpan) throws(EventError) -> JSONString {
        let count = bytes.byteCount
        guard position < count else { throw .malformedJSON(.unexpectedEnd, at: position) }
        guard bytes.byte(position) == ASCII.quote else { throw .malformedJSON(.unexpectedByte, at: position) }
        let start = position &+ 1
        var at = start
        var hasEscapes = false
        var isCanonical = true

        while true {
            while at &+ 8 <= count {
                let found = Self.unusual(bytes.word(at))
                if found != 0 {
                    at &+= found.trailingZeroBitCount >> 3
                    break
                }
                at &+= 8
            }
            guard at < count else { throw .malformedJSON(.unexpectedEnd, at: count) }
            let byte = bytes.byte(at)
            if byte == ASCII.quote {
                position = at &+ 1
                return JSONString(range: start..<at, hasEscapes: hasEscapes, isCanonical: isCanonical)
            }
            if byte == ASCII.backslash {
                hasEscapes = true
                isCanonical = try Self.skipEscape(bytes, &at) && isCanonical
            } else if byte >= 0x80 {
                try Self.skipMultibyte(bytes, &at)
            } else if byte < 0x20 {
                throw .malformedJSON(.controlCharacter, at: at)
            } else {
                at &+= 1
            }
        }
    }

    /// Bit 7 of each byte that is a quote, a backslash, a control character or not ASCII. Bits above the lowest one set
    /// may be wrong (a borrow runs upward), the lowest never is.
    @inline(__always)
    private static func unusual(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quotes = word ^ 0x2222_2222_2222_2222
        let backslashes = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let found =
            ((quotes &- ones) & ~quotes) | ((backslashes &- ones) & ~backslashes)
            | ((word &- 0x2020_2020_2020_2020) & ~word) | word
        return found & 0x8080_8080_8080_8080
    }

    /// Moves over characters that are not ASCII, as long as they follow each other (Unicode table 3-7).
    private static func skipMultibyte(_ bytes: RawSpan, _ position: inout Int) throws(EventError) {
        var at = position
        let count = bytes.byteCount
        repeat {
            let lead = bytes.byte(at)
            var second: ClosedRange<UInt8> = 0x80...0xBF
            let length: Int
            switch lead {
            case 0xC2...0xDF: length = 2
            case 0xE0: (length, second) = (3, 0xA0...0xBF)
            case 0xED: (length, second) = (3, 0x80...0x9F)
            case 0xE1...0xEF: length = 3
            case 0xF0: (length, second) = (4, 0x90...0xBF)
            case 0xF1...0xF3: length = 4
            case 0xF4: (length, second) = (4, 0x80...0x8F)
            default: throw .malformedJSON(.invalidUTF8, at: at)
            }
            guard at &+ length <= count else { throw .malformedJSON(.unexpectedEnd, at: count) }
            guard second.contains(bytes.byte(at &+ 1)),
                length < 3 || bytes.byte(at &+ 2) & 0xC0 == 0x80,
                length < 4 || bytes.byte(at &+ 3) & 0xC0 == 0x80
            else { throw .malformedJSON(.invalidUTF8, at: at) }
            at &+= length
        } while at < count && bytes.byte(at) >= 0x80
        position = at
    }

    /// Moves over one escape; true if it is written as NIP-01 asks for.
    private static func skipEscape(_ bytes: RawSpan, _ position: inout Int) throws(EventError) -> Bool {
        guard position &+ 1 < bytes.byteCount else { throw .malformedJSON(.unexpectedEnd, at: bytes.byteCount) }
        switch bytes.byte(position &+ 1) {
        case UInt8(ascii: "n"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "r"), UInt8(ascii: "t"),
            UInt8(ascii: "b"), UInt8(ascii: "f"):
            position &+= 2
            return true
        case UInt8(ascii: "/"):
            position &+= 2
            return false
        case UInt8(ascii: "u"):
            let start = position
            let scalar = try unicodeEscape(bytes, &position)
            guard scalar.value < 0x20, CanonicalEscape.short(UInt8(truncatingIfNeeded: scalar.value)) == nil else {
                return false
            }
            return !(UInt8(ascii: "A")...UInt8(ascii: "F")).contains(bytes.byte(start &+ 5))
        default:
            throw .malformedJSON(.invalidEscape, at: position)
        }
    }

    /// Reads `\uXXXX`, or two of them that make a surrogate pair.
    fileprivate static func unicodeEscape(_ bytes: RawSpan, _ position: inout Int) throws(EventError) -> Unicode.Scalar
    {
        let start = position
        let first = try codeUnit(bytes, &position)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xDC00 else { throw .malformedJSON(.loneSurrogate, at: start) }
        guard position < bytes.byteCount else { throw .malformedJSON(.unexpectedEnd, at: bytes.byteCount) }
        guard bytes.byte(position) == ASCII.backslash else { throw .malformedJSON(.loneSurrogate, at: start) }
        guard position &+ 1 < bytes.byteCount else { throw .malformedJSON(.unexpectedEnd, at: bytes.byteCount) }
        guard bytes.byte(position &+ 1) == UInt8(ascii: "u") else { throw .malformedJSON(.loneSurrogate, at: start) }
        let second = try codeUnit(bytes, &position)
        guard (0xDC00...0xDFFF).contains(second),
            let scalar = Unicode.Scalar(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
        else { throw .malformedJSON(.loneSurrogate, at: start) }
        return scalar
    }

    private static func codeUnit(_ bytes: RawSpan, _ position: inout Int) throws(EventError) -> UInt32 {
        var value: UInt32 = 0
        for index in 2..<6 {
            guard position &+ index < bytes.byteCount else { throw .malformedJSON(.unexpectedEnd, at: bytes.byteCount) }
            guard let digit = hexDigit(bytes.byte(position &+ index)) else {
                throw .malformedJSON(.invalidEscape, at: position)
            }
            value = value << 4 | UInt32(digit)
        }
        position &+= 6
        return value
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }
}

extension JSONString {
    /// The string itself, escapes resolved.
    func decoded(_ bytes: RawSpan) -> String {
        guard hasEscapes else { return bytes.text(range) }
        return String(decoding: decodedBytes(bytes), as: UTF8.self)
    }

    /// The string's UTF-8, escapes resolved.
    func decodedBytes(_ bytes: RawSpan) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(range.count)
        var at = range.lowerBound
        while at < range.upperBound {
            var end = at
            while end < range.upperBound, bytes.byte(end) != ASCII.backslash { end &+= 1 }
            result.append(contentsOf: bytes, at..<end)
            at = end
            guard at < range.upperBound else { break }
            let letter = bytes.byte(at &+ 1)
            if letter == UInt8(ascii: "u") {
                // The escape was checked when the string was scanned.
                guard let scalar = try? JSONReader.unicodeEscape(bytes, &at) else { break }
                result.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            } else {
                result.append(CanonicalEscape.meaning(letter))
                at &+= 2
            }
        }
        return result
    }
}
