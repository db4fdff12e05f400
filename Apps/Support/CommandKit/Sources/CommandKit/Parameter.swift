/// Something a command takes. The concrete types below differ in what ``Invocation`` gives for them.
public protocol Parameter: Sendable {
    /// What the parser, the help and the generated files read.
    var declaration: Declaration { get }
}

/// `--json`: there or not.
public struct Flag: Parameter {
    public let declaration: Declaration

    /// Declares a flag by its long name without dashes.
    public init(_ name: String, short: Character? = nil, _ help: String) {
        declaration = Declaration(name, form: .flag, short: short, help: help, conversion: .text)
    }
}

/// `--kind 1` or `--kind=1`: a value or nothing. Given twice is a usage error.
public struct Option<Value: Sendable>: Parameter {
    public let declaration: Declaration

    /// Declares an option by its long name without dashes.
    public init(
        _ name: String,
        short: Character? = nil,
        _ conversion: Conversion<Value>,
        placeholder: String? = nil,
        environment: String? = nil,
        _ help: String
    ) {
        declaration = Declaration(
            name,
            form: .option,
            short: short,
            help: help,
            environment: environment,
            placeholder: placeholder,
            conversion: conversion
        )
    }
}

/// An option that must be given.
public struct RequiredOption<Value: Sendable>: Parameter {
    public let declaration: Declaration

    /// Declares an option by its long name without dashes.
    public init(_ name: String, short: Character? = nil, _ conversion: Conversion<Value>, _ help: String) {
        declaration = Declaration(
            name,
            form: .option,
            short: short,
            help: help,
            isRequired: true,
            conversion: conversion
        )
    }
}

/// An option with a value of its own when it is not given.
public struct DefaultedOption<Value: Sendable>: Parameter {
    public let declaration: Declaration
    let fallback: Value

    /// Declares an option by its long name without dashes; the help shows `default`.
    public init(
        _ name: String,
        short: Character? = nil,
        _ conversion: Conversion<Value>,
        placeholder: String? = nil,
        default fallback: Value,
        _ help: String
    ) {
        self.fallback = fallback
        declaration = Declaration(
            name,
            form: .option,
            short: short,
            help: help,
            defaultText: "\(fallback)",
            placeholder: placeholder,
            conversion: conversion
        )
    }
}

/// An option that may be given any number of times; the values keep their order.
public struct RepeatedOption<Value: Sendable>: Parameter {
    public let declaration: Declaration

    /// Declares an option by its long name without dashes.
    public init(
        _ name: String,
        short: Character? = nil,
        _ conversion: Conversion<Value>,
        placeholder: String? = nil,
        required: Bool = false,
        _ help: String
    ) {
        declaration = Declaration(
            name,
            form: .repeatedOption,
            short: short,
            help: help,
            isRequired: required,
            placeholder: placeholder,
            conversion: conversion
        )
    }
}

/// A positional argument that must be there.
public struct Argument<Value: Sendable>: Parameter {
    public let declaration: Declaration

    /// Declares an argument by its placeholder in capitals.
    public init(_ name: String, _ conversion: Conversion<Value>, _ help: String) {
        declaration = Declaration(name, form: .argument, help: help, isRequired: true, conversion: conversion)
    }
}

/// A positional argument that may be left out; it comes after the required ones.
public struct OptionalArgument<Value: Sendable>: Parameter {
    public let declaration: Declaration

    /// Declares an argument by its placeholder in capitals.
    public init(_ name: String, _ conversion: Conversion<Value>, environment: String? = nil, _ help: String) {
        declaration = Declaration(
            name,
            form: .optionalArgument,
            help: help,
            environment: environment,
            conversion: conversion
        )
    }
}

/// All remaining positional arguments.
public struct VariadicArgument<Value: Sendable>: Parameter {
    public let declaration: Declaration

    /// Declares the last argument by its placeholder in capitals.
    public init(_ name: String, _ conversion: Conversion<Value>, minimum: Int = 0, _ help: String) {
        declaration = Declaration(
            name,
            form: .variadicArgument(minimum: minimum),
            help: help,
            isRequired: minimum > 0,
            conversion: conversion
        )
    }
}
