import Foundation
import LinkstrSessions
import Testing

/// `LINKSTR_SIMULATION_SEEDS` asks for more seeds than a few, `LINKSTR_SIMULATION_SEED` for the first of them: a seed that failed is run
/// again by its number.
@Suite("Five devices and four relays", .timeLimit(.minutes(60)))
struct SimulationTests {
    @Test("agree when it has become quiet, whatever was lost, delayed, repeated and shuffled")
    func agreement() async throws {
        let first = Self.number("LINKSTR_SIMULATION_SEED") ?? 1
        let count = Self.number("LINKSTR_SIMULATION_SEEDS") ?? 3
        let steps = Int(Self.number("LINKSTR_SIMULATION_STEPS") ?? 80)
        var (faults, failures, posts, lists) = (0, 0, 0, 0)
        // A relay took a copy for a former member, and what it said of it was lost.
        let kept: [UInt64] = count == 3 ? [1_243] : []
        for seed in Array(first..<first + count) + kept {
            let simulation = try await Simulation(seed: seed)
            try await simulation.run(steps: steps)
            if count == 1 { print("simulation of seed \(seed):", simulation.journal.digest) }
            for finding in simulation.findings { Issue.record("seed \(seed): \(finding)") }
            faults += simulation.faults
            failures += simulation.failedSendings
            posts += simulation.journal.count { if case .root = $0 { true } else { false } }
            lists += simulation.journal.count { if case .snapshot = $0 { true } else { false } }
        }
        // Without all of this nothing was simulated.
        #expect(faults > 0 && posts > 0 && lists > 0)
        print(
            "simulation: \(count) seeds from \(first), \(faults) faults, \(failures) failed sendings, \(posts) posts, \(lists) lists"
        )
    }

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }
}
