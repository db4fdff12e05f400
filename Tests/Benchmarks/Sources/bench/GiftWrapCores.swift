import Dispatch
import Foundation
import NostrCrypto
import NostrEvents
import NostrGiftWrap

/// Gift wraps on all cores beside the same on one, and beside the curve operations alone on all cores: two threads of one core give
/// less than two cores, whatever runs on them.
enum GiftWrapCores {
    static let name = "gift wraps on all cores"
    static let cores = ProcessInfo.processInfo.activeProcessorCount

    static func run(isQuick: Bool) async throws -> [Outcome] {
        let prepared = try PreparedWraps(200)
        let count = 200
        let rounds = isQuick ? 10 : 100
        return [
            try await opening(prepared, count, rounds),
            try await making(prepared, count, rounds),
        ]
    }

    /// Seconds that one of `count` operations takes when all cores do them, each with a closure of its own.
    static func onAllCores(_ count: Int, _ floor: () throws -> () -> Void) rethrows -> Double {
        let works = try (0..<cores).map { _ in Work(body: try floor()) }
        let share = count / cores
        let seconds = time {
            DispatchQueue.concurrentPerform(iterations: cores) { core in
                for _ in 0..<share { works[core].body() }
            }
        }
        return seconds / Double(share * cores)
    }

    private static func opening(_ prepared: PreparedWraps, _ count: Int, _ rounds: Int) async throws -> Outcome {
        var wires: [WireEvent] = []
        for _ in 0..<count { wires.append(try prepared.wire()) }
        let opener = GiftWrapOpener(owner: prepared.owner)
        _ = try opener.open(wires[0])
        var best = [Double](repeating: .infinity, count: 3)
        for _ in 0..<rounds {
            best[0] = min(best[0], time { for wire in wires { keep(try? opener.open(wire)) } } / Double(count))
            best[1] = min(best[1], onAllCores(count) { prepared.openingFloor(isKnown: true) })
            let reader = GiftWrapReader(opener: opener)
            let start = ContinuousClock.now
            keep(try await reader.open(wires))
            best[2] = min(best[2], seconds(since: start) / Double(count))
        }
        return outcome("open gift wraps on all cores", "2 verify + ECDH, all cores", count, best)
    }

    private static func making(_ prepared: PreparedWraps, _ count: Int, _ rounds: Int) async throws -> Outcome {
        let recipients = (0..<count).map { _ in KeyPair.generate().publicKey }
        let wrapper = GiftWrapper(sender: prepared.sender)
        let rumor = prepared.rumor
        var best = [Double](repeating: .infinity, count: 3)
        let total = Double(recipients.count)
        // The first time computes what is shared with each recipient.
        for round in 0...rounds {
            let serial = time {
                for recipient in recipients { keep(try? wrapper.wrapWithoutWork(rumor, for: recipient, now: 1)) }
            }
            let floor = onAllCores(count) { prepared.makingFloor() }
            let start = ContinuousClock.now
            keep(try await wrapper.wrap(rumor, for: recipients, ownCopy: .omitted, now: 1))
            let elapsed = seconds(since: start)
            if round == 0 { continue }
            best = [min(best[0], serial / total), min(best[1], floor), min(best[2], elapsed / total)]
        }
        return outcome("make gift wraps on all cores", "key pair + 2 sign + ECDH, all", recipients.count, best)
    }

    private static func outcome(_ work: String, _ floor: String, _ count: Int, _ best: [Double]) -> Outcome {
        let shared = best[0] / Double(cores)
        return Outcome(
            work: work,
            size: count,
            unit: "wraps",
            microseconds: best[2] * 1e6,
            allocations: nil,
            floors: [
                Outcome.Floor(name: "one core's time / \(cores)", microseconds: shared * 1e6, ratio: shared / best[2]),
                Outcome.Floor(name: floor, microseconds: best[1] * 1e6, ratio: best[1] / best[2]),
            ],
            exponent: nil,
            targets: [],
            reached: []
        )
    }
}

/// What one thread runs, and only that one: its closure changes memory of its own.
private struct Work: @unchecked Sendable {
    let body: () -> Void
}

func seconds(since start: ContinuousClock.Instant) -> Double {
    let elapsed = ContinuousClock.now - start
    return Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
}

func time(_ body: () -> Void) -> Double {
    let start = ContinuousClock.now
    body()
    return seconds(since: start)
}
