internal import Locking

/// One line on a terminal that says how far long work has come: count, rate, remaining time. Without a terminal, and
/// with `--quiet`, it shows nothing.
public final class Progress: Sendable {
    private struct Shown {
        var time: Int64
        var isVisible = false
    }

    private let console: Console
    private let label: String
    private let total: Int?
    private let started = Platform.milliseconds()
    private let shown: Locked<Shown>

    /// - Parameters:
    ///   - label: what is counted, like "hashes".
    ///   - total: how many there will be, or are expected; nil when unknown.
    public init(_ console: Console, _ label: String, total: Int? = nil) {
        self.console = console
        self.label = label
        self.total = total
        shown = Locked(Shown(time: started))
    }

    /// Shows the count, ten times a second at most; from any thread.
    public func update(_ count: Int) {
        guard console.showsProgress else { return }
        shown.withLock { shown in
            let now = Platform.milliseconds()
            guard now - shown.time >= 100 else { return }
            shown.time = now
            shown.isVisible = true
            let line = Self.line(label, count: count, total: total, milliseconds: now - started)
            console.error(raw: "\r\u{1B}[K" + TerminalText.safe(line, width: Platform.columns(2) - 1))
        }
    }

    /// Takes the line away.
    public func finish() {
        shown.withLock { shown in
            if shown.isVisible { console.error(raw: "\r\u{1B}[K") }
            shown.isVisible = false
        }
    }

    static func line(_ label: String, count: Int, total: Int?, milliseconds: Int64) -> String {
        let rate = Double(count) * 1000 / Double(max(1, milliseconds))
        var line = short(Double(count))
        if let total { line += " of " + short(Double(total)) }
        line += " " + label + ", " + short(rate) + "/s"
        if let total, rate > 0, count < total { line += ", " + time(Double(total - count) / rate) + " left" }
        return line
    }

    private static func short(_ value: Double) -> String {
        for (unit, size) in [("P", 1e15), ("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)] where value >= size * 10 {
            return String(Int64(clamping: value / size)) + unit
        }
        return String(Int64(clamping: value))
    }

    private static func time(_ seconds: Double) -> String {
        let seconds = Int64(clamping: seconds.rounded(.up))
        if seconds < 120 { return "\(seconds) s" }
        if seconds < 7200 { return "\(seconds / 60) min" }
        if seconds < 1_000_000 { return "\(seconds / 3600) h" }
        return "\(seconds / 86_400) days"
    }
}

extension Int64 {
    fileprivate init(clamping value: Double) {
        self = Int64(exactly: value.rounded(.down)) ?? (value > 0 ? .max : 0)
    }
}
