/// From the text of a value to its type, with what the help and the shell show for it.
///
/// `convert` throws a ``CommandFailure``; the parser puts the name of the option before its message. A conversion of
/// something secret must not repeat the text.
public struct Conversion<Value: Sendable>: Sendable {
    /// What stands for the value in the help, in capitals.
    public let placeholder: String
    /// What a shell offers.
    public let completion: Completion
    /// Checks and converts.
    public let convert: @Sendable (String) throws -> Value

    /// A conversion of one's own.
    public init(
        _ placeholder: String,
        completion: Completion = .nothing,
        convert: @escaping @Sendable (String) throws -> Value
    ) {
        self.placeholder = placeholder
        self.completion = completion
        self.convert = convert
    }
}

extension Conversion where Value == String {
    /// Any text, also an empty one.
    public static var text: Conversion { Conversion("TEXT") { $0 } }

    /// The path of a file.
    public static var file: Conversion { Conversion("FILE", completion: .files) { try nonEmpty($0) } }

    /// The path of a directory.
    public static var directory: Conversion { Conversion("DIR", completion: .directories) { try nonEmpty($0) } }

    /// One of the given words.
    public static func choice(_ words: [String], placeholder: String = "WORD") -> Conversion {
        Conversion(placeholder, completion: .choices(words)) { text in
            if words.contains(text) { return text }
            throw CommandFailure(
                .usage,
                "\(quoted(text)) is not one of \(words.joined(separator: ", "))"
                    + Suggestion.didYouMean(text, among: words)
            )
        }
    }

    private static func nonEmpty(_ text: String) throws -> String {
        guard !text.isEmpty else { throw CommandFailure(.usage, "a path cannot be empty") }
        return text
    }
}

extension Conversion where Value: FixedWidthInteger {
    /// A decimal whole number within `range`.
    public static func integer(in range: ClosedRange<Value>, placeholder: String = "N") -> Conversion {
        Conversion(placeholder) { text in
            guard let value = Value(text), range.contains(value) else {
                throw CommandFailure(
                    .usage,
                    "\(quoted(text)) is not a whole number from \(range.lowerBound) to \(range.upperBound)"
                )
            }
            return value
        }
    }
}

extension Conversion where Value == Duration {
    /// Seconds, whole or with a fraction, above zero and at most one day.
    public static var seconds: Conversion {
        Conversion("SECONDS") { text in
            guard text.utf8.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2E }), let value = Double(text),
                value > 0, value <= 86_400
            else { throw CommandFailure(.usage, "\(quoted(text)) is not a number of seconds above 0, at most 86400") }
            return .milliseconds(max(1, Int64((value * 1000).rounded())))
        }
    }
}

/// A word somebody typed, as messages repeat it: safe for a terminal, and nothing of a long one, because it may be a
/// secret that stands in the wrong place.
func quoted(_ word: String) -> String {
    word.utf8.count > 32 ? "'…' (\(word.utf8.count) bytes)" : "'" + TerminalText.safe(word) + "'"
}
