/// Standard input as a stream of lines of which each stands for itself: a line that is wrong is reported with its
/// number, the others are worked on, and the command ends with ``ExitCode/badInput``.
public struct LineStream {
    private let console: Console
    private let limit: Int
    private let what: String
    private let skipsBlankLines: Bool

    /// - Parameters:
    ///   - what: what a line holds, for the person who starts the command on a terminal.
    ///   - limit: the longest line in bytes.
    ///   - skipsBlankLines: whether a line of spaces and tabs alone holds nothing. Where it may hold a text it is taken.
    public init(
        _ call: Invocation,
        of what: String,
        limit: Int = LineReader.defaultLimit,
        skipsBlankLines: Bool = true
    ) {
        console = call.console
        self.what = what
        self.limit = limit
        self.skipsBlankLines = skipsBlankLines
    }

    /// Calls `body` for each line that is not skipped. What it throws with ``ExitCode/badInput`` concerns that line
    /// alone, everything else ends the stream.
    public func forEach(_ body: ([UInt8]) throws -> Void) throws {
        try forEachLine { line in
            guard let bytes = line.bytes else {
                throw CommandFailure(.badInput, "the line is longer than \(limit) bytes")
            }
            try body(bytes)
        }
    }

    /// The same for work that waits for something.
    public func forEachAwaiting(_ body: ([UInt8]) async throws -> Void) async throws {
        invite()
        let output = console.output
        let reader = LineReader(limit: limit) { try output.flush() }
        var failed = false
        while let line = try reader.next() {
            do {
                guard let bytes = line.bytes else {
                    throw CommandFailure(.badInput, "the line is longer than \(limit) bytes")
                }
                if isSkipped(bytes) { continue }
                try await body(bytes)
            } catch let failure as any ExitCoded where failure.exitCode == .badInput {
                failed = true
                report(failure, line)
            }
        }
        if failed { throw CommandFailure.reported(.badInput) }
    }

    /// The same for a command that has an answer for lines that are too long, too.
    public func forEachLine(_ body: (LineReader.Line) throws -> Void) throws {
        invite()
        let output = console.output
        let reader = LineReader(limit: limit) { try output.flush() }
        var failed = false
        while let line = try reader.next() {
            if let bytes = line.bytes, isSkipped(bytes) { continue }
            do {
                try body(line)
            } catch let failure as any ExitCoded where failure.exitCode == .badInput {
                failed = true
                report(failure, line)
            }
        }
        if failed { throw CommandFailure.reported(.badInput) }
    }

    private func isSkipped(_ bytes: [UInt8]) -> Bool {
        skipsBlankLines && bytes.allSatisfy { $0 == 0x20 || $0 == 0x09 }
    }

    /// All of standard input as one text, without the line feed at its end unless `exact`.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitCode/badInput`` when it is too long or not UTF-8.
    public func text(exact: Bool = false) throws -> String {
        invite()
        let output = console.output
        guard let bytes = try LineReader(limit: limit, beforeWaiting: { try output.flush() }).all() else {
            throw CommandFailure(.badInput, "standard input is longer than \(limit) bytes")
        }
        let end = !exact && bytes.last == 0x0A ? bytes.dropLast() : bytes[...]
        guard let text = String(validating: end, as: UTF8.self) else {
            throw CommandFailure(.badInput, "standard input is not UTF-8 text")
        }
        return text
    }

    private func report(_ failure: any ExitCoded, _ line: LineReader.Line) {
        if !failure.description.isEmpty { console.fail("line \(line.number): \(failure.sentence)") }
    }

    private func invite() {
        if Console.canAsk, console.showsProgress { console.say("Reading \(what) from the terminal; Ctrl-D ends.") }
    }
}
