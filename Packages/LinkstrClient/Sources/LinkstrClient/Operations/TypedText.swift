import NostrEvents

/// Text that somebody typed or a relay said, for a sentence.
public enum TypedText {
    /// What was typed, in quotation marks, cut after 80 characters; nothing of what may be a secret key, which gets typed in the
    /// wrong place too.
    public static func repeated(_ text: String) -> String {
        mayBeSecret(text) ? "\"…\"" : (text.count > 80 ? text.prefix(80) + "…" : text).debugDescription
    }

    /// The same where an id of a post is expected: of a whole one the beginning, by which it is found again.
    static func postID(_ text: String) -> String {
        guard (try? EventID(hex: text)) != nil else { return repeated(text) }
        return "\"\(text.prefix(8))…\""
    }

    /// Whether a text holds what may be a secret key: an nsec, an ncryptsec, or 64 hexadecimal digits in a row.
    public static func mayBeSecret(_ text: String) -> Bool {
        let folded = text.lowercased()
        if ["nsec1", "ncryptsec1"].contains(where: { folded.contains($0) }) { return true }
        return text.utf8.split { byte in !Character(UnicodeScalar(byte)).isHexDigit }.contains { $0.count >= 64 }
    }

    /// What a relay said, on one line and cut after 300 characters.
    static func line(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.count > 300 ? line.prefix(300) + "…" : line
    }
}
