internal import CommandKit

/// A key of a service's configuration.
public struct Setting: Sendable {
    /// What kind of value it has.
    public enum Kind: Sendable {
        /// A text.
        case text
        /// A whole number in a range.
        case integer(ClosedRange<Int64>)
        /// true or false.
        case flag
        /// One of some words.
        case choice([String])
        /// Several texts: a list in the file, separated by commas in the environment.
        case texts
    }

    /// The key in the file; the environment has it in capitals behind the prefix.
    public let name: String
    /// What kind of value it has.
    public let kind: Kind
    /// What holds when nobody says anything; nil for nothing.
    public let fallback: SettingValue?
    /// Whether a reload takes it up.
    public let isReloadable: Bool
    /// What it is for, without a full stop.
    public let help: String
    let check: @Sendable (SettingValue) -> String?

    /// Declares a key.
    ///
    /// - Parameters:
    ///   - name: In lower case, with underscores.
    ///   - kind: What kind of value it has.
    ///   - fallback: What holds when nobody says anything.
    ///   - isReloadable: Whether a reload takes it up.
    ///   - help: What it is for, without a full stop.
    ///   - check: What is wrong with a value, as in "relay_listen WHAT IT SAYS"; nil if nothing is.
    public init(
        _ name: String,
        _ kind: Kind,
        fallback: SettingValue? = nil,
        isReloadable: Bool = false,
        _ help: String,
        check: @escaping @Sendable (SettingValue) -> String? = { _ in nil }
    ) {
        self.name = name
        self.kind = kind
        self.fallback = fallback
        self.isReloadable = isReloadable
        self.help = help
        self.check = check
    }

    /// What is wrong with a value, behind the key's name; nil if nothing is.
    func problem(_ value: SettingValue) -> String? {
        switch (kind, value) {
        case (.text, .text), (.flag, .flag), (.texts, .texts): break
        case (.integer(let range), .integer(let number)):
            guard range.contains(number) else {
                return "is not between \(range.lowerBound) and \(range.upperBound)"
            }
        case (.choice(let words), .text(let word)):
            guard words.contains(word) else {
                return "is none of \(words.joined(separator: ", "))" + Suggestion.didYouMean(word, among: words)
            }
        default: return "has to be \(kind.sentence)"
        }
        return check(value)
    }
}

extension Setting.Kind {
    var sentence: String {
        switch self {
        case .text: "a text"
        case .integer: "a whole number"
        case .flag: "true or false"
        case .choice(let words): "one of \(words.joined(separator: ", "))"
        case .texts: "a list of texts"
        }
    }
}

/// The value of a ``Setting``.
public enum SettingValue: Sendable, Equatable, CustomStringConvertible {
    /// A text.
    case text(String)
    /// A whole number.
    case integer(Int64)
    /// Yes or no.
    case flag(Bool)
    /// Several texts; in the environment with commas between them.
    case texts([String])

    public var description: String {
        switch self {
        case .text(let text): text
        case .integer(let number): String(number)
        case .flag(let flag): String(flag)
        case .texts(let texts): texts.joined(separator: ",")
        }
    }
}
