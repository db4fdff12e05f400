/// Where a secret comes from: given literally, `@FILE`, `-` for a line of standard input, or an environment variable
/// when nothing is given. What it means (hex, nsec, ncryptsec) is for the caller to find out.
public enum SecretSource: Sendable, Equatable {
    /// The text itself.
    case literal(String)
    /// The path of a file that has it.
    case file(String)
    /// One line of standard input.
    case standardInput

    /// The conversion for options and arguments; never fails and never repeats the text.
    ///
    /// - Parameter acceptsStandardInput: whether `-` means a line of standard input; not for a command that reads a
    ///   stream from there.
    public static func conversion(acceptsStandardInput: Bool) -> Conversion<SecretSource> {
        Conversion("SEC") { text in
            if text == "-", acceptsStandardInput { return .standardInput }
            return text.hasPrefix("@") ? .file(String(text.dropFirst())) : .literal(text)
        }
    }

    /// The text of the secret, without white space around it.
    ///
    /// - Throws: ``CommandFailure``: what ``Files/readSecret(_:limit:)`` throws, and ``ExitCode/badInput`` for a file that
    ///   cannot be a secret.
    public func text() throws -> String {
        let bytes: [UInt8]
        switch self {
        case .literal(let text):
            return text
        case .file(let path):
            bytes = try Files.readSecret(path, limit: 64 * 1024)
        case .standardInput:
            let line = try LineReader(limit: 64 * 1024).next()
            guard let read = line?.bytes else { throw CommandFailure(.badInput, "standard input holds no secret") }
            bytes = read
        }
        let isSpace: (UInt8) -> Bool = { $0 == 0x20 || (0x09...0x0D).contains($0) }
        let trimmed = bytes.drop(while: isSpace)
        let end = trimmed.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? trimmed.startIndex
        guard end > trimmed.startIndex, let text = String(validating: trimmed[..<end], as: UTF8.self) else {
            throw CommandFailure(.badInput, "the file or standard input holds no secret")
        }
        return text
    }
}
