/// Turns the words of a command line into a command and its values.
struct CommandParser {
    enum Outcome {
        case run(Command, path: [String], values: [String: [any Sendable]])
        case help(Command, path: [String])
        case version
    }

    let root: Command
    let globals: [Declaration]
    let environment: (String) -> String?

    private var command: Command
    private var path: [String]
    private var given: [String: [String]] = [:]
    private var positional: [String] = []
    private var wantsHelp = false
    private var wantsVersion = false

    init(root: Command, globals: [Declaration], environment: @escaping (String) -> String?) {
        self.root = root
        self.globals = globals
        self.environment = environment
        command = root
        path = [root.name]
    }

    mutating func parse(_ words: [String]) throws -> Outcome {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                for word in rest { try take(positional: word, isLiteral: true) }
                break
            } else if word.hasPrefix("--") {
                try take(long: word, &rest)
            } else if word.hasPrefix("-"), word != "-" {
                try take(short: word, &rest)
            } else {
                try take(positional: word)
            }
        }
        if wantsVersion { return .version }
        if wantsHelp { return .help(command, path: path) }
        if command.isGroup { throw UsageError.missingCommand(group: path.joined(separator: " ")) }
        return .run(command, path: path, values: try values())
    }

    /// How far the words led, also when parsing failed.
    var reached: [String] { path }

    private var known: [Declaration] { command.options + globals }

    private mutating func take(positional word: String, isLiteral: Bool = false) throws {
        let mayLead = command.isGroup || (positional.isEmpty && !isLiteral)
        if mayLead, let next = command.subcommands.first(where: { $0.name == word }) {
            command = next
            path.append(word)
            return
        }
        guard command.isGroup else {
            positional.append(word)
            return
        }
        if word == "help", path.count == 1 {
            wantsHelp = true
            return
        }
        var suggestion = Suggestion.didYouMean(word, among: command.subcommands.map(\.name))
        if suggestion.isEmpty,
            let group = root.subcommands.first(where: { $0.subcommands.contains { $0.name == word } })
        {
            suggestion = ", did you mean \(root.name) \(group.name) \(word)?"
        }
        throw UsageError.unknownCommand(quoted(word), group: path.joined(separator: " "), suggestion: suggestion)
    }

    private mutating func take(long word: String, _ rest: inout ArraySlice<String>) throws {
        let parts = word.dropFirst(2).split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = known.first(where: { $0.name == name }) else {
            let candidates = known.map { "--" + $0.name }
            throw UsageError.unknownOption(
                quoted("--" + name),
                suggestion: Suggestion.didYouMean("--" + name, among: candidates)
            )
        }
        if parts.count == 2 {
            guard option.takesValue else { throw UsageError.unexpectedValue(flag: option.spelling) }
            try record(option, String(parts[1]))
        } else {
            try record(option, try value(of: option, &rest))
        }
    }

    private mutating func take(short word: String, _ rest: inout ArraySlice<String>) throws {
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = known.first(where: { $0.short == letter }) else {
                throw UsageError.unknownOption(quoted("-\(letter)"), suggestion: "")
            }
            if option.takesValue, !letters.isEmpty {
                try record(option, String(letters))
                return
            }
            try record(option, try value(of: option, &rest))
        }
    }

    /// A word that is itself an option is not taken as a value: it is more likely that the value was forgotten, and
    /// `--option=--value` says the other thing without doubt.
    private func value(of option: Declaration, _ rest: inout ArraySlice<String>) throws -> String {
        guard option.takesValue else { return "" }
        guard let next = rest.first, next != "--", !known.contains(where: { next == "--" + $0.name }) else {
            throw UsageError.missingValue(option: option.spelling)
        }
        rest.removeFirst()
        return next
    }

    private mutating func record(_ option: Declaration, _ value: String) throws {
        if option.name == StandardOptions.help.declaration.name { wantsHelp = true }
        if option.name == StandardOptions.version.declaration.name { wantsVersion = true }
        if option.form == .option, given[option.spelling] != nil { throw UsageError.repeatedOption(option.spelling) }
        given[option.spelling, default: []].append(value)
    }

    private func values() throws -> [String: [any Sendable]] {
        var texts = given
        var rest = positional[...]
        for argument in command.arguments {
            switch argument.form {
            case .argument:
                guard let word = rest.popFirst() else { throw UsageError.missingArgument(argument.name) }
                texts[argument.spelling] = [word]
            case .optionalArgument:
                texts[argument.spelling] = rest.popFirst().map { [$0] }
            case .variadicArgument(let minimum):
                guard rest.count >= minimum else { throw UsageError.missingArgument(argument.name) }
                texts[argument.spelling] = Array(rest)
                rest = []
            case .flag, .option, .repeatedOption:
                break
            }
        }
        if let extra = rest.first { throw UsageError.unexpectedArgument(quoted(extra)) }
        for parameter in command.parameters + globals where texts[parameter.spelling] == nil {
            if let variable = parameter.environment, let value = environment(variable), !value.isEmpty {
                texts[parameter.spelling] = [value]
            } else if parameter.isRequired {
                throw UsageError.missingOption(parameter.spelling)
            }
        }
        var values: [String: [any Sendable]] = [:]
        for parameter in command.parameters + globals {
            guard let all = texts[parameter.spelling] else { continue }
            values[parameter.spelling] = try all.map { try convert($0, for: parameter) }
        }
        return values
    }

    private func convert(_ text: String, for parameter: Declaration) throws -> any Sendable {
        guard parameter.takesValue else { return true }
        do {
            return try parameter.convert(text)
        } catch let failure as any ExitCoded {
            throw UsageError.invalidValue(
                parameter: parameter.spelling,
                failure: CommandFailure(failure.exitCode, failure.sentence)
            )
        }
    }
}

/// Options that every application has.
public enum StandardOptions {
    /// `--help`
    public static let help = Flag("help", short: "h", "Show this help")
    /// `--version`
    public static let version = Flag("version", "Show the version")
    /// `--json`
    public static let json = Flag("json", "Print one JSON object per line")
    /// `--verbose`
    public static let verbose = Flag("verbose", short: "v", "Say more on standard error")
    /// `--quiet`
    public static let quiet = Flag("quiet", short: "q", "Say nothing on standard error but failures")

    static let all: [Declaration] = [json, verbose, quiet, help, version].map(\.declaration)
}
