extension StringProtocol {
    /// The text without the white space at its ends: U+0009 to U+000D, U+0020, U+0085, U+00A0, U+1680, U+2000 to U+200B,
    /// U+2028, U+2029, U+202F, U+205F and U+3000. Every linkstr client trims these, so that all see the same text.
    public var linkstrTrimmed: String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.isLinkstrBlank }),
            let last = scalars.lastIndex(where: { !$0.isLinkstrBlank })
        else { return "" }
        return String(self[first..<scalars.index(after: last)])
    }
}

extension Unicode.Scalar {
    var isLinkstrBlank: Bool {
        switch value {
        case 0x09...0x0d, 0x20, 0x85, 0xa0, 0x1680, 0x2000...0x200b, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000: true
        default: false
        }
    }
}
