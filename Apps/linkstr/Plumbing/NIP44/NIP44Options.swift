import CommandKit

/// What both directions of NIP-44 share.
enum NIP44Options {
    static let lines = Flag("lines", "Take each line of standard input as a text of its own")
    static let raw = Flag("raw", "Take and give the text byte for byte, without a line feed added or dropped")

    static func print(_ text: String, as name: String, _ call: Invocation) throws {
        let output = call.console.output
        if call.console.usesJSON {
            try output.line(.object([(name: name, value: .string(text))]))
        } else if call[raw], name == "plaintext" {
            try output.write(text)
        } else {
            // Somebody else wrote it: what goes to a terminal must not act upon it.
            try output.line(output.isTerminal ? TerminalText.safe(text, keepsLines: true) : text)
        }
    }

    static func text(_ bytes: [UInt8]) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.badInput, "the text is not UTF-8")
        }
        return text
    }
}
