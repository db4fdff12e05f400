import Locking
import COpenSSL

/// TLS 1.2 or later over another stream. Made by ``Connector`` (client) and ``TLSServer`` (server).
///
/// `@unchecked Sendable`: `inner` and `loop` never change, `agreement` is behind a lock; all other
/// state is touched on the loop's thread alone, which every entry point checks.
public final class TLSStream: ByteStream, ByteStreamHandler, Flushable, @unchecked Sendable {
    /// As ``ByteStream/loop``.
    public let loop: EventLoop
    /// As ``ByteStream/peer``.
    public var peer: SocketAddress? { inner.peer }
    /// As ``ByteStream/applicationProtocol``.
    public var applicationProtocol: String? { agreement.withLock { $0.applicationProtocol } }
    /// Whether an earlier session was resumed. From anywhere, once the stream is set up.
    public var isResumed: Bool { agreement.withLock { $0.isResumed } }
    /// `TLSv1.2` or `TLSv1.3`. From anywhere, once the stream is set up.
    public var version: String { agreement.withLock { $0.version } }

    private let inner: any ByteStream
    private let engine: TLSEngine
    private let established = Once<Void>()
    private let agreement = Locked(Agreement())
    private var isEstablished = false
    private var handler: (any ByteStreamHandler)?
    private var unread = ByteQueue()
    /// Written in this turn and not yet encrypted, so that small writes share a record.
    private var plain = ByteQueue()
    /// Encrypted and refused by the stream below for want of room.
    private var stuck = ByteQueue()
    /// Whether the stream below is full, and whether the handler knows.
    private var isFull = false
    private var toldFull = false
    private var isFlushing = false
    private var isPaused = true
    private var isFinishing = false
    private var isClosing = false
    /// Set while a close waits for what is stuck.
    private var closeDeadline: ContinuousClock.Instant?
    private var closeTimer: LoopTimer?
    private var hasEnded = false
    private var failure: SocketsError?
    private var closeReason: CloseReason?

    private static let recordSize = 16 * 1024

    private struct Agreement {
        var applicationProtocol: String?
        var isResumed = false
        var version = ""

        init() {}

        init(_ engine: TLSEngine) {
            applicationProtocol = engine.applicationProtocol
            isResumed = engine.isResumed
            version = engine.version
        }
    }

    private init(_ inner: any ByteStream, _ engine: TLSEngine) {
        self.inner = inner
        self.engine = engine
        loop = inner.loop
    }

    // MARK: Setting up

    static func connect(
        over inner: any ByteStream,
        with client: TLSClient,
        host: String,
        port: UInt16,
        until deadline: ContinuousClock.Instant
    ) async throws(SocketsError) -> TLSStream {
        let engine = try TLSEngine(client: client, host: host, port: port)
        return try await TLSStream(inner, engine).handshake(until: deadline)
    }

    static func accept(
        over inner: any ByteStream,
        with server: TLSServer,
        until deadline: ContinuousClock.Instant
    ) async throws(SocketsError) -> TLSStream {
        try await TLSStream(inner, try TLSEngine(server: server)).handshake(until: deadline)
    }

    private func handshake(until deadline: ContinuousClock.Instant) async throws(SocketsError) -> TLSStream {
        loop.execute {
            self.inner.start(self)
            self.advanceHandshake()
        }
        let inner = self.inner
        try await established.wait(.tlsHandshake, until: deadline, on: loop) {
            inner.loop.execute { inner.abort() }
        }
        return self
    }

    private func advanceHandshake() {
        guard !isEstablished, failure == nil else { return }
        let progress = engine.handshake()
        send()
        switch progress {
        case .wantsMore: return
        case .failed(let reason): fail(.tls(reason))
        case .done:
            isEstablished = true
            let agreed = Agreement(engine)
            agreement.withLock { $0 = agreed }
            // Nothing more is read before somebody starts the stream, and who drops it closes it.
            inner.start(Nobody())
            inner.pauseReading()
            if !established.resolve(.success(())) { inner.abort() }
        }
    }

    // MARK: ByteStream

    /// As ``ByteStream/pendingBytes``.
    public var pendingBytes: Int {
        inner.pendingBytes + plain.count + stuck.count
    }

    /// As ``ByteStream/start(_:unread:)``.
    public func start(_ handler: any ByteStreamHandler, unread earlier: [UInt8]) {
        loop.assertInside()
        self.handler = handler
        if let closeReason {
            announceClose(closeReason)
            return
        }
        unread.prepend(earlier)
        isPaused = false
        if hasEnded { loop.runSoon { handler.ended() } }
        inner.start(self)
        loop.runSoon { [self] in deliver() }
    }

    /// As ``ByteStream/write(_:)``.
    public func write(_ bytes: RawSpan) -> WriteOutcome {
        loop.assertInside()
        guard closeReason == nil, failure == nil, !isFinishing else { return .closed }
        guard stuck.isEmpty else { return .refused }
        bytes.withUnsafeBytes { bytes in
            if plain.count + bytes.count < Self.recordSize {
                plain.append(bytes)
            } else {
                encryptPlain()
                engine.encrypt(bytes)
            }
        }
        if plain.isEmpty { send() } else { flushLater() }
        if isFull { toldFull = true }
        return isFull ? .full : .taken
    }

