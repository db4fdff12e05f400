import Sockets

/// Writes down what a stream tells it.
actor Recorder: ByteStreamHandler {
    enum Happening: Equatable { case bytes([UInt8]), writable, ended, closed(CloseReason) }

    private let loop: EventLoop
    private(set) var happenings: [Happening] = []
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: EventLoop) { self.loop = loop }

    var bytes: [UInt8] { happenings.flatMap { if case .bytes(let bytes) = $0 { bytes } else { [UInt8]() } } }
    var closeReason: CloseReason? {
        if case .closed(let reason) = happenings.last { reason } else { nil }
    }

    /// Runs something on the loop, with the recorder.
    func on<Result: Sendable>(_ body: @Sendable (isolated Recorder) throws -> Result) rethrows -> Result {
        try body(self)
    }

    nonisolated func received(_ bytes: inout MutableRawSpan) {
        assumeIsolated { recorder in
            recorder.happenings.append(.bytes(bytes.withUnsafeBytes { Array($0) }))
        }
    }
    nonisolated func writable() { assumeIsolated { $0.happenings.append(.writable) } }
    nonisolated func ended() { assumeIsolated { $0.happenings.append(.ended) } }
    nonisolated func closed(_ reason: CloseReason) { assumeIsolated { $0.happenings.append(.closed(reason)) } }
}
