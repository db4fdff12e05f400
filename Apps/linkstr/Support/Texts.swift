import CommandKit

/// Texts that a command is given as arguments or as lines.
enum Texts {
    /// Reads and prints each of the arguments, or each line of standard input for a single `-`.
    static func convert<Result>(
        _ texts: [String],
        _ call: Invocation,
        of what: String,
        read: (String) throws -> Result,
        print: (Result) throws -> Void
    ) throws {
        if texts == ["-"] {
            try LineStream(call, of: what).forEach { bytes in
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw CommandFailure(.badInput, "the line is not UTF-8 text")
                }
                try print(read(text))
            }
        } else {
            // All of them before the first is printed: a failure leaves nothing on standard output.
            for one in try texts.map(read) { try print(one) }
        }
    }
}
