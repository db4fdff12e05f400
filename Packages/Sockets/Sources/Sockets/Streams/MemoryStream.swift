/// One end of a pair of streams that are joined in memory: the twin of a socket for tests, with the same rules about
/// callbacks, back-pressure, half closes and closing. On one loop everything happens in the same order in every run.
///
/// `@unchecked Sendable`: as ``SocketStream``: state is touched on the loop's thread alone, which every entry point checks.
public final class MemoryStream: ByteStream, @unchecked Sendable {
    /// As ``ByteStream/loop``.
    public let loop: EventLoop
    /// As ``ByteStream/peer``.
    public let peer: SocketAddress? = nil
    /// As ``ByteStream/applicationProtocol``.
    public let applicationProtocol: String?

    private weak var other: MemoryStream?
    private let chunk: Int
    private var handler: (any ByteStreamHandler)?
    private var incoming = ByteQueue()
    private let capacity: Int
    private var outgoing = ByteQueue()
    private var gate: WriteGate
    private var isPaused = false
    private var isFinishing = false
    private var peerHasFinished = false
    private var hasEnded = false
    private var isClosing = false
    private var closeReason: CloseReason?
    private var closeTimer: LoopTimer?
    private var isTurning = false
    private var keptAlive: MemoryStream?

    /// Two ends of one connection.
    ///
    /// - Parameters:
    ///   - loop: the loop of both ends.
    ///   - chunk: how many bytes are given to a handler at a time at most: 1 splits everything everywhere.
    ///   - capacity: how many bytes the connection holds for a side that does not read.
    ///   - highWaterMark: as ``Connector/highWaterMark``.
    ///   - applicationProtocol: what both ends answer as their ALPN protocol.
    public static func pair(
        on loop: EventLoop,
        chunk: Int = 64 * 1024,
        capacity: Int = 64 * 1024,
        highWaterMark: Int = Connector.defaultHighWaterMark,
        applicationProtocol: String? = nil
    ) -> (MemoryStream, MemoryStream) {
        let ends = (0..<2).map { _ in
            MemoryStream(loop, max(1, chunk), max(1, capacity), highWaterMark, applicationProtocol)
        }
        ends[0].other = ends[1]
        ends[1].other = ends[0]
        return (ends[0], ends[1])
    }

    private init(_ loop: EventLoop, _ chunk: Int, _ capacity: Int, _ highWaterMark: Int, _ protocolName: String?) {
        self.loop = loop
        self.chunk = chunk
        self.capacity = capacity
        applicationProtocol = protocolName
        gate = WriteGate(highWaterMark: highWaterMark)
    }

    deinit {
        // A socket that is dropped is closed; its peer sees a reset.
        guard closeReason == nil, let other else { return }
        other.loop.execute { other.finalize(.failed(.connectionReset)) }
    }

    /// As ``ByteStream/pendingBytes``.
    public var pendingBytes: Int {
        loop.assertInside()
        return outgoing.count
    }

    /// As ``ByteStream/start(_:unread:)``.
    public func start(_ handler: any ByteStreamHandler, unread: [UInt8]) {
        loop.assertInside()
        self.handler = handler
        if let closeReason {
            announceClose(closeReason)
            return
        }
        isPaused = false
        incoming.prepend(unread)
        // As a loop holds a started socket: until it is closed.
        keptAlive = self
        if hasEnded { loop.runSoon { handler.ended() } }
        turnSoon()
    }

    /// As ``ByteStream/write(_:)``.
    public func write(_ bytes: RawSpan) -> WriteOutcome {
        loop.assertInside()
        guard closeReason == nil, !isFinishing else { return .closed }
        guard gate.admits(pending: outgoing.count) else { return .refused }
        bytes.withUnsafeBytes { outgoing.append($0) }
        turnSoon()
        return gate.outcome(pending: outgoing.count)
    }

    /// As ``ByteStream/pauseReading()``.
    public func pauseReading() {
        loop.assertInside()
        isPaused = true
    }

    /// As ``ByteStream/resumeReading()``.
    public func resumeReading() {
        loop.assertInside()
        isPaused = false
        turnSoon()
    }

    /// As ``ByteStream/finishWriting()``.
    public func finishWriting() {
        loop.assertInside()
        guard closeReason == nil else { return }
        isFinishing = true
        turnSoon()
    }

    /// As ``ByteStream/close(within:)``.
    public func close(within time: Duration) {
        loop.assertInside()
        guard closeReason == nil, !isClosing else { return }
        isClosing = true
        isFinishing = true
        incoming.removeAll()
        closeTimer = loop.schedule(after: time) { [weak self] in self?.finalize(.failed(.timedOut(.close))) }
        turnSoon()
    }

    /// As ``ByteStream/abort()``.
    public func abort() {
        loop.assertInside()
        finalize(.aborted)
    }

    private func turnSoon() {
        guard !isTurning else { return }
        isTurning = true
        loop.runSoon { [self] in
            isTurning = false
            turn()
        }
    }

    /// Gives one chunk to the handler, and moves what was written as far as the peer has room.
    private func turn() {
        guard closeReason == nil else { return }
        push()
        if isClosing {
            incoming.removeAll()
        } else if let handler, !isPaused, !incoming.isEmpty {
            var bytes = incoming.take(chunk)
            bytes.withUnsafeMutableBytes { buffer in
                var span = buffer.mutableBytes
                handler.received(&span)
            }
            handler.drained()
        }
        other?.turnSoonIfWaiting()
        if peerHasFinished, incoming.isEmpty, !hasEnded, isClosing || handler != nil {
            hasEnded = true
            if !isClosing { handler?.ended() }
        }
        if isClosing, hasEnded, outgoing.isEmpty {
            finalize(.finished)
        } else if !isPaused, handler != nil, !incoming.isEmpty {
            turnSoon()
        }
    }

    private func turnSoonIfWaiting() {
        if !outgoing.isEmpty { turnSoon() }
    }

    private func push() {
        guard let other, other.closeReason == nil else {
            if !outgoing.isEmpty { finalize(.failed(.connectionReset)) }
            return
        }
        let room = other.capacity - other.incoming.count
        if room > 0, !outgoing.isEmpty {
            let bytes = outgoing.take(room)
            bytes.withUnsafeBytes { other.incoming.append($0) }
            other.turnSoon()
        }
        if outgoing.isEmpty, isFinishing, !other.peerHasFinished {
            other.peerHasFinished = true
            other.turnSoon()
        }
        if gate.opens(pending: outgoing.count), !isFinishing { loop.runSoon { [self] in handler?.writable() } }
    }

    private func finalize(_ reason: CloseReason) {
        guard closeReason == nil else { return }
        closeReason = reason
        closeTimer?.cancel()
        closeTimer = nil
        outgoing.removeAll()
        incoming.removeAll()
        if reason != .finished, let other { other.finalize(.failed(.connectionReset)) }
        if reason == .finished, let other, !other.peerHasFinished {
            // Closed from within `ended()`: the other end has not been told yet.
            other.peerHasFinished = true
            other.turnSoon()
        }
        announceClose(reason)
        keptAlive = nil
    }

    private func announceClose(_ reason: CloseReason) {
        loop.runSoon { [self] in
            let last = handler
            handler = nil
            last?.closed(reason)
        }
    }
}
