import Locking
import Sockets

/// One end of an opening handshake on its way: reads the other end's head, and then hands the stream over.
///
/// `@unchecked Sendable`: all state but `outcome`, which has a lock, is touched on the stream's loop alone; `run` reaches
/// it through `execute`.
final class Opening: ByteStreamHandler, @unchecked Sendable {
    typealias Outcome = Result<WebSocketConnection, WebSocketError>
    typealias Decide = @Sendable (HTTPHead) throws(WebSocketError) -> WebSocketConnection

    private let stream: any ByteStream
    private let decide: Decide
    private let refusal: (@Sendable (HandshakeFault) -> [UInt8])?
    private var parser: HTTPHeadParser
    /// Set on the loop, and taken from there by the waiting task, which the continuation only wakes: the thread sanitiser
    /// sees the lock in every case.
    private let outcome = Locked<Outcome?>(nil)
    private var waiting: CheckedContinuation<Void, Never>?
    private var timer: LoopTimer?

    /// - Parameters:
    ///   - stream: a stream that nobody else uses.
    ///   - largestHead: bytes.
    ///   - refusal: what to answer to a bad head; nil answers nothing.
    ///   - decide: makes the connection from the other end's head, or refuses it. Called on the loop.
    init(
        stream: any ByteStream,
        largestHead: Int,
        refusal: (@Sendable (HandshakeFault) -> [UInt8])? = nil,
        decide: @escaping Decide
    ) {
        self.stream = stream
        self.refusal = refusal
        self.decide = decide
        var limits = HTTPHeadParser.Limits()
        limits.bytes = max(1, largestHead)
        parser = HTTPHeadParser(limits: limits)
    }

    /// Sends this end's head, if it speaks first, and waits for the other one. From anywhere.
    func run(
        sending request: [UInt8] = [],
        until deadline: ContinuousClock.Instant
    ) async throws(WebSocketError) -> WebSocketConnection {
        let loop = stream.loop
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                loop.execute {
                    self.waiting = continuation
                    self.begin(sending: request, until: deadline)
                }
            }
        } onCancel: {
            loop.execute { self.finish(.failure(.cancelled)) }
        }
        guard let outcome = outcome.withLock({ $0 }) else { throw .cancelled }
        return try outcome.get()
    }

    private var isDecided: Bool { outcome.withLock { $0 != nil } }

    private func begin(sending request: [UInt8], until deadline: ContinuousClock.Instant) {
        guard !isDecided else {
            // Cancelled before it began.
            stream.abort()
            wake()
            return
        }
        timer = stream.loop.schedule(at: deadline) { [weak self] in self?.finish(.failure(.timedOut(.opening))) }
        stream.start(self)
        if !request.isEmpty { _ = stream.write(request) }
    }

    private func finish(_ outcome: Outcome) {
        guard !isDecided else { return }
        self.outcome.withLock { $0 = outcome }
        timer?.cancel()
        if case .failure(let error) = outcome { end(error) }
        wake()
    }

    private func wake() {
        waiting?.resume()
        waiting = nil
    }

    private func end(_ error: WebSocketError) {
        guard case .handshake(let fault) = error, let refusal else {
            stream.abort()
            return
        }
        _ = stream.write(refusal(fault))
        stream.close(within: .seconds(5))
    }

    func received(_ bytes: inout MutableRawSpan) {
        guard !isDecided else { return }
        let bytes = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
        var index = 0
        do throws(SocketsError) {
            guard let head = try parser.feed(bytes, from: &index) else { return }
            handOver(head, unread: Array(bytes[index...]))
        } catch {
            finish(.failure(.handshake(.head)))
        }
    }

    private func handOver(_ head: HTTPHead, unread: [UInt8]) {
        do throws(WebSocketError) {
            let connection = try decide(head)
            connection.assumeIsolated { $0.begin(unread: unread) }
            finish(.success(connection))
        } catch {
            finish(.failure(error))
        }
    }

    func ended() {
        finish(.failure(.transport(.endedEarly)))
    }

    func closed(_ reason: CloseReason) {
        if case .failed(let error) = reason {
            finish(.failure(WebSocketError(opening: error)))
        } else {
            finish(.failure(.transport(.closed)))
        }
    }
}
