/// What a parameter looks like from outside, whatever the type of its value.
public struct Declaration: Sendable {
    enum Form: Sendable, Equatable {
        case flag
        case option
        case repeatedOption
        case argument
        case optionalArgument
        case variadicArgument(minimum: Int)
    }

    /// The long name without dashes, or the placeholder of an argument.
    public let name: String
    /// A sentence fragment for the help, without a full stop.
    public let help: String
    /// The environment variable that stands in when an option is not given.
    public let environment: String?
    /// What a shell offers for the value.
    public let completion: Completion
    let form: Form
    let short: Character?
    let placeholder: String
    let isRequired: Bool
    let defaultText: String?
    let convert: @Sendable (String) throws -> any Sendable

    init<Value>(
        _ name: String,
        form: Form,
        short: Character? = nil,
        help: String,
        environment: String? = nil,
        isRequired: Bool = false,
        defaultText: String? = nil,
        placeholder: String? = nil,
        conversion: Conversion<Value>
    ) {
        self.name = name
        self.help = help
        self.environment = environment
        self.completion = conversion.completion
        self.form = form
        self.short = short
        self.placeholder = placeholder ?? conversion.placeholder
        self.isRequired = isRequired
        self.defaultText = defaultText
        self.convert = { text in try conversion.convert(text) }
    }

    var isArgument: Bool {
        switch form {
        case .flag, .option, .repeatedOption: false
        case .argument, .optionalArgument, .variadicArgument: true
        }
    }

    var takesValue: Bool { form != .flag }

    /// How the parameter is named in messages: `--kind`, or `EVENT`.
    var spelling: String { isArgument ? name : "--" + name }

    /// How the parameter stands in the usage line.
    var usage: String {
        switch form {
        case .flag: "[--\(name)]"
        case .option: isRequired ? "--\(name) \(placeholder)" : "[--\(name) \(placeholder)]"
        case .repeatedOption: isRequired ? "--\(name) \(placeholder)..." : "[--\(name) \(placeholder)]..."
        case .argument: name
        case .optionalArgument: "[\(name)]"
        case .variadicArgument(let minimum): minimum > 0 ? "\(name)..." : "[\(name)...]"
        }
    }

    /// How the parameter heads its row of the help.
    var heading: String {
        if isArgument { return name }
        let dashed = (short.map { "-\($0), " } ?? "    ") + "--" + name
        return takesValue ? dashed + " " + placeholder : dashed
    }

    /// The help with what else is to know of the value.
    var fullHelp: String {
        var text = help
        if case .choices(let all) = completion { text += " (\(all.joined(separator: ", ")))" }
        if let defaultText, !defaultText.isEmpty { text += " (default \(defaultText))" }
        if let environment { text += " (or \(environment))" }
        if form == .repeatedOption { text += "; may be repeated" }
        return text
    }
}

/// What a shell offers while a value is typed.
public enum Completion: Sendable, Equatable {
    /// Nothing.
    case nothing
    /// Names of files.
    case files
    /// Names of directories.
    case directories
    /// These words.
    case choices([String])
}
