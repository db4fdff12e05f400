/// A two-way stream of bytes that lives on an ``EventLoop``: a TCP or Unix socket (``SocketStream``), TLS over one
/// (``TLSStream``), or one end of a ``MemoryStream`` pair in a test.
///
/// **Every call is made on the stream's loop**; that is checked, and a call from elsewhere stops the program. An actor
/// whose executor is the loop calls freely. Code elsewhere uses ``Connection``, whose methods are async.
///
/// No call here ever calls the handler back before it returns: callbacks come from the top of the loop, one at a time.
///
/// A stream that was started must be ended with ``close(within:)`` or ``abort()``, or by the peer: until then the
/// loop holds the stream and the stream holds its handler. A stream that was never started is closed when it is released.
public protocol ByteStream: AnyObject, Sendable {
    /// The loop that the stream belongs to.
    var loop: EventLoop { get }

    /// The address of the other side; nil where there is none to tell. From anywhere.
    var peer: SocketAddress? { get }

    /// The application protocol that TLS has agreed on (ALPN, RFC 7301); nil without TLS or agreement. From anywhere.
    var applicationProtocol: String? { get }

    /// How many bytes wait to be sent.
    var pendingBytes: Int { get }

    /// Begins to read, and gives all that happens to the handler. Called again, hands the stream over to another
    /// handler. Reading that was paused goes on.
    ///
    /// - Parameters:
    ///   - handler: held strongly until it was told ``ByteStreamHandler/closed(_:)``.
    ///   - unread: bytes that an earlier handler has read too far; they come first.
    func start(_ handler: any ByteStreamHandler, unread: [UInt8])

    /// Sends bytes, as a whole or not at all. Small writes of one turn of the loop leave together.
    func write(_ bytes: RawSpan) -> WriteOutcome

    /// Stops reading until ``resumeReading()``: the peer is held back. A handler may call it while it is given bytes. That
    /// the peer has gone is noticed only by reading or writing.
    func pauseReading()

    /// Reads again after ``pauseReading()``.
    func resumeReading()

    /// Tells the peer, after all that was written, that no more will come (a half close). Reading goes on.
    func finishWriting()

    /// Sends what is pending, tells the peer, waits until the peer has finished too, and closes. Nothing more is
    /// read for the handler. When the time is up the stream is aborted, and so is one whose peer goes on sending.
    func close(within time: Duration)

    /// Closes at once; what is pending is lost.
    func abort()
}

extension ByteStream {
    /// Begins to read, and gives all that happens to the handler.
    public func start(_ handler: any ByteStreamHandler) {
        start(handler, unread: [])
    }

    /// Sends bytes, as a whole or not at all.
    public func write(_ bytes: [UInt8]) -> WriteOutcome {
        write(bytes.span.bytes)
    }

    /// Closes in order, within five seconds.
    public func close() {
        close(within: .seconds(5))
    }
}

/// What became of a write.
public enum WriteOutcome: Sendable, Equatable {
    /// The bytes were taken, and there is room for more.
    case taken
    /// The bytes were taken, and the high-water mark is reached: wait for ``ByteStreamHandler/writable()``. Short
    /// control messages may still be written.
    case full
    /// The bytes were NOT taken: twice the high-water mark is pending, because earlier answers of `full` were ignored.
    case refused
    /// The bytes were NOT taken: the stream is closed, closing, or finished writing.
    case closed
}

/// Who is told what happens on a ``ByteStream``. Called on the stream's loop only, never from within a call that the
/// handler makes: an actor on the loop enters itself with `assumeIsolated`.
public protocol ByteStreamHandler: AnyObject, Sendable {
    /// Bytes have come. They may be changed in place, and are gone after the call.
    func received(_ bytes: inout MutableRawSpan)

    /// All bytes that were there have been given: the place to hand a batch over.
    func drained()

    /// After a write that answered ``WriteOutcome/full``: there is room again.
    func writable()

    /// The peer will send no more (a half close). Writing is still possible.
    func ended()

    /// The stream is closed. Called exactly once after ``ByteStream/start(_:unread:)``, and last.
    func closed(_ reason: CloseReason)
}

extension ByteStreamHandler {
    /// Does nothing.
    public func drained() {}
    /// Does nothing.
    public func writable() {}
}

/// Why a stream is closed.
public enum CloseReason: Sendable, Equatable {
    /// Both sides have finished in order.
    case finished
    /// This side aborted it.
    case aborted
    /// It broke.
    case failed(SocketsError)
}
