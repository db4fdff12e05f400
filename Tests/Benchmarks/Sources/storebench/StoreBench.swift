import Foundation
import Negentropy
import NostrCrypto
import NostrEvents
import NostrStore
import SQLite

/// Fills an event database with signed notes, likes and wraps of 1,000 authors, three tags each, and measures what a relay
/// asks of it. Verification is not in the figures; signing happens before the clock starts.
@main
enum StoreBench {
    static let usage = """
        usage: storebench FILE [EVENTS] [--normal] [--search]

        Makes the event database FILE, which must not exist, with EVENTS events (100,000 if not said) and prints how long
        storing and asking took. --normal does not wait for the disk at each commit. --search indexes the contents of notes,
        and says how large that makes the file.
        """

    static func main() async throws {
        let words = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
        let flags = Set(CommandLine.arguments.dropFirst().filter { $0.hasPrefix("--") })
        let options = StoreOptions(
            synchronous: flags.contains("--normal") ? .normal : .full,
            searchKinds: flags.contains("--search") ? [.textNote] : []
        )
        if flags.contains("--until-killed"), words.count == 2, let turn = Int(words[words.startIndex + 1]) {
            return try await storeUntilKilled(words[words.startIndex], turn, options)
        }
        guard flags.isSubset(of: ["--normal", "--search"]), let path = words.first, !path.hasPrefix("-"),
            !FileManager.default.fileExists(atPath: path),
            let total = words.count > 1 ? Int(words[words.startIndex + 1]) : 100_000, total >= 1_000
        else {
            print(usage)
            exit(64)
        }
        let world = try World()
        let store = try await EventStore(.file(path), options: options)
        let json = try await fill(store, total, world)
        try await submitOneByOne(store, total, world)
        report("close", seconds: try await Clock.time { try await store.close() })
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        print("size: \(size / total) bytes an event, \(figure(Double(size) / Double(json))) of the raw JSON")
        let again = try await Clock.time { try await EventStore(.file(path), options: options) }
        report("open", seconds: again.seconds)
        if flags.contains("--search") {
            let filter = Filter(limit: 100, search: "w118v w22hq")
            let search = try await Clock.time { try await again.result.events(matching: [filter]) }
            print("\(search.result.count) events that a search finds: \(figure(search.seconds * 1e3)) ms")
        }
        try await ask(again.result, total, world)
        try await again.result.close()
        try await openAfterKill(path, options, flags)
    }

    /// Sixteen clients, 32 events at a time each.
    /// - Returns: The bytes of all of them as JSON.
    private static func fill(_ store: EventStore, _ total: Int, _ world: World) async throws -> Int {
        var json = 0
        var wall = 0.0
        var processor = 0.0
        for start in stride(from: 0, to: total, by: 50_000) {
            let events = (start..<min(start + 50_000, total)).map(world.event)
            json += events.reduce(0) { $0 + $1.json.count }
            let before = Clock.processor()
            wall += try await Clock.time {
                try await ingest(events, into: store)
            }
            processor += Clock.processor() - before
        }
        print(
            "ingest of \(total): \(Int(Double(total) / wall)) a second, \(figure(processor / Double(total) * 1e6)) us of CPU each"
        )
        print("raw JSON: \(json / total) bytes an event")
        return json
    }

