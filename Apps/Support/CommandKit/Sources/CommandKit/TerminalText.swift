/// Makes text that others wrote harmless on a terminal: control characters, escape sequences and direction overrides
/// become visible marks, and the text is cut to a width.
public enum TerminalText {
    /// The text with marks for what a terminal would act upon.
    ///
    /// - Parameters:
    ///   - width: columns; what is longer is cut and ends with an ellipsis. nil: not cut.
    ///   - keepsLines: line feeds and tabs stay; otherwise they are marks too.
    public static func safe(_ text: String, width: Int? = nil, keepsLines: Bool = false) -> String {
        var result = ""
        var used = 0
        var lastFit = result.endIndex
        for character in text {
            var piece = ""
            // A letter under hundreds of combining marks would cover its neighbours.
            for scalar in character.unicodeScalars.prefix(16) {
                if isActive(scalar), !(keepsLines && (scalar == "\n" || scalar == "\t")) {
                    piece += mark(scalar)
                } else {
                    piece.unicodeScalars.append(scalar)
                }
            }
            let columns = Self.columns(piece)
            if let width, used + columns > width {
                return width > 0 ? result[..<lastFit] + "…" : ""
            }
            result += piece
            used += columns
            if let width, used <= width - 1 { lastFit = result.endIndex }
        }
        return result
    }

    /// The columns that the text takes on a terminal: wide characters count 2, combining ones 0.
    public static func columns(_ text: String) -> Int {
        text.reduce(0) { sum, character in
            sum + (character.unicodeScalars.map(columns).max() ?? 0)
        }
    }

    /// Whether a terminal acts upon the scalar instead of showing it.
    static func isActive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F, 0xFFF9...0xFFFB: true
        case 0xE0000...0xE0FFF: true
        default: false
        }
    }

    /// The scalar as JSON writes it when it must not appear raw.
    static func escape(_ scalar: Unicode.Scalar) -> [UInt8] {
        var text: [UInt8] = []
        for unit in String(Character(scalar)).utf16 {
            let hex = String(unit, radix: 16)
            text += ("\\u" + String(repeating: "0", count: 4 - hex.count) + hex).utf8
        }
        return text
    }

    /// JSON text in which the strings hold no active scalar raw. The text must be valid UTF-8.
    static func escaped(json bytes: [UInt8]) -> [UInt8] {
        guard bytes.contains(where: { $0 >= 0x7F }) else { return bytes }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar.value >= 0x7F, isActive(scalar) {
                result += escape(scalar)
            } else {
                UTF8.encode(scalar).map { result += $0 }
            }
        }
        return result
    }

    /// U+2400 and what follows it are pictures of the control characters; the others are shown by number.
    private static func mark(_ scalar: Unicode.Scalar) -> String {
        switch scalar.value {
        case 0x00...0x1F: Unicode.Scalar(0x2400 + scalar.value).map { String(Character($0)) } ?? "?"
        case 0x7F: "\u{2421}"
        default: "<U+" + String(scalar.value, radix: 16, uppercase: true) + ">"
        }
    }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
            return 2
        default:
            return scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }
}
