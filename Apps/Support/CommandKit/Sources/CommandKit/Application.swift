#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A program with commands.
public struct Application: Sendable {
    /// The name of the executable.
    public let name: String
    /// What `--version` prints behind the name.
    public let version: String
    /// The commands and what the help says above them.
    public let root: Command
    /// Sections of the manual page behind the generated ones: heading and paragraphs.
    public let notes: [(heading: String, paragraphs: [String])]
    let globals: [Declaration]
    let takesHangups: Bool

    /// Declares an application.
    ///
    /// - Parameters:
    ///   - globals: options that may stand before and after any command, beside ``StandardOptions``.
    ///   - takesHangups: whether SIGHUP is for ``Interruption/onHangup(_:)`` instead of ending the process.
    public init(
        name: String,
        version: String,
        summary: String,
        details: [String] = [],
        globals: [any Parameter] = [],
        notes: [(heading: String, paragraphs: [String])] = [],
        takesHangups: Bool = false,
        commands: [Command]
    ) {
        self.name = name
        self.version = version
        self.globals = globals.map(\.declaration) + StandardOptions.all
        self.notes = notes
        self.takesHangups = takesHangups
        root = Command(group: name, summary, details: details, commands)
    }

    /// Runs the command of the process's arguments and ends the process. To be called on the main thread, which waits
    /// for Ctrl-C from then on: commands run on others and have no main actor.
    public func main() -> Never {
        // Before anything is opened.
        Platform.occupyStandardDescriptors()
        signal(SIGPIPE, SIG_IGN)
        // A core would hold the secrets that were typed or read as text.
        Platform.forbidCores()
        let output = Output(descriptor: 1)
        if let place = Platform.firstMalformedArgument {
            Console(output: output, name: name).fail("argument \(place) is not UTF-8 text")
            exit(ExitCode.usage.rawValue)
        }
        switch start(Array(CommandLine.arguments.dropFirst()), output: output) {
        case .ended(let code):
            exit(code.rawValue)
        case .ready(let command, let call):
            Interruption.waitForever(output: output, takesHangups: takesHangups) {
                Self.end(await run(command, call))
            }
        }
    }

    /// Ends the process without exit handlers. Threads of connections that nobody waits for still work, and would meet libraries that
    /// their exit handlers have taken down.
    private static func end(_ code: ExitCode) -> Never {
        fflush(nil)
        if code == .interrupted, Interruption.isTerminated { Interruption.endByTermination() }
        _exit(code.rawValue)
    }

    enum Start {
        /// A usage error, or help has been printed.
        case ended(ExitCode)
        case ready(Command, Invocation)
    }

    /// Everything that needs no command to run.
    func start(
        _ words: [String],
        output: Output,
        errorDescriptor: Int32 = 2,
        environment: @escaping (String) -> String? = Environment.value
    ) -> Start {
        let console = Console(output: output, errorDescriptor: errorDescriptor, name: name)
        var parser = CommandParser(root: root, globals: globals, environment: environment)
        do {
            switch try parser.parse(words) {
            case .version:
                try output.line("\(name) \(version)")
            case .help(let command, let path):
                try output.write(Help(self, command, path: path, isStyled: console.usesColour).text)
            case .run(let command, let path, let values):
                let console = Console(
                    output: output,
                    errorDescriptor: errorDescriptor,
                    name: name,
                    isQuiet: values[StandardOptions.quiet.declaration.spelling] != nil,
                    isVerbose: values[StandardOptions.verbose.declaration.spelling] != nil,
                    usesJSON: values[StandardOptions.json.declaration.spelling] != nil
                )
                return .ready(command, Invocation(path: path, application: self, console: console, values: values))
            }
            try output.flush()
            return .ended(.done)
        } catch {
            let code = report(error, to: console)
            if code == .usage { console.say("See '\(parser.reached.joined(separator: " ")) --help'.") }
            return .ended(code)
        }
    }

    /// Runs a command and returns how the process should end; the output is flushed.
    func run(_ command: Command, _ call: Invocation) async -> ExitCode {
        var failure: (any Error)?
        do {
            try await command.run?(call)
        } catch {
            failure = error
        }
        do {
            try call.console.output.flush()
        } catch {
            return report(error, to: call.console)
        }
        return failure.map { report($0, to: call.console) } ?? .done
    }

    private func report(_ error: any Error, to console: Console) -> ExitCode {
        if error is CancellationError { return .interrupted }
        guard let known = error as? any ExitCoded else {
            console.fail(Self.bounded("\(error)"))
            return .unexpected
        }
        if known.exitCode != .done, !known.description.isEmpty { console.fail(Self.bounded(known.sentence)) }
        return known.exitCode
    }

    /// What is said of a failure, without the whole of a long text that was given.
    private static func bounded(_ sentence: String) -> String {
        guard sentence.utf8.count > longestLine else { return sentence }
        return sentence.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.utf8.count > longestLine ? TerminalText.safe(String($0), width: longestLine) : String($0) }
            .joined(separator: "\n")
    }

    private static let longestLine = 2_000

    /// Every command that can be run, with the words that lead to it.
    public var leaves: [(path: [String], command: Command)] { all.filter { !$0.command.isGroup } }

    /// Every group and command, each before what is below it.
    var all: [(path: [String], command: Command)] {
        func below(_ command: Command, _ path: [String]) -> [(path: [String], command: Command)] {
            [(path, command)] + command.subcommands.flatMap { below($0, path + [$0.name]) }
        }
        return below(root, [name])
    }
}
