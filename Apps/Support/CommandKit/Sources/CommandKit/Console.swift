/// Where a command writes: data to ``output``, everything else to standard error.
public final class Console: Sendable {
    /// Standard output.
    public let output: Output
    /// The name that messages begin with.
    public let name: String
    /// `--quiet`
    public let isQuiet: Bool
    /// `--verbose`
    public let isVerbose: Bool
    /// `--json`
    public let usesJSON: Bool
    private let errorDescriptor: Int32

    init(
        output: Output,
        errorDescriptor: Int32 = 2,
        name: String,
        isQuiet: Bool = false,
        isVerbose: Bool = false,
        usesJSON: Bool = false
    ) {
        self.output = output
        self.errorDescriptor = errorDescriptor
        self.name = name
        self.isQuiet = isQuiet
        self.isVerbose = isVerbose
        self.usesJSON = usesJSON
    }

    /// Whether standard input is a terminal: only then may a command ask something.
    public static var canAsk: Bool { Platform.isTerminal(0) }

    /// Whether messages go to a person's terminal.
    public var showsProgress: Bool { !isQuiet && Platform.isTerminal(errorDescriptor) && !Self.isDumb }

    /// Whether standard output may carry colours: a terminal, and neither `NO_COLOR` nor a dumb terminal.
    public var usesColour: Bool { output.isTerminal && !Self.refusesColour && !Self.isDumb }

    /// Says something, unless `--quiet`.
    public func say(_ text: String) {
        if !isQuiet { error(line: text) }
    }

    /// Says something with `--verbose` only.
    public func explain(_ text: String) {
        if isVerbose { error(line: text) }
    }

    /// Warns, unless `--quiet`.
    public func warn(_ text: String) {
        if !isQuiet { error(line: "\(name): warning: \(text)") }
    }

    /// Reports a failure, also with `--quiet`.
    public func fail(_ text: String) {
        error(line: "\(name): \(text)")
    }

    /// Writes to standard error as it stands. A standard error that is closed is nobody's problem.
    func error(raw text: String) {
        var text = text
        text.withUTF8 { _ = Platform.write(errorDescriptor, UnsafeRawBufferPointer($0)) }
    }

    private func error(line: String) {
        error(raw: TerminalText.safe(line, keepsLines: true) + "\n")
    }

    private static var refusesColour: Bool { !(Environment.value("NO_COLOR") ?? "").isEmpty }
    private static var isDumb: Bool { Environment.value("TERM") == "dumb" }
}
