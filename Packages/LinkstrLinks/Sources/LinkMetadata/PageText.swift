/// The bytes of a page as UTF-8, whatever they came in.
package enum PageText {
    /// - Parameter contentType: the header field, whose `charset` comes first; then a byte order mark, then what the page says in
    ///   its first 1,024 bytes, then UTF-8.
    package static func utf8(_ bytes: [UInt8], contentType: String?) -> [UInt8] {
        if bytes.starts(with: [0xef, 0xbb, 0xbf]) { return Array(bytes.dropFirst(3)) }
        if bytes.starts(with: [0xff, 0xfe]) { return utf16(bytes.dropFirst(2), isBigEndian: false) }
        if bytes.starts(with: [0xfe, 0xff]) { return utf16(bytes.dropFirst(2), isBigEndian: true) }
        let name = contentType.flatMap { charset(in: $0) } ?? declared(in: bytes) ?? "utf-8"
        switch name {
        case "utf-8", "utf8": return bytes
        case "utf-16", "utf-16le": return utf16(bytes[...], isBigEndian: false)
        case "utf-16be": return utf16(bytes[...], isBigEndian: true)
        case "iso-8859-1", "latin1", "windows-1252", "cp1252", "us-ascii", "ascii":
            return bytes.flatMap { Array(String(windows1252($0)).utf8) }
        case "iso-8859-15", "latin9":
            return bytes.flatMap { Array(String(latin9[$0] ?? Unicode.Scalar($0)).utf8) }
        default:
            // Of an encoding that is not known only ASCII is sure.
            return bytes.flatMap { $0 < 0x80 ? [$0] : Array("\u{fffd}".utf8) }
        }
    }

    /// The value of `charset` in a header field or a `content` attribute, in lower case.
    static func charset(in text: String) -> String? {
        let text = text.prefix(256).lowercased()
        guard let start = text.utf8.indices.first(where: { text.utf8[$0...].starts(with: "charset=".utf8) }) else {
            return nil
        }
        let rest = text.utf8[start...].dropFirst(8)
        let value = rest.drop { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "'") }
            .prefix { byte in
                (48...57).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "-")
                    || byte == UInt8(ascii: "_")
            }
        return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
    }

    private static func declared(in bytes: [UInt8]) -> String? {
        let name = charsets(in: String(decoding: bytes.prefix(1_024), as: UTF8.self))
        // What says so in single bytes is not written in pairs of them.
        return name?.hasPrefix("utf-16") == true ? nil : name
    }

    private static func charsets(in head: String) -> String? {
        let lower = Array(head.lowercased().utf8)
        let mark = Array("charset=".utf8)
        guard lower.count > mark.count else { return nil }
        for start in 0..<(lower.count - mark.count) where lower[start] == mark[0] {
            if lower[start...].starts(with: mark) {
                return charset(in: String(decoding: lower[start...].prefix(64), as: UTF8.self))
            }
        }
        return nil
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt8] {
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            let first = UInt16(bytes[index])
            let second = UInt16(bytes[index + 1])
            units.append(isBigEndian ? first << 8 | second : second << 8 | first)
            index += 2
        }
        return Array(String(decoding: units, as: UTF16.self).utf8)
    }

    private static func windows1252(_ byte: UInt8) -> Unicode.Scalar {
        guard (0x80...0x9f).contains(byte) else { return Unicode.Scalar(byte) }
        return upper1252[Int(byte - 0x80)]
    }

    /// Bytes 0x80 to 0x9F of windows-1252, which the web means by latin1.
    private static let upper1252: [Unicode.Scalar] = [
        "\u{20ac}", "\u{81}", "\u{201a}", "\u{192}", "\u{201e}", "\u{2026}", "\u{2020}", "\u{2021}", "\u{2c6}",
        "\u{2030}", "\u{160}", "\u{2039}", "\u{152}", "\u{8d}", "\u{17d}", "\u{8f}", "\u{90}", "\u{2018}", "\u{2019}",
        "\u{201c}", "\u{201d}", "\u{2022}", "\u{2013}", "\u{2014}", "\u{2dc}", "\u{2122}", "\u{161}", "\u{203a}",
        "\u{153}", "\u{9d}", "\u{17e}", "\u{178}",
    ]

    private static let latin9: [UInt8: Unicode.Scalar] = [
        0xa4: "\u{20ac}", 0xa6: "\u{160}", 0xa8: "\u{161}", 0xb4: "\u{17d}", 0xb8: "\u{17e}", 0xbc: "\u{152}",
        0xbd: "\u{153}", 0xbe: "\u{178}",
    ]
}
