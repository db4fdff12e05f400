/// Reads a descriptor line by line with a bound on the length of a line, so that input without an end or without line
/// feeds takes a bounded amount of memory.
public final class LineReader {
    /// One line without its line feed (and without a carriage return before that).
    public struct Line {
        /// Counted from 1.
        public let number: Int
        /// The bytes, or nil when the line is longer than the limit; its bytes have been skipped.
        public let bytes: [UInt8]?
    }

    /// 16 MiB.
    public static let defaultLimit = 16 * 1024 * 1024

    private let descriptor: Int32
    private let limit: Int
    private let beforeWaiting: () throws -> Void
    private var chunk = [UInt8](repeating: 0, count: 64 * 1024)
    private var position = 0
    private var end = 0
    private var number = 0
    private var isFinished = false

    /// - Parameters:
    ///   - descriptor: 0 is standard input.
    ///   - limit: the longest line in bytes.
    ///   - beforeWaiting: called before each read; the place to flush the output.
    public init(
        descriptor: Int32 = 0,
        limit: Int = LineReader.defaultLimit,
        beforeWaiting: @escaping () throws -> Void = {}
    ) {
        self.descriptor = descriptor
        self.limit = limit
        self.beforeWaiting = beforeWaiting
    }

    /// Whether the next line is here already, so that nobody has to be waited for.
    public var hasLine: Bool { lineFeed() != nil }

    /// The next line, or nil at the end. A last line without a line feed is a line too.
    ///
    /// - Throws: ``CommandFailure`` with ``ExitCode/localIO`` when reading fails, and what `beforeWaiting` throws.
    public func next() throws -> Line? {
        var line: [UInt8] = []
        var isTooLong = false
        var isEmpty = true
        while true {
            if position == end {
                guard try fill() else {
                    if isEmpty { return nil }
                    break
                }
            }
            isEmpty = false
            let stop = lineFeed()
            let piece = chunk[position..<(stop ?? end)]
            position = stop.map { $0 + 1 } ?? end
            if line.count + piece.count > limit {
                isTooLong = true
                line = []
            }
            if !isTooLong { line.append(contentsOf: piece) }
            if stop != nil { break }
        }
        number += 1
        if line.last == 0x0D { line.removeLast() }
        return Line(number: number, bytes: isTooLong ? nil : line)
    }

    /// Everything up to the end, or nil when it is more than the limit.
    public func all() throws -> [UInt8]? {
        var bytes = Array(chunk[position..<end])
        position = end
        while try fill() {
            bytes.append(contentsOf: chunk[..<end])
            position = end
            if bytes.count > limit { return nil }
        }
        return bytes
    }

    /// Where the next line feed of the chunk is.
    private func lineFeed() -> Int? {
        chunk[position..<end].withUnsafeBytes { Platform.firstIndex(of: 0x0A, in: $0) }.map { position + $0 }
    }

    private func fill() throws -> Bool {
        if isFinished { return false }
        try beforeWaiting()
        let count = chunk.withUnsafeMutableBytes { Platform.read(descriptor, into: $0) }
        guard count >= 0 else {
            throw CommandFailure(.localIO, "the input cannot be read: \(Platform.message(for: Int32(-count)))")
        }
        position = 0
        end = count
        isFinished = count == 0
        return count > 0
    }
}
