import NostrCrypto

/// Text that somebody typed or a relay said, for a sentence.
public enum TypedText {
    /// What was typed, in quotation marks, cut after 80 characters; nothing of what may be a secret key, which gets typed in the
    /// wrong place too.
    public static func repeated(_ text: String) -> String {
        let folded = text.lowercased()
        let mayBeSecret =
            ["nsec1", "ncryptsec1"].contains { folded.contains($0) } || (try? Bytes32(hex: folded)) != nil
        return mayBeSecret ? "\"…\"" : (text.count > 80 ? text.prefix(80) + "…" : text).debugDescription
    }

    /// What a relay said, on one line and cut after 300 characters.
    static func line(_ text: String) -> String {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.count > 300 ? line.prefix(300) + "…" : line
    }
}