    private static func ingest(_ events: [Event], into store: EventStore) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<16 {
                group.addTask {
                    for first in stride(from: client * 32, to: events.count, by: 16 * 32) {
                        _ = try await store.ingest(Array(events[first..<min(first + 32, events.count)]))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func submitOneByOne(_ store: EventStore, _ total: Int, _ world: World) async throws {
        var seconds: [Double] = []
        for event in (total..<total + 500).map(world.event) {
            seconds.append(try await Clock.time { _ = try await store.ingest(event) })
        }
        seconds.sort()
        print(
            "submit to commit, one at a time: p50 \(figure(seconds[250] * 1e3)) ms, p95 \(figure(seconds[475] * 1e3)) ms"
        )
    }

    /// Kills a process that stores, as soon as it does, and opens what it has left; the longest of five times.
    private static func openAfterKill(_ path: String, _ options: StoreOptions, _ flags: Set<String>) async throws {
        var worst = (seconds: 0.0, keys: 0)
        for turn in 0..<5 {
            let process = Process()
            let output = Pipe()
            process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
            process.arguments = [path, "\(turn)", "--until-killed"] + flags.sorted()
            process.standardOutput = output
            try process.run()
            _ = output.fileHandleForReading.availableData
            // Each time elsewhere between one merge of keys and the next.
            try await Task.sleep(for: .milliseconds(250 + 37 * turn))
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            let opened = try await Clock.time { try await EventStore(.file(path), options: options) }
            let keys = try await opened.result.statistics().keysInMemory
            if opened.seconds > worst.seconds { worst = (opened.seconds, keys) }
            try await opened.result.close()
        }
        print("open after a kill, the longest of 5: \(figure(worst.seconds * 1e3)) ms, \(worst.keys) keys in memory")
    }

    /// What is killed.
    private static func storeUntilKilled(_ path: String, _ turn: Int, _ options: StoreOptions) async throws {
        let world = try World()
        let store = try await EventStore(.file(path), options: options)
        let first = 100_000_000 + turn * 100_000
        let events = (first..<first + 100_000).map(world.event)
        FileHandle.standardOutput.write(Data("storing\n".utf8))
        try await ingest(events, into: store)
    }

    private static func ask(_ store: EventStore, _ total: Int, _ world: World) async throws {
        let middle = World.start + Int64(total / 2)
        let everybody = Set(world.people.map(\.publicKey.bytes))
        let rows: [(String, (Int) -> Filter)] = [
            ("author", { Filter(authors: [world.people[$0 * 7].publicKey.bytes], limit: 500) }),
            ("hashtag", { Filter(tags: [.t: ["topic\($0)"]], limit: 500) }),
            ("likes of an event", { Filter(kinds: [.reaction], tags: [.e: [World.thread($0 * 10 + 4)]], limit: 500) }),
            (
                "kinds and time",
                { Filter(kinds: [1, 7], since: middle, until: middle + Int64($0 + 1) * 1_000, limit: 500) }
            ),
            ("newest", { _ in Filter(limit: 500) }),
            ("1,000 authors and a kind", { _ in Filter(authors: everybody, kinds: [.reaction], limit: 500) }),
        ]
        for (name, filter) in rows {
            var first: [Double] = []
            var all: [Double] = []
            var count = 0
            let before = Clock.processor()
            for turn in 0..<50 {
                first.append(try await Clock.time { _ = try await store.page(matching: [filter(turn)], count: 1) })
                let answer = try await Clock.time { try await store.events(matching: [filter(turn)]) }
                all.append(answer.seconds)
                count = answer.result.count
            }
            let processor = (Clock.processor() - before) / 50
            print(
                "\(name): first p50 \(figure(first.sorted()[25] * 1e3)) ms, \(count) events p50",
                "\(figure(all.sorted()[25] * 1e3)) ms, \(figure(processor * 1e3)) ms of CPU for both"
            )
        }
        let count = try await Clock.time { try await store.count(matching: [Filter(kinds: [.reaction])]) }
        report("count of \(count.result)", seconds: count.seconds)
        let set = try await Clock.time { try await store.negentropySet(matching: [Filter()], maximum: .max) }
        report("sorted set of \(set.result.count)", seconds: set.seconds)
    }

    private static func report(_ what: String, seconds: Double) {
        print("\(what): \(figure(seconds * 1e3)) ms")
    }

    private static func figure(_ value: Double) -> String {
        String(format: "%.2f", value)
    }
}

/// Who writes and what.
struct World: Sendable {
    static let start: Int64 = 1_700_000_000
    let people: [KeyPair]

    init() throws {
        people = try (0..<1_000).map { number in
            KeyPair(try SecretKey(bytes: Array(SHA256.hash(Array("person \(number)".utf8)).array)))
        }
    }

    static func thread(_ number: Int) -> String {
        SHA256.hash(Array("thread \(number % 50_000)".utf8)).hex
    }

    /// Words of a vocabulary of some thousand, some much more frequent than others, as long as notes usually are.
    private func text(_ number: Int) -> String {
        var state = UInt64(truncatingIfNeeded: number) &* 0x9e37_79b9_7f4a_7c15 | 1
        return (0..<16).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            let chance = Double(state >> 11) / Double(1 << 53)
            return "w" + String(UInt64(20_000 * chance * chance * chance) &* 48_271 % 1_000_003, radix: 36)
        }.joined(separator: " ")
    }

    func event(_ number: Int) -> Event {
        let kinds: [Kind] = [1, 1, 1, 1, 7, 7, 1059, 6, 1, 1]
        return Event(
            kind: kinds[number % 10],
            content: text(number),
            tags: [
                Tag("e", Self.thread(number)),
                Tag("p", people[number &* 104_729 % 1_000].publicKey.hex),
                Tag("t", "topic\(number % 300)"),
            ],
            createdAt: Self.start + Int64(number),
            signedBy: people[number &* 7_919 % 1_000]
        )
    }
}

enum Clock {
    static func time<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Result
    ) async rethrows -> (result: Result, seconds: Double) {
        let start = ContinuousClock.now
        let result = try await work()
        let elapsed = (ContinuousClock.now - start).components
        return (result, Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18)
    }

    static func time(
        isolation: isolated (any Actor)? = #isolation,
        _ work: () async throws -> Void
    ) async rethrows -> Double {
        let start = ContinuousClock.now
        try await work()
        let elapsed = (ContinuousClock.now - start).components
        return Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18
    }

    /// Seconds of processor time that this process used.
    static func processor() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}
