public import Sockets

/// An open WebSocket, of either role. It runs on the event loop of its stream.
///
/// Read with ``messages`` or ``receiveBatch()`` from one task, or let a ``WebSocketHandler`` on the loop be called. A
/// reader that does not keep up stops the socket, and so the other end; ``send(_:)`` waits while the other end does
/// not keep up.
///
/// A connection must be closed, by ``close(_:reason:)``, by the other end, or by cancelling its reader. Dropping it does
/// not close it.
public actor WebSocketConnection {
    /// The loop that the connection runs on.
    public nonisolated let loop: EventLoop
    /// Which end this is.
    public nonisolated let role: Role
    /// The subprotocol that both ends agreed on.
    public nonisolated let subprotocol: String?
    /// What was agreed on for permessage-deflate; nil: nothing is compressed.
    public nonisolated let compression: CompressionParameters?
    /// The address of the other end; nil where there is none to tell.
    public nonisolated var peer: SocketAddress? { stream.peer }
    /// How the connection ended; nil while it is open.
    public internal(set) var closeStatus: CloseStatus?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    let stream: any ByteStream
    let options: WebSocketOptions
    var decoder: MessageDecoder
    var encoder: MessageEncoder
    var waiters = Waiters()
    var handler: (any WebSocketHandler)?

    var inbox = MessageQueue()
    var undecoded: [UInt8] = []
    var isPaused = false
    var isPausedByHandler = false
    var hasPeerEnded = false
    /// Found, but the reader has not come back for more since the messages before it.
    var violation: ProtocolViolation?

    var isFull = false
    var owedPong: [UInt8]?

    var keepAlive: KeepAlive?
    var keepAliveTimer: LoopTimer?
    var closeTimer: LoopTimer?
    /// When the message began of which a part has come.
    var messageBegan: ContinuousClock.Instant?
    var messageTimer: LoopTimer?

    var sentClose: CloseStatus?
    var failure: WebSocketError?
    var isStreamClosed = false

    init(stream: any ByteStream, role: Role, agreement: HandshakeAgreement, options: WebSocketOptions) {
        self.stream = stream
        self.role = role
        self.options = options
        loop = stream.loop
        subprotocol = agreement.subprotocol
        compression = agreement.compression
        decoder = MessageDecoder(role: role, limits: options.limits, compression: agreement.compression)
        encoder = MessageEncoder(role: role, compression: agreement.compression, settings: options.compression)
    }

    /// Takes the stream over, behind the handshake.
    func begin(unread: [UInt8]) {
        if let interval = options.pingInterval {
            keepAlive = KeepAlive(interval: interval, timeout: options.pongTimeout, now: loop.now)
            checkKeepAlive()
        }
        stream.start(self, unread: unread)
    }

    // MARK: Reading

    /// All messages, one after another. One task reads at a time.
    public nonisolated var messages: WebSocketMessages { WebSocketMessages(connection: self) }

    /// Waits for at least one message and returns all that are there, in order; empty after a closing handshake.
    ///
    /// - Throws: ``WebSocketError`` when the connection broke; ``WebSocketError/cancelled`` when the task is cancelled,
    ///   which also closes the connection with code 1001.
    public func receiveBatch() async throws(WebSocketError) -> [WebSocketMessage] {
        while true {
            if !inbox.isEmpty {
                let batch = inbox.takeAll()
                readOn()
                return batch
            }
            failForViolation()
            if let failure { throw failure }
            if closeStatus != nil || isStreamClosed { return [] }
            do throws(WebSocketError) {
                try await wait(.reader, within: nil)
            } catch {
                startClosing(.goingAway, reason: "")
                throw error
            }
        }
    }

    /// Gives all messages to a handler from now on, including those that wait. Only on the loop.
    public func deliver(to handler: any WebSocketHandler) {
        self.handler = handler
        loop.execute {
            self.assumeIsolated { connection in
                connection.handOver()
                connection.failForViolation()
                connection.readOn()
                if connection.isStreamClosed { connection.announceClose() }
            }
        }
    }

    /// Stops reading for the handler: the other end is held back. What was read already may still come.
    public func pauseDelivery() {
        isPausedByHandler = true
    }

    /// Reads again after ``pauseDelivery()``.
    public func resumeDelivery() {
        guard isPausedByHandler else { return }
        isPausedByHandler = false
        loop.execute { self.assumeIsolated { $0.readOn() } }
    }

    // MARK: Sending

    /// Sends a message, waiting first while the other end has not taken what was sent before.
    ///
    /// - Throws: ``WebSocketError/messageTooLarge(bytes:limit:)``; ``WebSocketError/closed(_:)`` or what broke the
    ///   connection; ``WebSocketError/timedOut(_:)`` when there was no room in time, after which the connection is
    ///   closed; ``WebSocketError/cancelled``: the message was not sent then, and the connection stays open.
    public func send(_ message: WebSocketMessage) async throws(WebSocketError) {
        try await send(contentsOf: [message])
    }

    /// Sends messages in order, together where there is room. Throws as ``send(_:)``.
    public func send(contentsOf messages: [WebSocketMessage]) async throws(WebSocketError) {
        for message in messages where message.bytes.count > options.largestSentMessage {
            throw .messageTooLarge(bytes: message.bytes.count, limit: options.largestSentMessage)
        }
        var index = 0
        while index < messages.count {
            while isFull, isOpen { try await waitForRoom() }
            guard isOpen else { throw closedError }
            var frames: [UInt8] = []
            repeat {
                encoder.append(messages[index], to: &frames)
                index += 1
            } while index < messages.count && frames.count < Self.writtenAtOnce
            guard write(frames) else { throw closedError }
        }
    }

    /// Sends messages without waiting. For code on the loop; the handler is told when there is room again.
    public func enqueue(_ messages: [WebSocketMessage]) -> EnqueueOutcome {
        guard isOpen else { return .closed }
        guard messages.allSatisfy({ $0.bytes.count <= options.largestSentMessage }) else { return .tooLarge }
        guard !isFull else { return .refused }
        var frames: [UInt8] = []
        for message in messages { encoder.append(message, to: &frames) }
        guard write(frames) else { return .closed }
        return isFull ? .full : .taken
    }

    /// How many bytes wait to be sent. For code on the loop.
    public var pendingBytes: Int { stream.pendingBytes }

    /// Sends a ping of this program's own, with at most 125 bytes. Keep-alive needs none.
    public func ping(_ payload: [UInt8] = []) {
        guard isOpen, !isFull else { return }
        var frame: [UInt8] = []
        encoder.appendPing(payload, to: &frame)
        if stream.write(frame) == .full { isFull = true }
    }

    /// False when the connection is closed, or must be.
    func write(_ frames: [UInt8]) -> Bool {
        switch stream.write(frames) {
        case .taken: return true
        case .full:
            isFull = true
            return true
        case .refused:
            // Writing stops at `full`, so this is not reached; the lost frames would leave a hole in the stream.
            fail(.timedOut(.sending))
            return false
        case .closed: return false
        }
    }

    func waitForRoom() async throws(WebSocketError) {
        do throws(WebSocketError) {
            try await wait(.writer, within: options.sendTimeout)
        } catch {
            if error == .timedOut(.sending) { fail(error) }
            throw error
        }
    }

    // MARK: Closing

    /// Closes in order: sends a close frame, waits for the answer and for the socket to be gone, each within
    /// ``WebSocketOptions/closeTimeout``. Cancelling the task closes at once.
    ///
    /// - Parameters:
    ///   - code: why; one that may not be on the wire is left out.
    ///   - reason: a sentence for the other end, cut to 123 bytes.
    /// - Returns: how the connection ended.
    @discardableResult
    public func close(_ code: CloseCode = .normal, reason: String = "") async -> CloseStatus {
        startClosing(code, reason: reason)
        if !isStreamClosed {
            do throws(WebSocketError) {
                try await wait(.closer, within: nil)
            } catch {
                stream.abort()
            }
        }
        return status
    }

    /// Begins to close, without waiting for the end. For code on the loop.
    public func startClosing(_ code: CloseCode = .normal, reason: String = "") {
        failForViolation()
        guard isOpen else { return }
        sentClose = CloseStatus(code: code.mayBeSent ? code : nil, reason: reason, side: .local, isClean: false)
        writeClose(code, reason: reason)
        // Until the other end's close frame everything is skipped; what waits for the reader stays.
        closeTimer = loop.schedule(after: options.closeTimeout) { [weak self] in
            self?.assumeIsolated { $0.fail(.timedOut(.closing)) }
        }
        waiters.resumeAll(.writer)
        readOn()
    }

    /// Closes at once, without a closing handshake.
    public func abort() {
        stream.abort()
    }

    var isOpen: Bool { sentClose == nil && closeStatus == nil && !isStreamClosed }

    var status: CloseStatus {
        closeStatus ?? sentClose ?? CloseStatus(code: nil, reason: "", side: .local, isClean: false)
    }

    var closedError: WebSocketError { failure ?? .closed(status) }

    func writeClose(_ code: CloseCode?, reason: String) {
        var frame: [UInt8] = []
        encoder.appendClose(code, reason: reason, to: &frame)
        if stream.write(frame) == .refused { stream.abort() }
    }

    /// The other end's close frame: answers it, or ends what this end began.
    func closeFrameCame(_ code: CloseCode?, _ reason: String) {
        if let sentClose {
            closeStatus = CloseStatus(code: sentClose.code, reason: sentClose.reason, side: .local, isClean: true)
        } else {
            closeStatus = CloseStatus(code: code, reason: reason, side: .remote, isClean: true)
            writeClose(code, reason: "")
        }
        endStream()
        wakeAll()
    }

    /// After both close frames the server ends the connection, and the client waits for that (RFC 6455 section 7.1.1).
    func endStream() {
        closeTimer?.cancel()
        switch role {
        case .server:
            stream.close(within: options.closeTimeout)
        case .client:
            let stream = self.stream
            closeTimer = loop.schedule(after: options.closeTimeout) { stream.abort() }
            stream.resumeReading()
        }
    }

    /// Ends the connection because of an error, with a close frame where the other end may still read one.
    func fail(_ error: WebSocketError) {
        guard failure == nil, closeStatus == nil else { return }
        failure = error
        if case .violation(let violation) = error {
            let (code, reason) = (violation.closeCode, violation.description)
            closeStatus = CloseStatus(code: code, reason: reason, side: .local, isClean: false)
            if sentClose == nil { writeClose(code, reason: reason) }
            stream.close(within: options.closeTimeout)
        } else {
            closeStatus = CloseStatus(code: sentClose?.code, reason: error.description, side: .local, isClean: false)
            stream.abort()
        }
        wakeAll()
    }

    func wakeAll() {
        keepAliveTimer?.cancel()
        messageTimer?.cancel()
        waiters.resumeAll(.reader)
        waiters.resumeAll(.writer)
    }

    // MARK: Waiting

    func wait(_ kind: Waiters.Kind, within time: Duration?) async throws(WebSocketError) {
        let id = waiters.newID()
        let timer = time.map { time in
            loop.schedule(after: time) { [weak self] in
                self?.assumeIsolated { _ = $0.waiters.resume(id, .failure(.timedOut(.sending))) }
            }
        }
        defer { timer?.cancel() }
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters.add(id, kind, continuation)
            }
        } onCancel: {
            loop.execute {
                self.assumeIsolated { _ = $0.waiters.resume(id, .failure(.cancelled)) }
            }
        }
        try outcome.get()
    }

    static let writtenAtOnce = 64 << 10
}
