internal import CommandKit
internal import NostrEvents

/// The configuration of a service: what its file, the environment and the command line say, checked as a whole.
///
/// The command line wins over the environment, the environment over the file, the file over what is shipped.
public struct Settings: Sendable {
    /// Who has said what holds.
    public enum Origin: String, Sendable {
        /// An option of the command.
        case commandLine = "command line"
        /// A variable of the environment.
        case environment
        /// The configuration file.
        case file
        /// Nobody: it is the default.
        case shipped
    }

    /// Everything that is wrong, so that nobody has to try again for each.
    public struct Problems: Error, Equatable, Sendable, CustomStringConvertible {
        /// A sentence for each, without a full stop.
        public let all: [String]

        /// Problems, a sentence each.
        public init(all: [String]) {
            self.all = all
        }

        public var description: String { all.joined(separator: "\n") }
    }

    /// The keys that there are.
    public let declared: [Setting]
    private let values: [String: (value: SettingValue, origin: Origin)]

    /// Reads a configuration.
    ///
    /// - Parameters:
    ///   - declared: The keys that there are.
    ///   - file: The text of the file; nil if there is none.
    ///   - prefix: What the names of environment variables begin with.
    ///   - environment: All variables.
    ///   - commandLine: What the command line says, by key.
    /// - Throws: ``Problems``.
    public init(
        _ declared: [Setting],
        file: [UInt8]?,
        prefix: String,
        environment: [String: String],
        commandLine: [String: SettingValue] = [:]
    ) throws(Problems) {
        var problems: [String] = []
        var values: [String: (value: SettingValue, origin: Origin)] = [:]
        for setting in declared {
            if let fallback = setting.fallback { values[setting.name] = (fallback, .shipped) }
        }
        func set(_ setting: Setting, _ value: SettingValue?, _ origin: Origin, spelling: String) {
            if let value, let problem = setting.problem(value) {
                problems.append("\(spelling) \(problem)")
            } else if let value {
                values[setting.name] = (value, origin)
            } else {
                problems.append("\(spelling) has to be \(setting.kind.sentence)")
            }
        }
        let names = declared.map(\.name)
        for (key, value) in Self.members(of: file, &problems) {
            guard let setting = declared.first(where: { $0.name == key }) else {
                let shown = String(key.prefix(80)).debugDescription
                problems.append("there is no key \(shown)" + Suggestion.didYouMean(key, among: names))
                continue
            }
            // Null is as if the key were not there.
            if !value.isNull { set(setting, SettingValue(value), .file, spelling: setting.name) }
        }
        let variables = Dictionary(declared.map { (prefix + $0.name.uppercased(), $0) }, uniquingKeysWith: { $1 })
        for (name, text) in environment.sorted(by: { $0.key < $1.key }) where name.hasPrefix(prefix) {
            guard let setting = variables[name] else {
                // The prefix is common to all and would make everything look alike.
                let rest = String(name.dropFirst(prefix.count)).lowercased()
                let hint =
                    Suggestion.closest(to: rest, among: names).map { ", did you mean \(prefix + $0.uppercased())?" }
                    ?? ""
                problems.append("there is no environment variable \(name.prefix(80))" + hint)
                continue
            }
            set(setting, SettingValue(text, kind: setting.kind), .environment, spelling: name)
        }
        for setting in declared {
            guard let value = commandLine[setting.name] else { continue }
            let option = "--" + setting.name.replacing("_", with: "-")
            set(setting, value, .commandLine, spelling: option)
        }
        guard problems.isEmpty else { throw Problems(all: problems) }
        self.declared = declared
        self.values = values
    }

    private static func members(of file: [UInt8]?, _ problems: inout [String]) -> [(String, JSONValue)] {
        guard let file else { return [] }
        do throws(EventError) {
            guard let object = try JSONValue(json: file).object else {
                problems.append("the configuration is no JSON object")
                return []
            }
            return object.members.map { ($0.key, $0.value) }
        } catch {
            problems.append("the configuration cannot be read: \(error)")
            return []
        }
    }

    /// The value of a key; nil if nobody says anything.
    public subscript(name: String) -> SettingValue? { values[name]?.value }

    /// Who has said it.
    public func origin(_ name: String) -> Origin? { values[name]?.origin }

    /// A text, or nil.
    public func text(_ name: String) -> String? {
        if case .text(let text) = self[name] { text } else { nil }
    }

    /// A number; zero for a key without one.
    public func integer(_ name: String) -> Int64 {
        if case .integer(let number) = self[name] { number } else { 0 }
    }

    /// Whether a flag is set.
    public func flag(_ name: String) -> Bool { self[name] == .flag(true) }

    /// Texts, none if there are none.
    public func texts(_ name: String) -> [String] {
        if case .texts(let texts) = self[name] { texts } else { [] }
    }

    /// The keys that differ from another configuration.
    public func changes(from other: Settings) -> [Setting] {
        declared.filter { self[$0.name] != other[$0.name] }
    }
}

extension SettingValue {
    /// Nil for what is no value of any setting.
    fileprivate init?(_ json: JSONValue) {
        if let text = json.string {
            self = .text(text)
        } else if let number = json.integer {
            self = .integer(number)
        } else if let flag = json.bool {
            self = .flag(flag)
        } else if let texts = json.array?.map(\.string), !texts.contains(nil) {
            self = .texts(texts.compactMap { $0 })
        } else {
            return nil
        }
    }

    /// Reads the text of an environment variable; nil if it is of another kind.
    fileprivate init?(_ text: String, kind: Setting.Kind) {
        switch kind {
        case .text, .choice: self = .text(text)
        case .integer:
            guard let number = Int64(text) else { return nil }
            self = .integer(number)
        case .flag:
            switch text {
            case "true", "1", "yes": self = .flag(true)
            case "false", "0", "no": self = .flag(false)
            default: return nil
            }
        case .texts: self = .texts(text.split(separator: ",").map { String($0.trimmed) }.filter { !$0.isEmpty })
        }
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        let start = drop { $0 == " " }
        return start.lastIndex { $0 != " " }.map { start[...$0] } ?? ""
    }
}
