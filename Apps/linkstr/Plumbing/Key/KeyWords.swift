import CommandKit
import NostrCrypto

enum KeyWords {
    private static let count = DefaultedOption("count", .words, default: 12, "How many words, 12 or 24")

    static let command = Command(
        "words",
        "Make a new key as words that can be written down (NIP-06)",
        details: ["'linkstr key from-words' gives the secret key that belongs to them."],
        takes: [count],
        examples: [
            Example("linkstr key words", "Prints 12 words"),
            Example("linkstr key words --count 24 --json", "Prints 24 words and the keys that belong to them"),
        ]
    ) { call in
        let words = try Mnemonic.generate(wordCount: call[count])
        guard call.console.usesJSON else {
            try call.console.output.line(words.phrase)
            return
        }
        let keys = KeyPair(try words.secretKey())
        try call.console.output.line(.object([("words", .string(words.phrase))] + KeyOutput.members(keys)))
    }
}

extension Conversion where Value == Int {
    fileprivate static var words: Conversion {
        let choice = Conversion<String>.choice(["12", "24"], placeholder: "N")
        return Conversion(choice.placeholder, completion: choice.completion) { Int(try choice.convert($0)) ?? 12 }
    }
}
