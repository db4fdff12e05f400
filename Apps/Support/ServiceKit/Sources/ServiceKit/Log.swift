internal import CommandKit
internal import Locking

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// What a service tells its operator: one line for each thing that happened, to standard error.
///
/// ```swift
/// log.info("account ready", ["account": account.hex, "sessions": "12"])
/// ```
///
/// Secrets and what people wrote have no place in it, at any level.
public final class Log: Sendable {
    /// How much a line matters.
    public enum Level: Int, Sendable, CaseIterable, Comparable {
        /// Something that should work does not.
        case error
        /// Something is not as it should be, and the work goes on.
        case warning
        /// What an operator wants to see of a healthy service.
        case info
        /// What helps to find a fault.
        case debug

        /// The word for it.
        public var name: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .info: "info"
            case .debug: "debug"
            }
        }

        /// The level of a word.
        public init?(_ name: String) {
            guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
            self = level
        }

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        /// The priority of syslog, which the journal reads from `<N>` before a line.
        var priority: Int {
            switch self {
            case .error: 3
            case .warning: 4
            case .info: 6
            case .debug: 7
            }
        }
    }

    /// What a line looks like.
    public enum Form: String, Sendable, CaseIterable {
        /// The time, the level, the message, and `name=value` for each detail.
        case lines
        /// An object of JSON.
        case json
        /// As lines, for the journal of systemd, which knows the time itself and takes the level from `<N>`.
        case journal
    }

    private struct State {
        var level: Level
        var form: Form
    }

    private let state: Locked<State>
    private let descriptor: Int32
    private let now: @Sendable () -> Int64

    /// The most characters of one value.
    private static let longest = 1000

    /// - Parameters:
    ///   - level: What matters less is left out.
    ///   - form: What a line looks like.
    ///   - descriptor: Where lines go.
    ///   - now: Seconds since 1970; nil for the system's clock.
    public init(
        level: Level = .info,
        form: Form = .lines,
        descriptor: Int32 = 2,
        now: (@Sendable () -> Int64)? = nil
    ) {
        state = Locked(State(level: level, form: form))
        self.descriptor = descriptor
        self.now = now ?? { Int64(time(nil)) }
    }

    /// Changes what is told and how, from the next line on.
    public func set(level: Level, form: Form) {
        state.withLock { $0 = State(level: level, form: form) }
    }

    /// Something that should work does not.
    public func error(_ message: String, _ details: KeyValuePairs<String, String> = [:]) {
        write(.error, message, details)
    }

    /// Something is not as it should be, and the work goes on.
    public func warning(_ message: String, _ details: KeyValuePairs<String, String> = [:]) {
        write(.warning, message, details)
    }

    /// What an operator wants to see of a healthy service.
    public func info(_ message: String, _ details: KeyValuePairs<String, String> = [:]) {
        write(.info, message, details)
    }

    /// What helps to find a fault.
    public func debug(_ message: @autoclosure () -> String, _ details: KeyValuePairs<String, String> = [:]) {
        guard state.withLock({ $0.level }) >= .debug else { return }
        write(.debug, message(), details)
    }

    private func write(_ level: Level, _ message: String, _ details: KeyValuePairs<String, String>) {
        let state = state.withLock { $0 }
        guard level <= state.level else { return }
        let line: String
        switch state.form {
        case .lines:
            let name = level.name.padding(to: 7)
            line = "\(Self.timestamp(now())) \(name) \(Self.plain(message, details))"
        case .journal:
            line = "<\(level.priority)>\(Self.plain(message, details))"
        case .json:
            var members: [(name: String, value: JSON)] = [
                ("time", .string(Self.timestamp(now()))), ("level", .string(level.name)),
                ("message", .string(Self.cut(message))),
            ]
            for (name, value) in details { members.append((name, .string(Self.cut(value)))) }
            line = JSON.object(members).text
        }
        // One call for a line, so that lines of several threads do not mix. Nobody is left to be told of a failure.
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
    }

    private static func plain(_ message: String, _ details: KeyValuePairs<String, String>) -> String {
        var line = TerminalText.safe(cut(message))
        for (name, value) in details { line += " \(name)=\(quoted(cut(value)))" }
        return line
    }

    /// A value without anything that would make two of it, or something else.
    private static func quoted(_ value: String) -> String {
        let isPlain =
            !value.isEmpty
            && value.unicodeScalars.allSatisfy { $0.isASCII && $0 > " " && $0 != "\"" && $0 != "=" && $0.value < 127 }
        return isPlain ? value : JSON.string(value).text
    }

    private static func cut(_ text: String) -> String {
        text.utf8.count > longest ? String(text.prefix(longest)) + "..." : text
    }

    /// `2026-11-30T09:50:02Z`.
    static func timestamp(_ seconds: Int64) -> String {
        var clock = time_t(seconds)
        var parts = tm()
        guard gmtime_r(&clock, &parts) != nil else { return String(seconds) }
        func two(_ value: Int32) -> String { value < 10 ? "0\(value)" : String(value) }
        return "\(Int(parts.tm_year) + 1900)-\(two(parts.tm_mon + 1))-\(two(parts.tm_mday))"
            + "T\(two(parts.tm_hour)):\(two(parts.tm_min)):\(two(parts.tm_sec))Z"
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

extension String {
    fileprivate func padding(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
