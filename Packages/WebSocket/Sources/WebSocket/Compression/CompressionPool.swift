import Locking

/// Compression streams that connections borrow for one message, so that an idle connection without context takeover
/// holds none: as many exist as event loops compress at the same moment.
public final class CompressionPool: Sendable {
    /// The pool that connections use when they are given no other.
    public static let shared = CompressionPool()

    private struct Streams {
        var deflaters: [Deflater] = []
        var inflaters: [Inflater] = []
    }

    /// Streams are moved in and out under the lock and used by one borrower at a time. The compiler cannot see that
    /// a class instance taken from an array leaves no reference behind, hence the unchecked box.
    private struct Box: @unchecked Sendable {
        var streams = Streams()
    }

    private let box = Locked(Box())
    private let capacity: Int

    /// Keeps up to `capacity` unused streams of each direction (a deflate stream takes about 268 KB, an inflate
    /// stream 40 KB).
    public init(capacity: Int = 8) {
        self.capacity = max(0, capacity)
    }

    /// How many streams lie unused in the pool.
    public var idleStreams: (deflate: Int, inflate: Int) {
        box.withLock { ($0.streams.deflaters.count, $0.streams.inflaters.count) }
    }

    func withDeflater<Result>(windowBits: Int, level: Int, _ body: (Deflater?) -> Result) -> Result {
        let taken = box.withLock { box -> Lent<Deflater>? in
            box.streams.deflaters.lastIndex { $0.windowBits == windowBits && $0.level == level }
                .map { Lent(stream: box.streams.deflaters.remove(at: $0)) }
        }
        let deflater = taken?.stream ?? Deflater(windowBits: windowBits, level: level)
        deflater?.reset()
        let result = body(deflater)
        if let deflater {
            let lent = Lent(stream: deflater)
            box.withLock { box in
                if box.streams.deflaters.count < capacity { box.streams.deflaters.append(lent.stream) }
            }
        }
        return result
    }

    func takeInflater() -> Inflater? {
        let taken = box.withLock { box in box.streams.inflaters.popLast().map(Lent.init) }
        return taken?.stream ?? Inflater(keepsContext: false)
    }

    func giveBack(_ inflater: Inflater) {
        inflater.reset()
        let lent = Lent(stream: inflater)
        box.withLock { box in
            if box.streams.inflaters.count < capacity { box.streams.inflaters.append(lent.stream) }
        }
    }

    /// Carries a stream across the lock; see `Box` for why nobody else refers to it.
    private struct Lent<Stream>: @unchecked Sendable {
        let stream: Stream
    }
}
