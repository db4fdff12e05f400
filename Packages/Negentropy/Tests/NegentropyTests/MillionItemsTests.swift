import Foundation
import Negentropy
import NostrEvents
import TestSupport
import Testing

/// Slow in a debug build, so it runs only when asked for:
/// `NEGENTROPY_MILLION=1 swift test -c release -Xswiftc -enable-testing --filter MillionItems`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["NEGENTROPY_MILLION"] != nil, "set NEGENTROPY_MILLION=1"))
struct MillionItemsTests {
    private static let limits: [Int?] = [nil, 4 << 20, 2 << 20, 1 << 20, 512 << 10, 64 << 10]

    @Test(arguments: limits)
    func aMillionItemsWithAFifthDifferingAnywhereAreReconciled(limit: Int?) throws {
        try reconcile(
            Samples.pair(shared: 800_000, onlyFirst: 100_000, onlySecond: 100_000, seed: 1),
            limit,
            "anywhere"
        )
    }

    /// As after a time off line: each side has a stretch that the other has not.
    @Test(arguments: limits)
    func aMillionItemsWithAFifthDifferingInTwoStretchesAreReconciled(limit: Int?) throws {
        var random = SeededGenerator(seed: 2)
        let items = Samples.items(1_000_000, using: &random).sorted()
        let (mine, theirs) = (items[400_000..<500_000], items[900_000...])
        let pair = Samples.Pair(
            first: InMemoryNegentropySet(items[..<900_000]),
            second: InMemoryNegentropySet(items[..<400_000] + items[500_000...]),
            onlyFirst: mine.map(\.id).sorted(),
            onlySecond: theirs.map(\.id).sorted()
        )
        try reconcile(pair, limit, "in two stretches")
    }

    private func reconcile(_ pair: Samples.Pair, _ limit: Int?, _ place: String) throws {
        let start = ContinuousClock.now
        let found = try Conversation(pair.first, with: pair.second, clientLimit: limit, serverLimit: limit)
        let time = ContinuousClock.now - start
        print(
            "differing \(place), frames of \(limit.map(String.init) ?? "any size"): \(found.rounds) rounds, "
                + "\(found.bytesAsked) bytes asked, \(found.bytesAnswered) answered, "
                + "largest \(found.largestAsked) and \(found.largestAnswered), \(time)"
        )
        #expect(found.have.sorted() == pair.onlyFirst)
        #expect(found.need.sorted() == pair.onlySecond)
    }
}
