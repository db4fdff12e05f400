public import Sockets

// What the loop calls: bytes that come, room to write, the end, and time that passes.

extension WebSocketConnection {
    func take(_ bytes: RawSpan) {
        keepAlive?.heard(at: loop.now)
        guard closeStatus == nil, violation == nil else { return }
        var offset = 0
        if !isPaused { decode(bytes, &offset) }
        watchMessage()
        guard offset < bytes.byteCount, closeStatus == nil else { return }
        unsafe bytes.extracting(offset..<bytes.byteCount).withUnsafeBytes { rest in
            unsafe undecoded.append(contentsOf: rest)
        }
    }

    /// Decodes until the bytes are used up or the reader has enough.
    func decode(_ bytes: RawSpan, _ offset: inout Int) {
        do throws(ProtocolViolation) {
            var frames = 0
            while closeStatus == nil {
                guard wantsMore else {
                    pause()
                    return
                }
                frames += 1
                if frames > options.framesPerTurn, offset < bytes.byteCount {
                    pause()
                    loop.execute { self.assumeIsolated { $0.readOn() } }
                    return
                }
                guard let event = try decoder.next(in: bytes, at: &offset) else { return }
                handle(event)
            }
        } catch {
            breakOff(error)
        }
    }

    /// Ends the connection for a violation, but not before what came ahead of it could be answered: a handler is given it
    /// now, a reader that is under way has as long as a closing handshake.
    func breakOff(_ violation: ProtocolViolation) {
        self.violation = violation
        if handler != nil { handOver() }
        guard handler == nil, !inbox.isEmpty || !waiters.contains(.reader), sentClose == nil else {
            return failForViolation()
        }
        pause()
        closeTimer = loop.schedule(after: options.closeTimeout) { [weak self] in
            self?.assumeIsolated { $0.failForViolation() }
        }
    }

    func failForViolation() {
        guard let violation else { return }
        self.violation = nil
        closeTimer?.cancel()
        fail(.violation(violation))
    }

    func handle(_ event: MessageDecoder.Event) {
        switch event {
        case .message(let message):
            messageBegan = nil
            guard sentClose == nil else { return }
            inbox.append(message)
            if handler != nil, inbox.cost >= options.receiveBufferBytes { handOver() }
        case .ping(let payload):
            guard sentClose == nil else { return }
            pong(payload)
        case .pong:
            return
        case .close(let code, let reason):
            closeFrameCame(code, reason)
        }
    }

    /// Answers a ping. When there is no room, only the latest ping is answered later (RFC 6455 section 5.5.3).
    func pong(_ payload: [UInt8]) {
        guard !isFull else {
            owedPong = payload
            return
        }
        var frame: [UInt8] = []
        encoder.appendPong(payload, to: &frame)
        switch stream.write(frame) {
        case .taken, .closed: return
        case .full: isFull = true
        case .refused:
            isFull = true
            owedPong = payload
        }
    }

    var wantsMore: Bool {
        if sentClose != nil { return true }
        return handler == nil ? inbox.cost < options.receiveBufferBytes : !isPausedByHandler
    }

    func pause() {
        guard !isPaused else { return }
        isPaused = true
        stream.pauseReading()
    }

    /// After the reader has taken what there was: decodes what waits, and reads on when that is used up.
    func readOn() {
        guard isPaused, wantsMore, violation == nil else { return }
        if !undecoded.isEmpty {
            let bytes = undecoded
            undecoded = []
            var offset = 0
            unsafe decode(bytes.span.bytes, &offset)
            if closeStatus == nil, offset < bytes.count { undecoded = Array(bytes[offset...]) }
            handOver()
        }
        guard undecoded.isEmpty, wantsMore, violation == nil, !isStreamClosed else { return }
        isPaused = false
        watchMessage()
        stream.resumeReading()
        if hasPeerEnded { peerEnded() }
    }

    func handOver() {
        guard !inbox.isEmpty else { return }
        if let handler {
            handler.received(inbox.takeAll())
        } else {
            waiters.resumeAll(.reader)
        }
    }

    func roomCame() {
        isFull = false
        if let payload = owedPong {
            owedPong = nil
            if isOpen { pong(payload) }
        }
        waiters.resumeAll(.writer)
        handler?.writable()
    }

    func peerEnded() {
        hasPeerEnded = true
        if closeStatus == nil {
            // What was read before may still hold the close frame.
            guard !isPaused else { return }
            fail(.transport(.endedEarly))
        } else {
            stream.close(within: options.closeTimeout)
        }
    }

    func streamClosed(_ reason: CloseReason) {
        isStreamClosed = true
        closeTimer?.cancel()
        undecoded = []
        if closeStatus == nil {
            switch reason {
            case _ where violation != nil:
                failForViolation()
            case .failed(let error):
                failure = .transport(error)
                closeStatus = CloseStatus(code: nil, reason: error.description, side: .remote, isClean: false)
            case .aborted, .finished:
                closeStatus = CloseStatus(code: sentClose?.code, reason: "", side: .local, isClean: false)
                failure = .closed(status)
            }
        }
        wakeAll()
        waiters.resumeAll(.closer)
        announceClose()
    }

    func announceClose() {
        handOver()
        let last = handler
        handler = nil
        last?.closed(status, error: failure)
    }

    /// Sees to it that a message of which a part has come is complete in time.
    func watchMessage() {
        guard let timeout = options.messageTimeout else { return }
        guard decoder.isInsideMessage, isOpen else {
            messageBegan = nil
            return
        }
        let began = messageBegan ?? loop.now
        messageBegan = began
        // One timer at a time, which is looked at again and not moved with each message.
        guard messageTimer == nil else { return }
        messageTimer = loop.schedule(at: began.advanced(by: timeout)) { [weak self] in
            self?.assumeIsolated { $0.checkMessage(timeout) }
        }
    }

    private func checkMessage(_ timeout: Duration) {
        messageTimer = nil
        guard let began = messageBegan, isOpen else { return }
        // While this end does not read, the other cannot go on.
        if isPaused { messageBegan = loop.now }
        guard !isPaused, began.advanced(by: timeout) <= loop.now else { return watchMessage() }
        startClosing(.policyViolation, reason: "a message took too long to come")
    }

    func checkKeepAlive() {
        guard isOpen, let action = keepAlive?.next(at: loop.now, isReading: !isPaused) else { return }
        switch action {
        case .wait(let time):
            lookAgain(at: time)
        case .ping(let time):
            ping()
            lookAgain(at: time)
        case .giveUp:
            fail(.timedOut(.pong))
        }
    }

    func lookAgain(at time: ContinuousClock.Instant) {
        keepAliveTimer = loop.schedule(at: time) { [weak self] in
            self?.assumeIsolated { $0.checkKeepAlive() }
        }
    }
}

extension WebSocketConnection: ByteStreamHandler {
    /// As `ByteStreamHandler.received(_:)`.
    public nonisolated func received(_ bytes: inout MutableRawSpan) {
        assumeIsolated { $0.take(bytes.bytes) }
    }

    /// As `ByteStreamHandler.drained()`.
    public nonisolated func drained() {
        assumeIsolated { $0.handOver() }
    }

    /// As `ByteStreamHandler.writable()`.
    public nonisolated func writable() {
        assumeIsolated { $0.roomCame() }
    }

    /// As `ByteStreamHandler.ended()`.
    public nonisolated func ended() {
        assumeIsolated { $0.peerEnded() }
    }

    /// As `ByteStreamHandler.closed(_:)`.
    public nonisolated func closed(_ reason: CloseReason) {
        assumeIsolated { $0.streamClosed(reason) }
    }
}
