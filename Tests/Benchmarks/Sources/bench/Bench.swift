import Foundation

@main
enum Bench {
    /// Every group of rows. A new one is a file in `Rows/` and a line here.
    static var groups: [() -> [Benchmark]] {
        [
            eventBenchmarks, keyBenchmarks, hashBenchmarks, nip44Benchmarks, webSocketBenchmarks, socketBenchmarks,
            giftWrapBenchmarks, sessionBenchmarks,
        ]
    }

    static let usage = """
        usage: bench [--json FILE] [--quick] [NAME...]

        Measures the work whose name contains one of NAME (everything if there is none) against its floor: the unavoidable
        library calls with everything prepared, in the same process, in turns. Best of all turns. Never fails on a number.

          --json FILE   also write the results as JSON
          --quick       fewer and shorter turns
          --wraps N     how many gift wraps are opened as a stream and restored, 20,000 unless given
          --peer FILE   a Python with nostr-sdk, for the rows that have it beside them
          --list        only print the names
          --profile NAME              only do the work of a row at its first size for ten seconds, for a profiler
          --allocations FILE          only count allocations, and fail when one rose by more than 5 % above those in FILE
          --write-allocations FILE    only count allocations, and write them
        """

    static func main() async throws {
        var json: String?
        var isQuick = false
        var isList = false
        var wraps = 20_000
        var peer: String?
        var names: [String] = []
        var kept: String?
        var profiled: String?
        var written: String?
        var arguments = CommandLine.arguments.dropFirst()
        while let argument = arguments.popFirst() {
            switch argument {
            case "--json" where !arguments.isEmpty: json = arguments.popFirst()
            case "--quick": isQuick = true
            case "--wraps" where !arguments.isEmpty: wraps = arguments.popFirst().flatMap { Int($0) } ?? wraps
            case "--peer" where !arguments.isEmpty: peer = arguments.popFirst()
            case "--allocations" where !arguments.isEmpty: kept = arguments.popFirst()
            case "--write-allocations" where !arguments.isEmpty: written = arguments.popFirst()
            case "--profile" where !arguments.isEmpty: profiled = arguments.popFirst()?.lowercased()
            case "--list": isList = true
            case "--help": return print(usage)
            case _ where argument.hasPrefix("-"):
                FileHandle.standardError.write(Data((usage + "\n").utf8))
                exit(64)
            default: names.append(argument.lowercased())
            }
        }
        let chosen = groups.flatMap { $0() }.filter { benchmark in
            names.isEmpty || names.contains { benchmark.name.lowercased().contains($0) }
        }
        if let profiled { return try profile(profiled) }
        if let written { return try AllocationCounts.counted(chosen).write(to: written) }
        if let kept { return try checkAllocations(of: chosen, against: kept, areAll: names.isEmpty) }
        let count = isQuick ? min(wraps, 4_000) : wraps
        // What runs on all cores, or in two processes, and is no matter of turns.
        var runs: [(name: String, run: () async throws -> [Outcome])] = [
            (GiftWrapStream.name, { try await GiftWrapStream.run(count: count) }),
            (GiftWrapCores.name, { [isQuick] in try await GiftWrapCores.run(isQuick: isQuick) }),
            (GiftWrapRestore.name, { try await GiftWrapRestore.run(count: count) }),
        ]
        if let peer {
            let run = { [isQuick] in
                try GiftWrapPeer.run(python: peer, script: "Tests/Benchmarks/peer.py", isQuick: isQuick)
            }
            runs.append((GiftWrapPeer.name, run))
        }
        runs = runs.filter { run in names.isEmpty || names.contains { run.name.contains($0) } }
        if isList { return (chosen.map(\.name) + runs.map(\.name)).forEach { print($0) } }

        FileHandle.standardOutput.write(Data((Report.header + "\n").utf8))
        var report = Report()
        for benchmark in chosen {
            try benchmark.run(rounds: isQuick ? 10 : 60, turn: isQuick ? 0.0005 : 0.002) { report.add($0) }
        }
        for run in runs {
            for outcome in try await run.run() { report.add(outcome) }
        }
        print("most resident memory: \(mostResidentBytes / 1_000_000) MB")
        if let json { try report.write(to: json) }
    }

    /// The most that this process ever had.
    private static var mostResidentBytes: Int {
        var usage = rusage()
        // Kibibytes on Linux, bytes on Apple's systems.
        #if canImport(Glibc)
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
            return usage.ru_maxrss << 10
        #else
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #endif
    }

    private static func profile(_ name: String) throws {
        guard let row = groups.flatMap({ $0() }).first(where: { $0.name.lowercased().hasPrefix(name) }) else {
            FileHandle.standardError.write(Data("bench: no row begins with \(name)\n".utf8))
            exit(64)
        }
        let run = try row.prepare(row.sizes[0])
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .seconds(10) {
            // So that looking at the clock is not in the profile of short work.
            for _ in 0..<20 { run.work() }
        }
    }

    private static func checkAllocations(of benchmarks: [Benchmark], against path: String, areAll: Bool) throws {
        let counts = try AllocationCounts.counted(benchmarks)
        var kept = try AllocationCounts(contentsOf: path)
        if !areAll { kept.counts = kept.counts.filter { counts.counts[$0.key] != nil } }
        for line in counts.fallen(below: kept) { print("fewer: \(line)") }
        let risen = counts.risen(above: kept)
        for line in risen { FileHandle.standardError.write(Data("bench: \(line)\n".utf8)) }
        guard risen.isEmpty else { exit(1) }
        print("allocations of \(counts.counts.count) kinds of work, none more than before")
    }
}
