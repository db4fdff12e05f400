/// A stream for callers that are not on its loop: async reads and writes with deadlines.
///
/// Every method may be called from any task. A deadline that passes, or the cancellation of the task, closes the stream:
/// after either nobody could tell how much of a message was read or sent. One task reads and one task writes at a time.
/// The stream is read only as far as the reader keeps up.
///
/// End it with ``close(within:)``, ``abort()`` or ``release(unread:)``. One that nobody holds any more is closed at once, and what
/// is pending is lost.
public actor Connection {
    private let stream: any ByteStream
    private let loop: EventLoop
    private let readAhead: Int
    private var buffer = ByteQueue()
    private var hasEnded = false
    private var closeReason: CloseReason?
    private var reader: Once<Void>?
    private var writer: Once<Void>?
    private var closer: [Once<Void>] = []
    private var isReleased = false

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// The address of the other side.
    public nonisolated var peer: SocketAddress? { stream.peer }

    /// Takes a stream over and begins to read it.
    ///
    /// - Parameters:
    ///   - stream: a stream that nobody else uses.
    ///   - unread: bytes that were read from it too far.
    ///   - readAhead: how many bytes are kept for the reader before the peer is held back.
    public init(_ stream: any ByteStream, unread: [UInt8] = [], readAhead: Int = 64 * 1024) async {
        self.stream = stream
        self.readAhead = max(1, readAhead)
        loop = stream.loop
        begin(unread)
    }

    private func begin(_ unread: [UInt8]) {
        stream.start(Messenger(self), unread: unread)
    }

    deinit {
        guard !isReleased, closeReason == nil else { return }
        loop.execute { [stream] in stream.abort() }
    }

    /// Reads what is there, waiting for at least one byte.
    ///
    /// - Parameters:
    ///   - limit: how many bytes at most.
    ///   - time: how long to wait.
    /// - Returns: the bytes; nil when the peer has finished.
    /// - Throws: ``SocketsError/timedOut(_:)`` and ``SocketsError/cancelled``, after which the connection is closed, or
    ///   why it broke.
    public func read(upTo limit: Int = 64 * 1024, within time: Duration) async throws(SocketsError) -> [UInt8]? {
        if buffer.isEmpty, !hasEnded, closeReason == nil {
            precondition(reader == nil, "two tasks read one connection")
            let once = Once<Void>()
            reader = once
            defer { reader = nil }
            try await wait(once, .read, time)
        }
        if !buffer.isEmpty {
            let bytes = buffer.take(max(1, limit))
            if buffer.count < readAhead { stream.resumeReading() }
            return bytes
        }
        if hasEnded { return nil }
        throw closedError
    }

    /// Reads exactly so many bytes.
    ///
    /// - Throws: as ``read(upTo:within:)``, and ``SocketsError/endedEarly`` when the peer finishes before.
    public func read(exactly count: Int, within time: Duration) async throws(SocketsError) -> [UInt8] {
        try await read(exactly: count, until: loop.now.advanced(by: time))
    }

    func read(exactly count: Int, until deadline: ContinuousClock.Instant) async throws(SocketsError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let left = deadline - loop.now
            guard let more = try await read(upTo: count - bytes.count, within: left) else { throw .endedEarly }
            bytes.append(contentsOf: more)
        }
        return bytes
    }

    /// Sends bytes, waiting while the peer does not take what was sent before.
    ///
    /// - Throws: ``SocketsError/timedOut(_:)`` and ``SocketsError/cancelled``, after which the connection is closed, or
    ///   why it broke.
    public func write(_ bytes: [UInt8], within time: Duration) async throws(SocketsError) {
        switch stream.write(bytes) {
        case .taken: return
        case .closed: throw closedError
        case .refused: throw .writeBufferFull
        case .full:
            precondition(writer == nil, "two tasks write one connection")
            let once = Once<Void>()
            writer = once
            defer { writer = nil }
            try await wait(once, .write, time)
            if closeReason != nil { throw closedError }
        }
    }

    func write(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) async throws(SocketsError) {
        try await write(bytes, within: deadline - loop.now)
    }

    /// Tells the peer that no more will come. Reading goes on.
    public func finishWriting() {
        stream.finishWriting()
    }

    /// Closes in order; returns when the stream is closed, at the latest when the time is up.
    public func close(within time: Duration = .seconds(5)) async {
        guard closeReason == nil else { return }
        let once = Once<Void>()
        closer.append(once)
        stream.close(within: time)
        let stream = self.stream
        try? await once.wait { stream.loop.execute { stream.abort() } }
    }

    /// Closes at once; what is pending is lost.
    public func abort() {
        stream.abort()
    }

    /// Lets go of the stream, for another handler to start: it waits, not reading, and what was read but not asked for
    /// comes first. The connection is of no use afterwards. A stream that is released and then dropped is closed.
    ///
    /// - Parameter unread: bytes that were read and are given back; they come first.
    public func release(unread: [UInt8] = []) -> any ByteStream {
        isReleased = true
        stream.start(Nobody(), unread: unread + buffer.take(.max))
        stream.pauseReading()
        return stream
    }

    private var closedError: SocketsError {
        if case .failed(let error) = closeReason { error } else { .closed }
    }

    private func wait(_ once: Once<Void>, _ what: SocketsError.Wait, _ time: Duration) async throws(SocketsError) {
        let stream = self.stream
        let timer = loop.schedule(after: time) {
            if once.resolve(.failure(.timedOut(what))) { stream.abort() }
        }
        defer { timer.cancel() }
        try await once.wait { stream.loop.execute { stream.abort() } }
    }

    // MARK: What happens on the stream

    fileprivate func take(_ bytes: inout MutableRawSpan) {
        bytes.withUnsafeBytes { buffer.append($0) }
        if buffer.count >= readAhead { stream.pauseReading() }
    }

    fileprivate func wakeReader() {
        reader?.resolve(.success(()))
    }

    fileprivate func wakeWriter() {
        writer?.resolve(.success(()))
    }

    fileprivate func peerEnded() {
        hasEnded = true
        wakeReader()
    }

    fileprivate func streamClosed(_ reason: CloseReason) {
        closeReason = reason
        wakeReader()
        wakeWriter()
        for once in closer { once.resolve(.success(())) }
        closer = []
    }
}

/// Tells a connection what happens on its stream, without holding it.
private final class Messenger: ByteStreamHandler {
    private weak let connection: Connection?

    init(_ connection: Connection) {
        self.connection = connection
    }

    func received(_ bytes: inout MutableRawSpan) {
        connection?.assumeIsolated { $0.take(&bytes) }
    }

    func drained() {
        connection?.assumeIsolated { $0.wakeReader() }
    }

    func writable() {
        connection?.assumeIsolated { $0.wakeWriter() }
    }

    func ended() {
        connection?.assumeIsolated { $0.peerEnded() }
    }

    func closed(_ reason: CloseReason) {
        connection?.assumeIsolated { $0.streamClosed(reason) }
    }
}

/// Holds the place of a handler while a stream is handed over.
final class Nobody: ByteStreamHandler {
    func received(_ bytes: inout MutableRawSpan) {}
    func ended() {}
    func closed(_ reason: CloseReason) {}
}
