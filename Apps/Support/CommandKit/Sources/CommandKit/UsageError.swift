/// What is wrong with a command line. Each ends with exit code 64.
public enum UsageError: Error, Equatable, Sendable {
    /// A group was named, and none of its commands.
    case missingCommand(group: String)
    /// A command that the group does not have; the suggestion is the nearest that it has, or empty.
    case unknownCommand(String, group: String, suggestion: String)
    /// An option that the command does not have; the suggestion is the nearest that it has, or empty.
    case unknownOption(String, suggestion: String)
    /// An option that takes a value stands at the end.
    case missingValue(option: String)
    /// A value was given to an option that takes none.
    case unexpectedValue(flag: String)
    /// An option stands there twice that may once.
    case repeatedOption(String)
    /// An option that the command cannot do without.
    case missingOption(String)
    /// An argument that the command cannot do without.
    case missingArgument(String)
    /// More arguments than the command takes; the first of them.
    case unexpectedArgument(String)
    /// A value that its conversion refused; the exit code is the conversion's.
    case invalidValue(parameter: String, failure: CommandFailure)
}

extension UsageError: ExitCoded {
    public var exitCode: ExitCode {
        if case .invalidValue(_, let failure) = self { return failure.exitCode }
        return .usage
    }

    public var description: String {
        switch self {
        case .missingCommand(let group): "\(group) needs a command"
        case .unknownCommand(let word, let group, let suggestion): "\(group) has no command \(word)\(suggestion)"
        case .unknownOption(let word, let suggestion): "there is no option \(word)\(suggestion)"
        case .missingValue(let option): "\(option) needs a value"
        case .unexpectedValue(let flag): "\(flag) takes no value"
        case .repeatedOption(let option): "\(option) is given more than once"
        case .missingOption(let option): "\(option) is missing"
        case .missingArgument(let name): "\(name) is missing"
        case .unexpectedArgument(let word): "\(word) is one argument too many"
        case .invalidValue(let parameter, let failure): "\(parameter): \(failure.message)"
        }
    }
}
