public import NostrEvents
import Locking

/// Opens gift wraps as relays deliver them: in batches, on all cores, each message once.
///
/// The same wrap comes from several relays, and the same rumor in several wraps. A wrap that was opened before costs a look-up
/// and no cryptography. What is remembered, and when:
///
/// - A wrap's id after everything in it was authenticated. A forged wrap that claims the id first is refused and not remembered, so
///   the genuine one is still opened.
/// - A rumor's id after the caller has ``confirm(_:)``ed it, which it does when the message is stored. If storing fails,
///   ``forget(_:)`` makes the wrap new again.
///
/// Both memories are bounded and no more than a saving: when an id has been forgotten, its message is delivered again, and the
/// caller's store must know it.
public final class GiftWrapReader: Sendable {
    /// What became of one wrap.
    public enum Outcome: Sendable {
        /// A message that was not confirmed before.
        case opened(OpenedGiftWrap)
        /// The wrap was opened before; nothing was done.
        case known(wrap: EventID)
        /// A new wrap around a rumor that was confirmed before. The wrap's id may be worth keeping.
        case repeated(OpenedGiftWrap)
        /// It is not genuine or not for this key.
        case failed(wrap: EventID, GiftWrapError)
    }

    /// What opens each wrap.
    public let opener: GiftWrapOpener
    private let memory: Locked<Memory>

    private struct Memory {
        var wraps: SeenIDs
        var rumors: SeenIDs
    }

    /// How many wraps one task opens before it takes the next ones.
    private static let chunk = 16

    /// - Parameter capacity: How many wrap ids and how many rumor ids are remembered, 10,000 each by default.
    public init(opener: GiftWrapOpener, capacity: Int = 10_000) {
        self.opener = opener
        memory = Locked(Memory(wraps: SeenIDs(capacity: capacity), rumors: SeenIDs(capacity: capacity)))
    }

    /// Opens one wrap on the calling thread.
    public func open(_ wrap: WireEvent) -> Outcome {
        outcome(wrap.id) { () throws(GiftWrapError) in try opener.open(wrap) }
    }

    /// Opens one wrap whose id and signature were checked before, on the calling thread.
    public func open(_ wrap: Event) -> Outcome {
        outcome(wrap.id) { () throws(GiftWrapError) in try opener.open(wrap) }
    }

    /// Opens a batch on all cores; the outcomes are in the order of the wraps. A wrap that stands in the batch twice is opened
    /// once.
    /// - Parameter progress: Called with the number of wraps done so far, ascending, from one thread at a time.
    /// - Throws: `CancellationError`; what was opened by then is forgotten, so nothing is lost.
    public func open(
        _ wraps: [WireEvent],
        progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> [Outcome] {
        try await open(wraps, progress: progress) { self.open($0) }
    }

    /// Opens a batch of wraps whose ids and signatures were checked before.
    /// - Throws: `CancellationError`; what was opened by then is forgotten, so nothing is lost.
    public func open(
        _ wraps: [Event],
        progress: (@Sendable (Int) -> Void)? = nil
    ) async throws -> [Outcome] {
        try await open(wraps, progress: progress) { self.open($0) }
    }

    /// The outcomes of a stream of batches, in order. A batch is asked for when the outcomes of the one before were taken, so
    /// memory holds one batch and a slow consumer slows the source. Ends with the source, or when the task is cancelled.
    public func outcomes<Batches: AsyncSequence & Sendable>(
        of batches: Batches
    ) -> OpenedBatches<Batches> where Batches.Element == [WireEvent] {
        OpenedBatches(reader: self, batches: batches)
    }

    /// Remembers that the message is stored: another wrap around the same rumor is reported as repeated from now on.
    public func confirm(_ opened: OpenedGiftWrap) {
        memory.withLock {
            $0.wraps.insert(opened.wrapID)
            $0.rumors.insert(opened.rumor.id)
        }
    }

    /// Takes back that the wrap was opened, because its message could not be stored.
    public func forget(_ opened: OpenedGiftWrap) {
        memory.withLock {
            $0.wraps.remove(opened.wrapID)
            $0.rumors.remove(opened.rumor.id)
        }
    }

    /// Remembers a wrap that was stored in an earlier run, for a start that asks for history again.
    public func remember(wrap: EventID) {
        _ = memory.withLock { $0.wraps.insert(wrap) }
    }

    /// Whether the wrap was opened before.
    public func knows(wrap: EventID) -> Bool {
        memory.withLock { $0.wraps.contains(wrap) }
    }

    private func outcome(
        _ id: EventID,
        _ open: () throws(GiftWrapError) -> OpenedGiftWrap
    ) -> Outcome {
        if knows(wrap: id) { return .known(wrap: id) }
        do throws(GiftWrapError) {
            let opened = try open()
            return memory.withLock { memory in
                // Another thread may have opened the same wrap in the meantime.
                guard memory.wraps.insert(id) else { return .known(wrap: id) }
                return memory.rumors.contains(opened.rumor.id) ? .repeated(opened) : .opened(opened)
            }
        } catch {
            return .failed(wrap: id, error)
        }
    }

    private func open<Wrap: Sendable>(
        _ wraps: [Wrap],
        progress: (@Sendable (Int) -> Void)?,
        _ open: @escaping @Sendable (Wrap) -> Outcome
    ) async throws -> [Outcome] {
        let opened = Locked<[OpenedGiftWrap]>([])
        do {
            return try await Parallel.map(wraps, chunk: Self.chunk, progress: progress) { wrap in
                let outcome = open(wrap)
                if case .opened(let message) = outcome { opened.withLock { $0.append(message) } }
                if case .repeated(let message) = outcome { opened.withLock { $0.append(message) } }
                return outcome
            }
        } catch {
            // Nobody will see these outcomes.
            memory.withLock { memory in
                for message in opened.withLock({ $0 }) { memory.wraps.remove(message.wrapID) }
            }
            throw error
        }
    }
}

/// The outcomes of a stream of batches of gift wraps, see ``GiftWrapReader/outcomes(of:)``.
public struct OpenedBatches<Batches: AsyncSequence & Sendable>: AsyncSequence, Sendable
where Batches.Element == [WireEvent] {
    /// The outcomes of one batch, in its order.
    public typealias Element = [GiftWrapReader.Outcome]

    let reader: GiftWrapReader
    let batches: Batches

    public func makeAsyncIterator() -> Iterator {
        Iterator(reader: reader, batches: batches.makeAsyncIterator())
    }

    /// Opens the next batch when it is asked for.
    public struct Iterator: AsyncIteratorProtocol {
        let reader: GiftWrapReader
        var batches: Batches.AsyncIterator

        public mutating func next() async throws -> [GiftWrapReader.Outcome]? {
            guard let batch = try await batches.next() else { return nil }
            return try await reader.open(batch)
        }
    }
}
