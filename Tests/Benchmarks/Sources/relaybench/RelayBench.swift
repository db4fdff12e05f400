import Foundation
import NostrCrypto
import NostrEvents

/// Loads any relay over plain Nostr, as sixteen clients do, and measures what they see. Events are signed before the clock
/// starts. The load takes part of the same processors, so compare relays with the same load only.
@main
enum RelayBench {
    static let usage = """
        usage: relaybench URL [--pid PID] [--events N] [STAGE...]

        Stages, in this order if none is named:
          publish   accepted events a second, 16 clients with 64 events in flight each
          latency   submit to OK, one connection, one event at a time; beside it fdatasync of 4 KiB in this directory
          query     REQ for 500 events: by author, by tag, by kinds and time
          fanout    one event to 5,000 matching subscriptions on 100 connections, then with 20,000 others beside
          idle      memory of the relay for 2,000 connections that do nothing (needs --pid)
          hostile   what a good client notices of hostile ones; only if named; 1 if that is more than three times
                    (--attack NAME, once or more: only of these)

        --pid PID     the relay's process, whose processor time and memory are read
        --events N    events of the publish stage, 100,000 if not said
        """

    static let stages = ["publish", "latency", "query", "fanout", "idle"]

    static func main() async {
        do {
            try await measure()
        } catch {
            FileHandle.standardError.write(Data("relaybench: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func measure() async throws {
        var url: String?
        var pid: Int?
        var events = 100_000
        var chosen: [String] = []
        var attacks: [Attack] = []
        var words = CommandLine.arguments.dropFirst()
        if words.first == "attack", words.count == 3, let attack = Attack(rawValue: Array(words)[1]) {
            return await attack.run(Array(words)[2])
        }
        while let word = words.popFirst() {
            switch word {
            case "--pid": pid = words.popFirst().flatMap { Int($0) }
            case "--events": events = words.popFirst().flatMap { Int($0) } ?? events
            case "--attack": attacks += [words.popFirst().flatMap(Attack.init)].compactMap(\.self)
            case _ where stages.contains(word) || word == "hostile": chosen.append(word)
            case _ where url == nil && word.hasPrefix("ws"): url = word
            default:
                print(usage)
                exit(64)
            }
        }
        guard let url else {
            print(usage)
            exit(64)
        }
        let run = Run(url: url, pid: pid, events: max(1_000, events))
        for stage in chosen.isEmpty ? stages : chosen {
            switch stage {
            case "publish": try await run.publish()
            case "latency": try await run.latency()
            case "query": try await run.query()
            case "fanout": try await run.fanOut()
            case "hostile":
                if !(try await Hostile(run: run, attacks: attacks.isEmpty ? Attack.allCases : attacks).measure()) {
                    exit(1)
                }
            default: try await run.idle()
            }
        }
    }
}

/// Keys and events that look like those of a relay: notes, likes and wraps of 500 authors, three tags each.
struct World: Sendable {
    let authors: [KeyPair]
    /// Different in each run, so that no event was there before.
    let seed = UInt64.random(in: 0 ... .max)
    let now = Int64(Date().timeIntervalSince1970)

    init() {
        authors = (0..<500).map { _ in KeyPair.generate() }
    }

    static let topics = 2_000

    func event(_ number: Int) -> Event {
        let author = authors[number % authors.count]
        let other = authors[(number * 7 + 3) % authors.count].publicKey.bytes.hex
        let content = "event \(number) of \(seed): " + String(repeating: "lorem ipsum dolor sit amet ", count: 6)
        return Event(
            kind: number % 10 < 6 ? .textNote : number % 10 < 9 ? .reaction : .giftWrap,
            content: content,
            tags: [Tag("p", other), Tag("t", "topic\(number % Self.topics)"), Tag("client", "relaybench")],
            createdAt: now - Int64(number % 86_400),
            signedBy: author
        )
    }

    /// The messages that publish events, made on all cores.
    func messages(_ range: Range<Int>) async -> [[UInt8]] {
        await withTaskGroup(of: (Int, [[UInt8]]).self) { group in
            for start in stride(from: range.lowerBound, to: range.upperBound, by: 500) {
                group.addTask {
                    (
                        start,
                        (start..<min(start + 500, range.upperBound)).map { ClientMessage.event(event($0).wire).json }
                    )
                }
            }
            var parts: [Int: [[UInt8]]] = [:]
            for await (start, part) in group { parts[start] = part }
            return parts.keys.sorted().flatMap { parts[$0] ?? [] }
        }
    }
}
