import CommandKit
import NostrEvents

extension Conversion where Value == RelayURL {
    /// The address of a relay.
    static var relay: Conversion {
        Conversion("RELAY") { text in
            if let url = try? RelayURL(text) { return url }
            throw CommandFailure(.usage, "\(TerminalText.safe(text, width: 200)) is no relay address\(advice(text))")
        }
    }

    /// What to type instead, where that can be guessed.
    private static func advice(_ text: String) -> String {
        let guess: String
        switch text.firstRange(of: "://").map({ text[..<$0.lowerBound].lowercased() }) {
        case "https": guess = "wss" + text.dropFirst(5)
        case "http": guess = "ws" + text.dropFirst(4)
        case nil: guess = "wss://" + text
        default: guess = ""
        }
        if let url = try? RelayURL(guess) { return "; type \(url.text)" }
        return "; type one like wss://relay.example.com"
    }
}

extension Conversion where Value == (letter: TagLetter, values: [String]) {
    /// A condition on tags: a letter, an equals sign and values, with semicolons between them.
    static var tagCondition: Conversion {
        Conversion("x=v[;v]") { text in
            let tag = TagText.elements(text)
            guard let letter = TagLetter(tag.name), tag.elements.count > 1 else {
                throw CommandFailure(.usage, "a condition on tags is a letter and values, like e=ID or t=nostr;bitcoin")
            }
            return (letter, Array(tag.elements.dropFirst()))
        }
    }
}
