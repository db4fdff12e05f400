import Foundation
import LinkstrSessions
import NostrCrypto
import NostrEvents
import SQLite
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A process that applies batches is killed at any instant. `LINKSTR_SESSION_KILLS` asks for more of it.
@Suite("A killed process", .timeLimit(.minutes(30)))
struct KillTests {
    static let batchSize = 20

    static func batch(_ number: Int) -> [Fact] {
        let make = Maker()
        var facts = (0..<batchSize - 2).map { make.root(by: peer, at: Int64(1_000 + number), "\(number)/\($0)") }
        facts.append(make.react(to: facts[0], by: creator, at: Int64(1_000 + number)))
        facts.append(make.members([creator, owner, peer], at: Int64(1_000 + number), name: "N\(number)"))
        return facts
    }

    @Test("leaves whole batches only, those acknowledged among them, and a sound database")
    func wholeBatches() async throws {
        var failures: [String] = []
        let scratch = try Scratch()
        let path = scratch.path
        let setUp = try await Device(scratch: scratch)
        try await setUp.take(Maker().create([creator, owner, peer], at: 100))
        try await setUp.store.close()
        var stored = 0
        for round in 0..<UInt32(Environment.number("LINKSTR_SESSION_KILLS") ?? 8) {
            let delay = 3_000 + round &* 7_919 % 90_000
            let first = stored
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = path as String, delay = delay as UInt32, first = first as Int] in
                let store = try await SessionStore.open(
                    .file(path),
                    owner: owner,
                    key: dataKey,
                    options: SessionStoreOptions(synchronous: .normal, recentFacts: 300)
                )
                let acknowledged = open("\(path).ack", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
                for number in first... {
                    _ = try await store.apply(
                        KillTests.batch(number).map { Arrival($0, source: .historical) },
                        now: 5_000
                    )
                    var byte: UInt8 = 1
                    write(acknowledged, &byte, 1)
                    guard number == first else { continue }
                    // However slow the machine is, something is acknowledged before the end.
                    Thread.detachNewThread {
                        usleep(delay)
                        kill(getpid(), SIGKILL)
                    }
                }
            }
            let device = try await Device(isRestored: false, scratch: scratch)
            if try await !device.store.integrityCheck().isEmpty { failures.append("\(round): damaged") }
            let posts = try await device.store.feed(FeedQuery(session: films, limit: 10_000_000)).items
            let perBatch = Self.batchSize - 2
            if posts.count % perBatch != 0 { failures.append("\(round): half a batch") }
            let batches = posts.count / perBatch
            let reactions = posts.count { !$0.reactions.isEmpty }
            let name = batches == 0 ? "Films" : "N\(batches - 1)"
            if reactions != batches { failures.append("\(round): \(reactions) reactions, \(batches) batches") }
            if try await device.name() != name { failures.append("\(round): name") }
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path + ".ack"))
            let acknowledged = try file.readToEnd()?.count ?? 0
            if batches < stored + acknowledged { failures.append("\(round): \(acknowledged) acknowledged, lost") }
            if try await !device.store.isKnown(Self.batch(batches - 1)[3].id) { failures.append("\(round): no key") }
            stored = batches
            try await device.store.close()
        }
        #expect(failures.isEmpty)
    }
}
