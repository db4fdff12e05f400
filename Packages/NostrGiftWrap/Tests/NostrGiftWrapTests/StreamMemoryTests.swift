import Foundation
import NostrCrypto
import NostrEvents
import NostrGiftWrap
import TestSupport
import Testing

/// The same few hundred wraps over and over, as batches that are made when they are asked for.
private struct Batches: AsyncSequence, Sendable {
    typealias Element = [WireEvent]

    let wraps: [WireEvent]
    let count: Int

    struct Iterator: AsyncIteratorProtocol {
        let wraps: [WireEvent]
        let count: Int
        var given = 0

        mutating func next() async throws -> [WireEvent]? {
            guard given < count else { return nil }
            let start = given % wraps.count
            given += 50
            return (0..<50).map { wraps[(start + $0) % wraps.count] }
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(wraps: wraps, count: count) }
}

@Suite("A long stream of gift wraps")
struct StreamMemoryTests {
    private func residentBytes() throws -> Int {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (Int(pages[1]) ?? 0) * Int(getpagesize())
    }

    @Test(
        "takes no more memory the longer it is",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/statm"), "needs /proc")
    )
    func memory() async throws {
        let wrapper = GiftWrapper(sender: alice)
        let distinct = 200
        var wraps: [WireEvent] = []
        for index in 0..<distinct {
            wraps.append(try wrapper.wrapWithoutWork(note("\(index)"), for: bob.publicKey, now: now).wire)
        }
        // It remembers fewer wraps than there are, so that each is opened again when its turn comes.
        let reader = GiftWrapReader(opener: GiftWrapOpener(owner: bob), capacity: 100)
        let count = Proof.count(2_000, in: "GIFT_WRAP_STREAM")
        var opened = 0
        var before: Int?
        for try await outcomes in reader.outcomes(of: Batches(wraps: wraps, count: count)) {
            for outcome in outcomes {
                switch outcome {
                case .opened(let message), .repeated(let message):
                    opened += 1
                    reader.confirm(message)
                case .known, .failed: break
                }
            }
            if before == nil, opened >= 500 { before = try residentBytes() }
        }
        let more = try residentBytes() - (before ?? 0)
        #expect(opened == count)
        #expect(more < 60_000_000, "\(more) bytes more at the end than after 500")
    }
}
