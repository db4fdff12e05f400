import CAllocations
import Foundation

/// How many allocations each kind of work takes, by its name and size. A number of its own for every build of the compiler, but the
/// same on every machine and under every load, so that a rise is something that the sources did.
struct AllocationCounts: Codable, Equatable {
    /// Of one operation, the average of many.
    var counts: [String: Double] = [:]

    /// A count that rose by more than this share is a failure.
    static let tolerance = 0.05

    /// Counts those of all benchmarks at all their sizes, without measuring time.
    static func counted(_ benchmarks: [Benchmark]) throws -> Self {
        guard allocations_are_counted() == 1 else { throw CountingUnavailable() }
        var result = Self()
        for benchmark in benchmarks {
            for size in benchmark.sizes {
                let run = try benchmark.prepare(size)
                result.counts["\(benchmark.name), \(size) \(benchmark.unit)"] = count(run.work)
            }
        }
        return result
    }

    private static func count(_ work: () -> Void) -> Double {
        // What is made once and kept, such as fetched algorithms and grown buffers, is no cost of an operation.
        var rounds = 0
        let start = ContinuousClock.now
        while rounds < 20, rounds == 0 || ContinuousClock.now - start < .milliseconds(200) {
            work()
            rounds += 1
        }
        let before = allocations_of_this_thread()
        for _ in 0..<rounds * 5 { work() }
        return (Double(allocations_of_this_thread() - before) / Double(rounds * 5) * 100).rounded() / 100
    }

    init() {}

    init(contentsOf path: String) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: path)))
    }

    func write(to path: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try (encoder.encode(self) + Data("\n".utf8)).write(to: URL(fileURLWithPath: path))
    }

    /// What is worse than in the counts given, and what is not in one of the two, a line each.
    func risen(above kept: Self) -> [String] {
        counts.keys.sorted().compactMap { name in
            guard let now = counts[name], let before = kept.counts[name] else { return "\(name): not counted before" }
            // An average over many operations may be a little off where something grows now and then.
            guard now > before * (1 + Self.tolerance) + 0.05 else { return nil }
            return "\(name): \(now) allocations instead of \(before)"
        } + kept.counts.keys.filter { counts[$0] == nil }.sorted().map { "\($0): not counted any more" }
    }

    /// What takes fewer, a line each.
    func fallen(below kept: Self) -> [String] {
        counts.keys.sorted().compactMap { name in
            guard let now = counts[name], let before = kept.counts[name], now < before * (1 - Self.tolerance) - 0.05
            else { return nil }
            return "\(name): \(now) allocations, \(before) before"
        }
    }

    struct CountingUnavailable: Error, CustomStringConvertible {
        var description: String { "allocations are counted under glibc only, and not under a sanitiser" }
    }
}
