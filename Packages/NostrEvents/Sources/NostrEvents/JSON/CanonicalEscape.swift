/// The escapes of the serialisation that is hashed into an event's id (NIP-01): `\n \" \\ \r \t \b \f`, other control
/// characters as `\u00xx` in lower case, and everything else as it is, in UTF-8.
enum CanonicalEscape {
    /// The letter after the backslash of a two-byte escape, if the byte has one.
    @inline(__always)
    static func short(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x08: UInt8(ascii: "b")
        case 0x09: UInt8(ascii: "t")
        case 0x0A: UInt8(ascii: "n")
        case 0x0C: UInt8(ascii: "f")
        case 0x0D: UInt8(ascii: "r")
        case ASCII.quote, ASCII.backslash: byte
        default: nil
        }
    }

    /// The byte that `\` and a letter other than `u` stand for.
    static func meaning(_ letter: UInt8) -> UInt8 {
        switch letter {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "t"): 0x09
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "r"): 0x0D
        default: letter
        }
    }

    /// Appends UTF-8 as a quoted string.
    static func append(_ text: UnsafeBufferPointer<UInt8>, to output: inout [UInt8]) {
        output.append(ASCII.quote)
        var start = 0
        for index in 0..<text.count {
            let byte = unsafe text[index]
            guard byte < 0x20 || byte == ASCII.quote || byte == ASCII.backslash else { continue }
            unsafe output.append(contentsOf: text[start..<index])
            start = index &+ 1
            output.append(ASCII.backslash)
            if let letter = short(byte) {
                output.append(letter)
            } else {
                output.append(contentsOf: [UInt8(ascii: "u"), ASCII.zero, ASCII.zero, ASCII.zero &+ byte >> 4])
                output.append(byte & 0xF < 10 ? ASCII.zero &+ byte & 0xF : UInt8(ascii: "a") &+ byte & 0xF &- 10)
            }
        }
        unsafe output.append(contentsOf: text[start...])
        output.append(ASCII.quote)
    }

    static func append(_ text: String, to output: inout [UInt8]) {
        var text = text
        text.withUTF8 { unsafe append($0, to: &output) }
    }
}
