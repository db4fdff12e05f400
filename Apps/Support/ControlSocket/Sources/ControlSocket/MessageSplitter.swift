/// Cuts a stream of bytes into messages, one a line. A line has a bound, and what is empty is no message.
public struct MessageSplitter: Sendable {
    /// A line is longer than allowed; where the next one begins is not looked for.
    public struct LineTooLong: Error, Equatable, Sendable {}

    private let limit: Int
    private var buffer: [UInt8] = []
    /// Where the first line that was not given yet begins.
    private var start = 0
    /// Up to here there is no line feed.
    private var searched = 0

    /// - Parameter limit: How many bytes a line may have, its line feed not counted.
    public init(limit: Int) {
        self.limit = limit
    }

    /// Adds what has come.
    public mutating func append(_ bytes: [UInt8]) {
        if start > 0 {
            buffer.removeFirst(start)
            searched -= start
            start = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next whole line that is not empty; nil until there is one.
    /// - Throws: ``LineTooLong``.
    public mutating func next() throws(LineTooLong) -> [UInt8]? {
        while let end = buffer[searched...].firstIndex(of: 0x0A) {
            let line = buffer[start..<end]
            start = end + 1
            searched = start
            guard line.count <= limit else { throw LineTooLong() }
            let content = line.last == 0x0D ? line.dropLast() : line
            if !content.isEmpty { return Array(content) }
        }
        searched = buffer.count
        guard buffer.count - start <= limit else { throw LineTooLong() }
        return nil
    }
}
