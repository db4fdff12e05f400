#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Gets a passphrase: from a file, or from a person at a terminal without showing what is typed. Nothing is ever asked
/// when standard input is not a terminal.
public struct Passphrase: Sendable {
    /// `--passphrase-file`
    public static let file = Option(
        "passphrase-file",
        .file,
        "Read the passphrase from the first line of FILE instead of asking for it"
    )

    private static let limit = 64 * 1024

    /// The passphrase.
    ///
    /// - Parameters:
    ///   - prompt: what to ask, like "Passphrase".
    ///   - isNew: asks a second time for the same, and refuses an empty one.
    ///   - option: names the file where the command has another one beside ``file``, and comes before it.
    /// - Throws: ``CommandFailure``: ``ExitCode/usage`` when there is no file and no terminal, and what
    ///   ``Files/readSecret(_:limit:)`` throws.
    public static func get(
        _ call: Invocation,
        _ prompt: String = "Passphrase",
        isNew: Bool = false,
        from option: Option<String>? = nil
    ) throws -> String {
        if let path = option.flatMap({ call[$0] }) ?? call[file] {
            let passphrase = try text(Files.readSecret(path, limit: limit).prefix { $0 != 0x0A })
            guard !isNew || !passphrase.isEmpty else {
                throw CommandFailure(
                    .badInput,
                    "the first line of \(Files.named(path)) is empty, which is no passphrase"
                )
            }
            return passphrase
        }
        guard Console.canAsk else {
            throw CommandFailure(
                .usage,
                "a passphrase is needed, and standard input is not a terminal to ask on: give --passphrase-file FILE"
            )
        }
        try call.console.output.flush()
        let first = try ask(call.console, prompt)
        guard isNew else { return first }
        guard !first.isEmpty else { throw CommandFailure(.usage, "the passphrase is empty") }
        guard try ask(call.console, prompt + " again") == first else {
            throw CommandFailure(.usage, "the passphrases differ")
        }
        return first
    }

    /// Asks for a line that is not shown while it is typed. There has to be a terminal: see ``Console/canAsk``.
    public static func ask(_ console: Console, _ prompt: String) throws -> String {
        var saved = termios()
        guard tcgetattr(0, &saved) == 0 else {
            throw CommandFailure(.localIO, "the terminal cannot be asked: \(Platform.message(for: errno))")
        }
        let original = saved
        return try Interruption.cleaningUp({
            var original = original
            tcsetattr(0, TCSADRAIN, &original)
            console.error(raw: "\n")
        }) {
            var silent = original
            silent.c_lflag &= ~tcflag_t(ECHO)
            guard tcsetattr(0, TCSAFLUSH, &silent) == 0 else {
                throw CommandFailure(.localIO, "the terminal would show the passphrase, so it is not asked for")
            }
            // Only now: what is typed at the prompt is neither shown nor flushed.
            console.error(raw: prompt + ": ")
            return try text(readLine()[...])
        }
    }

    /// Byte by byte, so that nothing behind the line is taken from whoever reads next.
    private static func readLine() throws -> [UInt8] {
        var line: [UInt8] = []
        while line.count < limit {
            var byte: UInt8 = 0
            let count = withUnsafeMutableBytes(of: &byte) { Platform.read(0, into: $0) }
            guard count >= 0 else {
                throw CommandFailure(.localIO, "the terminal cannot be read: \(Platform.message(for: Int32(-count)))")
            }
            if count == 0, line.isEmpty { throw CommandFailure(.notPermitted, "no passphrase was given") }
            if count == 0 || byte == 0x0A { break }
            line.append(byte)
        }
        return line
    }

    private static func text(_ bytes: ArraySlice<UInt8>) throws -> String {
        let bytes = bytes.last == 0x0D ? bytes.dropLast() : bytes
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.badInput, "the passphrase is not UTF-8 text")
        }
        return text
    }
}
