#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A connected TCP or Unix socket on an ``EventLoop``. Made by ``Connector`` and ``Listener``.
///
/// `@unchecked Sendable`: `loop`, `peer` and `peerUser` never change; all other state is touched on the loop's thread alone,
/// which every entry point checks.
public final class SocketStream: ByteStream, Pollable, Flushable, @unchecked Sendable {
    /// As ``ByteStream/loop``.
    public let loop: EventLoop
    /// As ``ByteStream/peer``.
    public let peer: SocketAddress?
    /// The user id at the other end of a Unix socket; nil for TCP.
    public let peerUser: UInt32?
    /// As ``ByteStream/applicationProtocol``.
    public var applicationProtocol: String? { nil }

    private var descriptor: Int32
    private var handler: (any ByteStreamHandler)?
    private var unread = ByteQueue()
    private var outgoing = ByteQueue()
    private var gate: WriteGate
    private var isPaused = false
    private var isBlocked = false
    private var isFlushing = false
    private var isFinishing = false
    private var hasFinished = false
    private var hasEnded = false
    private var isClosing = false
    private var closeReason: CloseReason?
    private var closeTimer: LoopTimer?
    private var discarded = 0

    /// More than this is sent at once instead of being copied first.
    private static let directWrite = 16 * 1024
    /// How often one stream may fill the loop's buffer before the others get their turn.
    private static let readsPerTurn = 4
    /// How much a peer may still send to a stream that is closing before it is cut off.
    private static let discardLimit = 16 * 1024 * 1024

    init(descriptor: Int32, peer: SocketAddress?, loop: EventLoop, highWaterMark: Int) {
        self.descriptor = descriptor
        self.peer = peer
        self.loop = loop
        gate = WriteGate(highWaterMark: highWaterMark)
        if case .unix = peer { peerUser = SystemCall.peerUser(descriptor) } else { peerUser = nil }
    }

    deinit {
        if descriptor >= 0 { SystemCall.closeDescriptor(descriptor) }
    }

    // MARK: ByteStream

    /// As ``ByteStream/pendingBytes``.
    public var pendingBytes: Int {
        loop.assertInside()
        return outgoing.count
    }

    /// As ``ByteStream/start(_:unread:)``.
    public func start(_ handler: any ByteStreamHandler, unread earlier: [UInt8]) {
        loop.assertInside()
        self.handler = handler
        if let closeReason {
            announceClose(closeReason)
            return
        }
        isPaused = false
        unread.prepend(earlier)
        if !unread.isEmpty { deliverUnreadSoon() }
        if hasEnded { loop.runSoon { handler.ended() } }
        updateInterest()
    }

    /// As ``ByteStream/write(_:)``.
    public func write(_ bytes: RawSpan) -> WriteOutcome {
        loop.assertInside()
        guard closeReason == nil, !isFinishing else { return .closed }
        guard gate.admits(pending: outgoing.count) else { return .refused }
        bytes.withUnsafeBytes { bytes in
            if bytes.count >= Self.directWrite, !isBlocked {
                send(bytes)
            } else {
                outgoing.append(bytes)
                if outgoing.count >= 4 * Self.directWrite, !isBlocked {
                    send(UnsafeRawBufferPointer(start: nil, count: 0))
                }
            }
        }
        flushLater()
        return gate.outcome(pending: outgoing.count)
    }

    /// As ``ByteStream/pauseReading()``.
    public func pauseReading() {
        loop.assertInside()
        isPaused = true
        updateInterest()
    }

    /// As ``ByteStream/resumeReading()``.
    public func resumeReading() {
        loop.assertInside()
        guard isPaused else { return }
        isPaused = false
        updateInterest()
        if !unread.isEmpty { deliverUnreadSoon() }
    }

    /// As ``ByteStream/finishWriting()``.
    public func finishWriting() {
        loop.assertInside()
        guard closeReason == nil, !isFinishing else { return }
        isFinishing = true
        flushLater()
    }

    /// As ``ByteStream/close(within:)``.
    public func close(within time: Duration) {
        loop.assertInside()
        guard closeReason == nil, !isClosing else { return }
        isClosing = true
        isFinishing = true
        unread.removeAll()
        closeTimer = loop.schedule(after: time) { [weak self] in self?.finalize(.failed(.timedOut(.close))) }
        updateInterest()
        flushLater()
    }

    /// As ``ByteStream/abort()``.
    public func abort() {
        loop.assertInside()
        finalize(.aborted)
    }

    // MARK: On the loop

