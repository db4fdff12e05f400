/// One command, or a group of commands, declared once: the parser, the help, the shell completions and the manual
/// pages all read this value.
public struct Command: Sendable {
    /// The word that is typed.
    public let name: String
    /// One line, without a full stop.
    public let summary: String
    /// Paragraphs for the help and the manual page; one string each.
    public let details: [String]
    /// Options and arguments, in the order in which the help shows them.
    public let parameters: [Declaration]
    /// At least one for a command that can be run; a test of the application keeps this.
    public let examples: [Example]
    /// What is below a group, or beside what the command itself does.
    public private(set) var subcommands: [Command]
    /// The heading under which the application's help lists the command.
    public private(set) var section: String
    let run: (@Sendable (Invocation) async throws -> Void)?

    /// A command that does something.
    ///
    /// - Parameters:
    ///   - takes: its options, flags and arguments, beside the application's global ones.
    ///   - run: does the work; what it throws becomes the exit code and the sentence on standard error.
    public init(
        _ name: String,
        _ summary: String,
        details: [String] = [],
        takes: [any Parameter] = [],
        examples: [Example],
        run: @escaping @Sendable (Invocation) async throws -> Void
    ) {
        self.init(
            name: name,
            summary: summary,
            details: details,
            parameters: takes.map(\.declaration),
            examples: examples,
            subcommands: [],
            section: "",
            run: run
        )
    }

    /// A group: `linkstr key` with `generate`, `public` and so on below it.
    public init(group name: String, _ summary: String, details: [String] = [], _ subcommands: [Command]) {
        self.init(
            name: name,
            summary: summary,
            details: details,
            parameters: [],
            examples: [],
            subcommands: subcommands,
            section: "",
            run: nil
        )
    }

    private init(
        name: String,
        summary: String,
        details: [String],
        parameters: [Declaration],
        examples: [Example],
        subcommands: [Command],
        section: String,
        run: (@Sendable (Invocation) async throws -> Void)?
    ) {
        self.name = name
        self.summary = summary
        self.details = details
        self.parameters = parameters
        self.examples = examples
        self.subcommands = subcommands
        self.section = section
        self.run = run
    }

    /// The same command with others below it, whose names win over a first argument: `linkstr post show` beside `linkstr post`.
    public func with(_ subcommands: [Command]) -> Command {
        var command = self
        command.subcommands = subcommands
        return command
    }

    /// The same command, listed under a heading in the application's help.
    public func listed(under section: String) -> Command {
        var command = self
        command.section = section
        return command
    }

    var options: [Declaration] { parameters.filter { !$0.isArgument } }
    var arguments: [Declaration] { parameters.filter(\.isArgument) }
    var isGroup: Bool { run == nil }
}

/// A line that can be typed as it stands, and what it does.
public struct Example: Sendable {
    /// The complete shell line.
    public let line: String
    /// What it does, without a full stop.
    public let explanation: String

    /// Declares an example.
    public init(_ line: String, _ explanation: String) {
        self.line = line
        self.explanation = explanation
    }
}
