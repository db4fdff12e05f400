/// Why a command ends early: the exit code and one plain sentence without a full stop.
public struct CommandFailure: Error, Equatable, Sendable, CustomStringConvertible {
    /// How the process ends.
    public let exitCode: ExitCode
    /// The sentence for standard error; empty when everything has been said already.
    public let message: String

    /// Declares a failure.
    public init(_ exitCode: ExitCode, _ message: String) {
        self.exitCode = exitCode
        self.message = message
    }

    /// A failure whose messages have been printed already, like a stream with bad lines.
    public static func reported(_ exitCode: ExitCode) -> CommandFailure { CommandFailure(exitCode, "") }

    public var description: String { message }
}

/// An error of a library that knows how a command should end with it. The application conforms the libraries' error
/// types, so that their sentences reach the user unchanged.
public protocol ExitCoded: Error, CustomStringConvertible {
    /// How the process ends.
    var exitCode: ExitCode { get }
}

extension CommandFailure: ExitCoded {}

extension ExitCoded {
    /// The description as messages carry it: without a full stop at the end.
    public var sentence: String {
        let text = description
        return text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}
