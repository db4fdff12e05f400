/// One run of a command: the checked values of what it takes, and where it reads and writes.
public struct Invocation: Sendable {
    /// The words that led here, the application's name first.
    public let path: [String]
    /// The application whose command this is.
    public let application: Application
    /// Standard output and error.
    public let console: Console
    let values: [String: [any Sendable]]

    /// Whether the flag was given.
    public subscript(_ flag: Flag) -> Bool { values[flag.declaration.spelling] != nil }

    /// The value, or nil when neither the command line nor the environment has one.
    public subscript<Value>(_ option: Option<Value>) -> Value? { all(option, Value.self).first }

    /// The value, or the declared default.
    public subscript<Value>(_ option: DefaultedOption<Value>) -> Value {
        all(option, Value.self).first ?? option.fallback
    }

    /// The values in the order in which they were given.
    public subscript<Value>(_ option: RepeatedOption<Value>) -> [Value] { all(option, Value.self) }

    /// The value; the parser has made sure that there is one.
    public subscript<Value>(_ option: RequiredOption<Value>) -> Value { one(option, Value.self) }

    /// The value; the parser has made sure that there is one.
    public subscript<Value>(_ argument: Argument<Value>) -> Value { one(argument, Value.self) }

    /// The value, or nil when it was left out.
    public subscript<Value>(_ argument: OptionalArgument<Value>) -> Value? { all(argument, Value.self).first }

    /// The remaining arguments.
    public subscript<Value>(_ argument: VariadicArgument<Value>) -> [Value] { all(argument, Value.self) }

    private func all<Value>(_ parameter: any Parameter, _ type: Value.Type) -> [Value] {
        (values[parameter.declaration.spelling] ?? []).compactMap { $0 as? Value }
    }

    private func one<Value>(_ parameter: any Parameter, _ type: Value.Type) -> Value {
        guard let value = all(parameter, type).first else {
            // Only a command that reads what it has not declared comes here, whatever the input.
            preconditionFailure("\(path.joined(separator: " ")) does not declare \(parameter.declaration.spelling)")
        }
        return value
    }
}