    /// As ``ByteStream/pauseReading()``.
    public func pauseReading() {
        loop.assertInside()
        isPaused = true
        inner.pauseReading()
    }

    /// As ``ByteStream/resumeReading()``.
    public func resumeReading() {
        loop.assertInside()
        guard isPaused else { return }
        isPaused = false
        inner.resumeReading()
        loop.runSoon { [self] in deliver() }
    }

    /// As ``ByteStream/finishWriting()``.
    public func finishWriting() {
        loop.assertInside()
        guard !isFinishing else { return }
        isFinishing = true
        encryptPlain()
        engine.sendClosing()
        send()
        if stuck.isEmpty { inner.finishWriting() }
    }

    /// As ``ByteStream/close(within:)``.
    public func close(within time: Duration) {
        loop.assertInside()
        guard !isClosing else { return }
        isClosing = true
        finishWriting()
        guard !stuck.isEmpty else {
            inner.close(within: time)
            return
        }
        closeDeadline = loop.now.advanced(by: time)
        closeTimer = loop.schedule(after: time) { [weak self] in
            self?.failure = .timedOut(.close)
            self?.inner.abort()
        }
    }

    /// As ``ByteStream/abort()``.
    public func abort() {
        inner.abort()
    }

    // MARK: Writing

    func flush() {
        isFlushing = false
        encryptPlain()
        send()
    }

    private func flushLater() {
        guard !isFlushing else { return }
        isFlushing = true
        loop.flushLater(self)
    }

    private func encryptPlain() {
        guard !plain.isEmpty else { return }
        plain.withBytes { engine.encrypt($0) }
        plain.removeAll()
    }

    /// Hands what is encrypted to the stream below.
    private func send() {
        engine.takeOutput { bytes in
            let outcome = stuck.isEmpty ? inner.write(bytes.bytes) : .refused
            if outcome == .refused { stuck.append(bytes) }
            if outcome == .refused || outcome == .full { isFull = true }
        }
    }

    /// As ``ByteStreamHandler/writable()``.
    public func writable() {
        isFull = false
        if !stuck.isEmpty {
            isFull = inner.write(stuck.take(.max)) == .full
            if isFinishing { inner.finishWriting() }
            if let closeDeadline {
                closeTimer?.cancel()
                inner.close(within: closeDeadline - loop.now)
            }
        }
        if toldFull, !isFull, !isFinishing {
            toldFull = false
            handler?.writable()
        }
    }

    // MARK: Reading

    /// As ``ByteStreamHandler/received(_:)``.
    public func received(_ bytes: inout MutableRawSpan) {
        // What comes behind the peer's closing message is ignored, not kept (RFC 8446 section 6.1).
        guard failure == nil, !isClosing, !hasEnded else { return }
        bytes.withUnsafeBytes { engine.feed($0) }
        if isEstablished { deliver() } else { advanceHandshake() }
    }

    private func deliver() {
        var gaveBytes = false
        while isEstablished, let handler, !isPaused, !isClosing, failure == nil, closeReason == nil, !hasEnded {
            if !unread.isEmpty {
                var bytes = unread.take(.max)
                bytes.withUnsafeMutableBytes { Self.give($0, to: handler) }
                gaveBytes = true
                continue
            }
            let (count, progress) = engine.decrypt(into: loop.scratch)
            if count > 0 {
                Self.give(UnsafeMutableRawBufferPointer(rebasing: loop.scratch[..<count]), to: handler)
                gaveBytes = true
            }
            switch progress {
            case .more: continue
            case .wantsMore: break
            case .ended:
                hasEnded = true
                handler.ended()
            case .failed(let reason):
                fail(.tls(reason))
            }
            break
        }
        if gaveBytes { handler?.drained() }
        // Key updates and alerts are answered while reading.
        send()
    }

    private static func give(_ bytes: UnsafeMutableRawBufferPointer, to handler: any ByteStreamHandler) {
        var span = bytes.mutableBytes
        handler.received(&span)
    }

    /// As ``ByteStreamHandler/ended()``.
    public func ended() {
        guard failure == nil else { return }
        if !isEstablished {
            fail(.endedEarly)
        } else if !hasEnded, !isClosing {
            fail(.tls(.truncated))
        }
    }

    private func fail(_ error: SocketsError) {
        guard failure == nil else { return }
        failure = error
        send()
        established.resolve(.failure(error))
        inner.close(within: .seconds(1))
    }

    /// As ``ByteStreamHandler/closed(_:)``.
    public func closed(_ reason: CloseReason) {
        let final = failure.map { CloseReason.failed($0) } ?? reason
        closeReason = final
        closeTimer?.cancel()
        if case .failed(let error) = final {
            established.resolve(.failure(error))
        } else {
            established.resolve(.failure(.closed))
        }
        let last = handler
        handler = nil
        last?.closed(final)
    }

    private func announceClose(_ reason: CloseReason) {
        loop.runSoon { [self] in
            let last = handler
            handler = nil
            last?.closed(reason)
        }
    }
}
