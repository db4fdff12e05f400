import Foundation
import TestSupport
import Testing

/// The apps are killed with SIGKILL at any instant while they send or restore. `LINKSTR_CRASH_KILLS` asks for more kills than a few,
/// `LINKSTR_CRASH_SEED` for others; `scripts/prove-crash.sh` is the whole proof.
@Suite("Killed at any instant", .timeLimit(.minutes(60)))
struct CrashTests {
    @Test("what was reported as sent is on the relay and in the database, and the next start is clean")
    func kills() throws {
        let environment = ProcessInfo.processInfo.environment
        let kills = environment["LINKSTR_CRASH_KILLS"].flatMap { Int($0) } ?? 10
        let seed = environment["LINKSTR_CRASH_SEED"].flatMap { UInt64($0) } ?? 1
        var crash = try CrashRig(seed: seed)
        var rounds = 0
        // Not every process is still there when its time has come.
        while crash.killed < kills, rounds < 10 * kills {
            try crash.kill(rounds)
            rounds += 1
        }
        #expect(crash.killed >= kills && crash.reported.count > 1)
        print("crash: \(rounds) rounds with seed \(seed), \(crash)")
    }
}

/// Ann, whose processes are killed, Ben, who sees what came of it, and their relay.
struct CrashRig: CustomStringConvertible {
    private typealias Person = SharingTests.Person

    /// Posts of which a process said that they were sent.
    private(set) var reported: Set<String> = []
    /// Processes that did not end before they were killed.
    private(set) var killed = 0
    /// Posts that were sent though no process was left to say so.
    private var untold: Set<String> = []
    private var restored = 0

    private let relay: RelayProcess
    private let folder: TemporaryFolder
    private let ann: Person
    private let ben: Person
    private var random: SeededGenerator
    /// How long it takes if nobody kills it, in seconds.
    private var postTime: TimeInterval = 0.5
    private var syncTime: TimeInterval = 0
    private var links = 0

    var description: String {
        "\(killed) killed, \(reported.count) posts reported and found, \(untold.count) sent without a report, \(restored) restores"
    }

    init(seed: UInt64) throws {
        random = SeededGenerator(seed: seed)
        folder = try TemporaryFolder()
        relay = try RelayProcess(["--database", folder.path + "/relay.db"])
        ann = try Person("Ann", relay: relay.url)
        ben = try Person("Ben", relay: relay.url)
        _ = try ann.output("session", "new", "Films", "--member", ben.npub, "--yes", "--not-a-contact")
        for _ in 0..<4 { try note(post()) }
        #expect(reported.count == 4)
        _ = try ben.output("sync")
        syncTime = try Self.time { _ = try ann.freshDevice(relays: [relay.url]).output("sync") }
    }

    /// One process, one kill if it comes in time.
    mutating func kill(_ number: Int) throws {
        let before = (reported: reported.count, killed: killed)
        switch number % 4 {
        case 0, 1: try killCommandThatSends()
        case 2: try killDaemonThatSends()
        default: try killRestore(byDaemon: number % 8 == 3)
        }
        try check("round \(number), \(reported.count - before.reported) reported, \(killed - before.killed) killed")
    }

    // MARK: What is killed

    private mutating func killCommandThatSends() throws {
        try note(post(killsAfter: instant(within: postTime)))
    }

    private mutating func killDaemonThatSends() throws {
        let daemon = try DaemonProcess(home: ann.folder)
        let (pid, delay) = (daemon.pid, instant(within: 2 * postTime))
        Thread.detachNewThread {
            Thread.sleep(forTimeInterval: delay)
            Foundation.kill(pid, SIGKILL)
        }
        // Those after the kill are sent without the daemon.
        for _ in 0..<4 { try note(post(measures: false)) }
        #expect(daemon.end(by: 0) == -SIGKILL)
        killed += 1
    }

    private mutating func killRestore(byDaemon: Bool) throws {
        let device = try ann.freshDevice(relays: [relay.url])
        if byDaemon {
            let daemon = try DaemonProcess(starting: [], home: device.folder)
            Thread.sleep(forTimeInterval: instant(within: syncTime))
            #expect(daemon.end(by: SIGKILL) == -SIGKILL)
            killed += 1
        } else {
            var plan = RunningProcess.Plan()
            plan.killsAfter = instant(within: syncTime)
            var code: Int32 = 0
            let took = try Self.time {
                code = try LinkstrProcess.run(["--home", device.folder.path, "sync"], plan: plan).code
            }
            if code == -SIGKILL { killed += 1 }
            if code == 0 { syncTime += (took - syncTime) / 4 }
        }
        // What had been read is used, what had not is read.
        try expectClean(device)
        #expect(try posts(of: device) == posts(of: ann))
        restored += 1
    }

    // MARK: What must be so afterwards

    private mutating func check(_ round: String) throws {
        let here = try posts(of: ann)
        #expect(reported.isSubset(of: here), "\(round): not in the database: \(reported.subtracting(here))")
        try expectClean(ann)
        _ = try ben.output("sync")
        let (synced, there) = (try posts(of: ann), try posts(of: ben))
        #expect(reported.isSubset(of: there), "\(round): not on the relay: \(reported.subtracting(there))")
        #expect(here.isSubset(of: there), "\(round): stored and not sent: \(here.subtracting(there))")
        #expect(synced == there, "\(round): sent in part: \(synced.symmetricDifference(there))")
        untold = synced.subtracting(reported)
    }

    /// The next start is clean: no lock is left behind, and nothing is damaged.
    private func expectClean(_ person: Person) throws {
        for arguments in [["sync"], ["doctor"]] {
            let ending = try person.run(arguments)
            #expect(ending.code == 0, "\(arguments[0]): \(ending.text)\(ending.errorText)")
        }
    }

    private func posts(of person: Person) throws -> Set<String> {
        let feed = try person.run(["feed", "Films", "--limit", "100000", "--json"])
        #expect(feed.code == 0, "\(feed.errorText)")
        return Set(try feed.lines.compactMap { try $0.field("id") })
    }

    // MARK: Sending

    private mutating func post(killsAfter time: TimeInterval? = nil, measures: Bool = true) throws
        -> RunningProcess.Ending
    {
        links += 1
        var plan = RunningProcess.Plan()
        plan.killsAfter = time
        let words = ["--home", ann.folder.path, "post", "Films", "example.com/\(links)", "--json"]
        var ending: RunningProcess.Ending?
        let took = try Self.time { ending = try LinkstrProcess.run(words, plan: plan) }
        // The machine may be busier at one time than at another.
        if measures, ending?.code == 0 { postTime += (took - postTime) / 4 }
        return try #require(ending)
    }

    private mutating func note(_ ending: RunningProcess.Ending) {
        if ending.code == -SIGKILL { killed += 1 }
        // What stands on the output was reported, whatever came then.
        for line in ending.lines {
            if let id = try? line.field("id") { reported.insert(id) }
        }
    }

    // MARK: Instants

    /// Any instant of what takes so long by itself; every second time one in its second half, where the work is.
    private mutating func instant(within whole: TimeInterval) -> TimeInterval {
        let from = Bool.random(using: &random) ? whole / 2 : 0
        return .random(in: from...whole * 1.1, using: &random)
    }

    private static func time(_ body: () throws -> Void) rethrows -> TimeInterval {
        let start = Date()
        try body()
        return Date().timeIntervalSince(start)
    }
}
