import Foundation
import NostrCrypto
import NostrEvents
import NostrGiftWrap

/// Many gift wraps opened as a stream on all cores: how long one takes, and how much more memory the process has at the end than
/// after the first few batches.
enum GiftWrapStream {
    static let name = "stream of gift wraps"

    private static let batch = 250
    /// Fewer ids are remembered than there are different wraps, so that each is opened again when its turn comes.
    private static let distinct = 2_000

    static func run(count: Int) async throws -> [Outcome] {
        let prepared = try PreparedWraps(200)
        var wraps: [WireEvent] = []
        for _ in 0..<distinct { wraps.append(try prepared.wire()) }
        let reader = GiftWrapReader(opener: GiftWrapOpener(owner: prepared.owner), capacity: distinct - batch)
        let source = Source(wraps: wraps, batch: batch, count: count)

        var opened = 0
        var before: Int?
        let start = ContinuousClock.now
        for try await outcomes in reader.outcomes(of: source) {
            for outcome in outcomes {
                switch outcome {
                case .opened(let message), .repeated(let message):
                    reader.confirm(message)
                    opened += 1
                case .known, .failed: break
                }
            }
            if before == nil, opened >= distinct { before = residentMemory() }
        }
        let seconds = seconds(since: start)
        let more = Double(max(0, residentMemory() - (before ?? residentMemory()))) / 1e6

        let floor = Measurement([prepared.openingFloor(isKnown: true)], rounds: 20, turn: 0.002).seconds[0]
        let cores = Double(ProcessInfo.processInfo.activeProcessorCount)
        let each = seconds / Double(max(1, opened))
        let outcome = Outcome(
            work: name,
            size: opened,
            unit: "wraps",
            microseconds: each * 1e6,
            allocations: nil,
            floors: [
                Outcome.Floor(
                    name: "the same on all cores",
                    microseconds: floor * 1e6 / cores,
                    ratio: floor / cores / each
                )
            ],
            exponent: nil,
            targets: [String(format: "%.1f MB more, <= 60", more)],
            reached: [more <= 60]
        )
        return [outcome]
    }

    /// Batches of the same wraps over and over.
    private struct Source: AsyncSequence, Sendable {
        typealias Element = [WireEvent]

        let wraps: [WireEvent]
        let batch: Int
        let count: Int

        struct AsyncIterator: AsyncIteratorProtocol {
            let source: Source
            var given = 0

            mutating func next() async throws -> [WireEvent]? {
                guard given < source.count else { return nil }
                let start = given % source.wraps.count
                let end = Swift.min(start + source.batch, source.wraps.count, start + source.count - given)
                given += end - start
                return Array(source.wraps[start..<end])
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: self) }
    }
}
