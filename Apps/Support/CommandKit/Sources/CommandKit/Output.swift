internal import Locking

/// Buffered standard output: data and nothing else.
///
/// It is flushed when the buffer is full, at the end, and before the process waits for more input, so that a program
/// on the other side of two pipes gets its answer.
public final class Output: Sendable {
    private let descriptor: Int32
    private let buffer = Locked<[UInt8]>([])
    private static let capacity = 64 * 1024

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether a person is looking.
    public var isTerminal: Bool { Platform.isTerminal(descriptor) }

    /// Appends bytes.
    ///
    /// - Throws: ``OutputError`` when the buffer had to be written and could not.
    public func write(_ bytes: some Sequence<UInt8>) throws(OutputError) {
        let full = buffer.withLock { buffer in
            buffer.append(contentsOf: bytes)
            return buffer.count >= Self.capacity
        }
        if full { try flush() }
    }

    /// Appends a text.
    public func write(_ text: String) throws(OutputError) { try write(text.utf8) }

    /// Appends a text and a line feed.
    public func line(_ text: String) throws(OutputError) {
        let full = buffer.withLock { buffer in
            buffer.append(contentsOf: text.utf8)
            buffer.append(0x0A)
            return buffer.count >= Self.capacity
        }
        if full { try flush() }
    }

    /// Appends a JSON value as one line.
    public func line(_ json: JSON) throws(OutputError) { try line(json.text) }

    /// Appends finished JSON text as one line, with what a terminal would act upon as `\u` escapes.
    public func line(json bytes: [UInt8]) throws(OutputError) {
        try write(TerminalText.escaped(json: bytes) + [0x0A])
    }

    /// Writes what is buffered.
    public func flush() throws(OutputError) {
        let failure = buffer.withLock { Self.drain(&$0, to: descriptor) }
        try check(failure)
    }

    /// Writes what is buffered unless another thread is in the middle of that; for the end after an interruption.
    func flushIfIdle() {
        _ = buffer.withLockIfAvailable { Self.drain(&$0, to: descriptor) }
    }

    private static func drain(_ buffer: inout [UInt8], to descriptor: Int32) -> Int32? {
        defer { buffer.removeAll(keepingCapacity: true) }
        return buffer.withUnsafeBytes { Platform.write(descriptor, $0) }
    }

    private func check(_ failure: Int32?) throws(OutputError) {
        guard let failure else { return }
        if failure == Platform.brokenPipe { throw .closed }
        throw .failed(reason: Platform.message(for: failure))
    }
}

/// Why standard output takes no more.
public enum OutputError: Error, Equatable, Sendable {
    /// The reader has gone, which is no failure: `| head -1` ends quietly.
    case closed
    /// A full disk, for instance.
    case failed(reason: String)
}

extension OutputError: ExitCoded {
    public var exitCode: ExitCode {
        switch self {
        case .closed: .done
        case .failed: .localIO
        }
    }

    public var description: String {
        switch self {
        case .closed: "the reader of standard output has closed it"
        case .failed(let reason): "standard output cannot be written: \(TerminalText.safe(reason))"
        }
    }
}