    func ready(_ readiness: Readiness) {
        if isBlocked, !readiness.isDisjoint(with: [.writable, .broken]) {
            isBlocked = false
            flush()
        }
        if wantsToRead, !readiness.isDisjoint(with: [.readable, .broken]) { read() }
        updateInterest()
    }

    /// Sends what is pending; the loop calls it at the end of a turn in which something was written.
    func flush() {
        isFlushing = false
        guard closeReason == nil else { return }
        if !isBlocked, !outgoing.isEmpty { send(UnsafeRawBufferPointer(start: nil, count: 0)) }
        guard closeReason == nil else { return }
        if outgoing.isEmpty, isFinishing, !hasFinished {
            hasFinished = true
            SystemCall.shutdownWriting(descriptor)
        }
        if isClosing, hasFinished, hasEnded { finalize(.finished) }
        if gate.opens(pending: outgoing.count), !isFinishing { loop.runSoon { [self] in handler?.writable() } }
        updateInterest()
    }

    private func flushLater() {
        guard !isFlushing else { return }
        isFlushing = true
        loop.flushLater(self)
    }

    private var wantsToRead: Bool {
        closeReason == nil && !hasEnded && (isClosing || (handler != nil && !isPaused && unread.isEmpty))
    }

    private func updateInterest() {
        guard closeReason == nil else { return }
        var interest: Readiness = []
        if wantsToRead { interest.insert(.readable) }
        if isBlocked { interest.insert(.writable) }
        let code = loop.watch(descriptor, for: interest, self)
        if code != 0 { finalize(.failed(.system(call: "epoll_ctl", code: code))) }
    }

    /// Sends what is pending and then more bytes, and keeps what the system does not take.
    private func send(_ more: UnsafeRawBufferPointer) {
        var sentOfMore = 0
        while !outgoing.isEmpty || sentOfMore < more.count {
            let rest = UnsafeRawBufferPointer(rebasing: more[sentOfMore...])
            let sent = outgoing.withBytes { SystemCall.send(descriptor, $0, rest) }
            guard sent >= 0 else {
                let code = errno
                if code == EINTR { continue }
                if SystemCall.wouldBlock(code) {
                    isBlocked = true
                    break
                }
                finalize(.failed(SystemCall.error("sendmsg", code, at: peer?.description ?? "the peer")))
                return
            }
            let fromPending = min(sent, outgoing.count)
            outgoing.drop(fromPending)
            sentOfMore += sent - fromPending
        }
        if sentOfMore < more.count { outgoing.append(UnsafeRawBufferPointer(rebasing: more[sentOfMore...])) }
    }

    private func read() {
        var gaveBytes = false
        for _ in 0..<Self.readsPerTurn {
            guard wantsToRead else { break }
            let count = SystemCall.receive(descriptor, loop.scratch)
            if count > 0 {
                if isClosing {
                    discarded += count
                    if discarded > Self.discardLimit { finalize(.aborted) }
                } else {
                    gaveBytes = true
                    give(UnsafeMutableRawBufferPointer(rebasing: loop.scratch[..<count]))
                }
                if count < loop.scratch.count { break }
            } else if count == 0 {
                hasEnded = true
                if isClosing { flushLater() } else { handler?.ended() }
            } else {
                let code = errno
                if code == EINTR { continue }
                if !SystemCall.wouldBlock(code) {
                    finalize(.failed(SystemCall.error("recv", code, at: peer?.description ?? "the peer")))
                }
                break
            }
        }
        if gaveBytes { handler?.drained() }
    }

    private func give(_ bytes: UnsafeMutableRawBufferPointer) {
        var span = bytes.mutableBytes
        handler?.received(&span)
    }

    private func deliverUnreadSoon() {
        loop.runSoon { [self] in
            guard closeReason == nil, !isClosing, !isPaused, !unread.isEmpty else { return }
            var bytes = unread.take(.max)
            bytes.withUnsafeMutableBytes { give($0) }
            handler?.drained()
            updateInterest()
        }
    }

    private func finalize(_ reason: CloseReason) {
        guard closeReason == nil else { return }
        closeReason = reason
        closeTimer?.cancel()
        closeTimer = nil
        _ = loop.watch(descriptor, for: [], self)
        SystemCall.closeDescriptor(descriptor)
        descriptor = -1
        outgoing.removeAll()
        unread.removeAll()
        announceClose(reason)
    }

    private func announceClose(_ reason: CloseReason) {
        loop.runSoon { [self] in
            let last = handler
            handler = nil
            last?.closed(reason)
        }
    }
}
