/// What a person copied somewhere and wants to share: its first web link, and the rest as a note.
///
/// ```swift
/// let shared = try SharedText("Worth a look: https://example.com/a (long)")
/// // shared.url.text == "https://example.com/a", shared.note == "Worth a look: (long)"
/// ```
public struct SharedText: Hashable, Sendable {
    /// The link.
    public let url: WebURL
    /// What stands around it, without outer blanks; nil where there is nothing.
    public let note: String?

    /// Takes a text apart. A word that begins with `http://` or `https://` is a link; without one the first word that is an address
    /// without a scheme. Punctuation that ends a sentence does not belong to a link.
    /// - Throws: ``LinkError`` where no word is a link; for a text of one word what is wrong with it.
    public init(_ text: String) throws(LinkError) {
        let words = text.split { $0.unicodeScalars.allSatisfy(\.isLinkstrBlank) }
        let brackets = Self.brackets
        func hasScheme(_ word: Substring) -> Bool {
            let start = word.drop { brackets.contains($0) }.prefix(8).lowercased()
            return start.hasPrefix("http://") || start.hasPrefix("https://")
        }
        for word in words.filter({ hasScheme($0) }) + words.filter({ !hasScheme($0) && $0.contains(".") }) {
            let opening = word.prefix { Self.brackets.contains($0) }
            let address = Self.withoutPunctuation(word.dropFirst(opening.count), isOpened: !opening.isEmpty)
            guard let url = try? WebURL(postInput: address) else { continue }
            self.url = url
            let before = text[..<opening.endIndex].linkstrTrimmed
            let after = text[text.index(opening.endIndex, offsetBy: address.count)...].linkstrTrimmed
            let rest = [before, after].filter { !$0.isEmpty }.joined(separator: " ")
            note = rest.isEmpty ? nil : rest
            return
        }
        // Says what is wrong with the only word, or that there is no link.
        url = try WebURL(postInput: text)
        note = nil
    }

    private static let brackets: Set<Character> = ["(", "[", "{", "<", "\"", "'"]

    private static func withoutPunctuation(_ word: Substring, isOpened: Bool) -> String {
        var word = word
        while let last = word.last, ".,;:!?)]}>\"'".contains(last) {
            // A closing bracket belongs to the address that opens it.
            if last == ")", !isOpened, word.contains("(") { break }
            word.removeLast()
        }
        return String(word)
    }
}
