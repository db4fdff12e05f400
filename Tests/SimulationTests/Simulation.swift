import LinkstrClient
import LinkstrLinks
import LinkstrSessions
import Locking
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import TestSupport
import WebSocket

typealias AccountSent = AccountRuntime.Sent

/// Five devices of four people over four relays, with everything that can go wrong drawn from one seed. When it has become quiet, what
/// each device shows is compared with what was sent to it and with the others.
///
/// Times are those of a held loop, so that waiting costs nothing. The same seed makes the same plan, faults and clocks; only in
/// which order the threads of one device come is for the machine to say.
final class Simulation {
    private(set) var journal = Journal()
    private(set) var findings: [String] = []
    private(set) var failedSendings = 0
    var faults: Int { relays.map(\.faults).reduce(0, +) }

    private let loop: EventLoop
    private let relays: [SimulatedRelay]
    private var devices: [SimulatedDevice] = []
    private let people: [SecretKey]
    private var random: SeededGenerator
    private let seed: UInt64
    private let clock = Locked<Int64>(1_800_000_000)
    private var links = 0

    init(seed: UInt64) async throws {
        self.seed = seed
        random = SeededGenerator(seed: seed)
        let loop = try EventLoop(virtualTime: true)
        self.loop = loop
        var relays: [SimulatedRelay] = []
        for number in 0..<4 {
            relays.append(try await SimulatedRelay(number, seed: seed &* 31 &+ UInt64(number), on: loop))
        }
        self.relays = relays
        let source = Self.source(seed)
        people = (0..<4).map { _ in .generate(random: source) }
        for (name, person) in [("A1", 0), ("A2", 0), ("B1", 1), ("C1", 2), ("D1", 3)] {
            let skew = Int64.random(in: -10_800...10_800, using: &random)
            devices.append(try await device(name, people[person], skew: skew))
        }
    }

    func run(steps: Int) async throws {
        for step in 0..<steps { try await take(step) }
        try await calmDown()
        try await compare()
        for device in devices { await during { await device.runtime.close() } }
    }

    // MARK: Time

    /// Does something while the loop's time goes on.
    private func during<Result>(_ body: () async throws -> Result) async rethrows -> Result {
        let time = Task { [loop] in
            while !Task.isCancelled {
                await loop.advance(by: .milliseconds(20))
                try? await Task.sleep(for: .milliseconds(1))
            }
        }
        defer { time.cancel() }
        return try await body()
    }

    private func device(_ name: String, _ secretKey: SecretKey, skew: Int64) async throws -> SimulatedDevice {
        var options = ClientOptions()
        options.loops = EventLoopGroup(loop)
        options.sleep = { [loop] in try await loop.sleep(for: $0) }
        options.now = { [clock] in clock.withLock { $0 } + skew }
        options.random = Self.source(seed &+ UInt64(bitPattern: skew))
        options.gateTime = .seconds(4)
        options.acceptanceTime = .seconds(4)
        options.historyRetryTime = .seconds(5)
        options.transport.information = nil
        options.transport.random = { 0.5 }
        options.transport.backoff.first = .milliseconds(100)
        options.transport.backoff.longest = .seconds(2)
        let byURL = Dictionary(uniqueKeysWithValues: relays.map { ($0.url, $0) })
        let client = options.transport.webSocket
        options.transport.open = { url, _ async throws(WebSocketError) in
            guard let relay = byURL[url] else { throw .transport(.connectionRefused(url.text)) }
            return try await relay.connect(with: client)
        }
        return try await SimulatedDevice(name, secretKey, relays: relays.map(\.url), options: options)
    }

    private static func source(_ seed: UInt64) -> RandomSource {
        let random = Locked(SeededGenerator(seed: seed ^ 0x5EED))
        return RandomSource { buffer in
            random.withLock { random in
                for index in buffer.indices { buffer[index] = UInt8.random(in: 0...255, using: &random) }
            }
        }
    }

    // MARK: Steps

    private func take(_ step: Int) async throws {
        // What is drawn in one step does not depend on how the steps before went.
        random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(step))
        let passed = [0, 0, 1, 30, 300, 3_600].randomElement(using: &random) ?? 0
        clock.withLock { $0 += Int64(passed) }
        for relay in relays { await relay.advance(to: step) }
        let device = devices[Int.random(in: 0..<devices.count, using: &random)]
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<8: try await during { try await device.restart() }
        case 8..<18:
            await during { device.isLive ? await device.runtime.stop() : await device.runtime.start() }
            device.isLive.toggle()
        default: try await act(device)
        }
        await settle()
    }

    /// Lets devices that receive take in what is under way.
    private func settle() async {
        for device in devices where device.isLive {
            var (before, unchanged) = (await device.runtime.status().counters, 0)
            while unchanged < 3 {
                for _ in 0..<5 {
                    await loop.advance(by: .milliseconds(20))
                    try? await Task.sleep(for: .milliseconds(1))
                }
                let counters = await device.runtime.status().counters
                unchanged = counters == before ? unchanged + 1 : 0
                before = counters
            }
        }
    }

    private func act(_ device: SimulatedDevice) async throws {
        // Half of the time it does not know what was said since.
        if !device.isLive, Bool.random(using: &random) {
            _ = try await during { try await device.runtime.catchUp() }
        }
        if let first = device.waiting.first, Int.random(in: 0..<10, using: &random) < 7 {
            try await send(first, device)
        } else if let plan = try await plan(device) {
            device.waiting.append(plan)
            try await send(plan, device)
        }
    }

    private func send(_ outgoing: Outgoing, _ device: SimulatedDevice) async throws {
        do {
            journal.note(try await during { try await device.runtime.send(outgoing) })
            device.waiting.removeAll { $0.fact.id == outgoing.fact.id }
        } catch let error as ClientError {
            if case .store = error { throw error }
            failedSendings += 1
        }
    }

    /// What this device says next. Its names are drawn here, so that they do not depend on what its runtime draws.
    private func plan(_ device: SimulatedDevice) async throws -> Outgoing? {
        let store = device.runtime.store
        let now = device.runtime.planner().now
        let source = Self.source(random.next())
        let planner = OutgoingPlanner(owner: device.key, now: now, random: source)
        let sessions = try await store.sessions().sorted { $0.id < $1.id }
        do throws(OutgoingError) {
            // Most are by the person with two devices, whose member lists do not know of each other.
            let chance = device.name.hasPrefix("A") ? (sessions.isEmpty ? 100 : 4) : (sessions.isEmpty ? 10 : 2)
            let makesOne = sessions.count < 3 && Int.random(in: 0..<100, using: &random) < chance
            if makesOne {
                return try planner.create(name: "session \(journal.sessions.count)", members: some(device.key))
            }
        } catch {
            return nil
        }
        guard let session = sessions.randomElement(using: &random), let log = try await store.log(session.id) else {
            return nil
        }
        let items = try await store.feed(FeedQuery(session: session.id, limit: 500)).items
        let item = items.randomElement(using: &random)
        let choice = Int.random(in: 0..<100, using: &random)
        do {
            if log.creator == device.key, choice < 50 {
                if choice < 1 { return try planner.delete(log) }
                let after = Bool.random(using: &random) ? session.updatedAt : nil
                if choice < 12 {
                    return try planner.update(log, name: "name \(choice) of \(device.name)", after: after)
                }
                return try planner.update(log, members: [device.key] + some(device.key), after: after)
            }
            if let item, choice < 60 {
                let emoji = Bool.random(using: &random) ? "👍" : "👀"
                let slot = try await store.reactions(to: item.post.id, in: session.id, ExactText(emoji), by: device.key)
                let isActive = Int.random(in: 0..<3, using: &random) > 0
                return try planner.react(to: item.post, emoji, isActive: isActive, known: slot, in: log)
            }
            if let item, choice < 70 { return try planner.delete(item.post, in: log) }
            links += 1
            return try planner.post(WebURL("https://example.com/\(links)"), in: log)
        } catch is OutgoingError {
            return nil
        }
    }

    /// Some of the others.
    private func some(_ key: Bytes32) -> [Bytes32] {
        people.map(\.publicKey.bytes).filter { $0 != key && Int.random(in: 0..<10, using: &random) < 7 }
    }

    // MARK: Quiet

    /// Relays are well, everything that waits is sent, and everybody reads until nothing is new.
    private func calmDown() async throws {
        for relay in relays { await relay.calm() }
        for device in devices {
            try await during { try await device.restart() }
            for outgoing in device.waiting { try await send(outgoing, device) }
            if !device.waiting.isEmpty { findings.append("\(device.name) cannot send over calm relays") }
        }
        for person in 0..<2 {
            devices.append(try await device("\("AB".dropFirst(person).prefix(1))3", people[person], skew: 0))
        }
        // A device reads only what is new to it; one that is new itself reads all.
        for round in 0..<10 {
            var opened = 0
            for device in devices {
                let report = try await during { try await device.runtime.catchUp() }
                opened += report.opened
                for (relay, reason) in report.incomplete {
                    findings.append("\(device.name) cannot read the calm \(relay.text): \(reason)")
                }
            }
            if opened == 0 { return }
            if round == 9 { findings.append("it does not become quiet") }
        }
    }

    // MARK: What must be so

    private struct View: Equatable {
        let name: String?
        let creator: Bytes32?
        let membership: Membership
        let posts: [EventID: [ExactText: Set<Bytes32>]]
    }

    private func view(_ device: SimulatedDevice) async throws -> [SessionID: View] {
        var views: [SessionID: View] = [:]
        let store = device.runtime.store
        for session in try await store.sessions() {
            guard var log = try await store.log(session.id) else { continue }
            var posts: [EventID: [ExactText: Set<Bytes32>]] = [:]
            for item in try await store.feed(FeedQuery(session: session.id, limit: 500)).items {
                posts[item.post.id] = Dictionary(
                    uniqueKeysWithValues: item.reactions.map { ($0.emoji, Set($0.senders)) }
                )
            }
            views[session.id] = View(name: session.name, creator: log.creator, membership: log.membership, posts: posts)
        }
        return views
    }

    private func compare() async throws {
        var views: [[SessionID: View]] = []
        for device in devices { views.append(try await view(device)) }
        for session in journal.sessions.sorted() {
            for (device, views) in zip(devices, views) { check(views[session], session, device) }
            checkMembers(session, zip(devices, views).map { ($0, $1[session]) })
        }
        for (index, device) in devices.enumerated() {
            guard let first = devices.firstIndex(where: { $0.key == device.key }), first < index else { continue }
            if views[first] != views[index] { findings.append("\(devices[first].name) and \(device.name) differ") }
        }
    }

    /// One device against what reached it.
    private func check(_ view: View?, _ session: SessionID, _ device: SimulatedDevice) {
        let isListed = journal.lists(of: session, at: device.key).contains { $0.members.contains(device.key) }
        guard isListed, !journal.isDeleted(session, at: device.key) else {
            if view != nil, journal.isDeleted(session, at: device.key) {
                findings.append("\(device.name) shows the deleted \(session)")
            }
            return
        }
        guard let view else {
            findings.append("\(device.name) does not show \(session)")
            return
        }
        let (expected, possible) = (
            journal.posts(of: session, at: device.key, view.membership, takesPerhaps: false),
            journal.posts(of: session, at: device.key, view.membership, takesPerhaps: true)
        )
        if view.posts != expected, view.posts != possible {
            let (lost, foreign) = (
                Set(expected.keys).subtracting(view.posts.keys), Set(view.posts.keys).subtracting(expected.keys)
            )
            findings.append(
                "\(device.name) in \(session): lacks \(lost.count) posts, has \(foreign.count) too many, of \(expected.count)"
            )
        }
    }

    /// The creator's devices know all lists; whoever is a member, or was, knows the last one.
    private func checkMembers(_ session: SessionID, _ views: [(SimulatedDevice, View?)]) {
        let lists = journal.lists(of: session)
        guard let last = lists.last, !journal.isDeleted(session), let creator = views.compactMap(\.1?.creator).first
        else { return }
        let name = lists.compactMap(\.name).last
        for (device, view) in views {
            guard let view else { continue }
            if view.creator != creator { findings.append("\(device.name) takes another for the creator of \(session)") }
            if device.key == creator {
                let isRight = journal.entries.filter { $0.fact.session == session }.allSatisfy { entry in
                    let time = entry.fact.time
                    let listed = lists.last { $0.moment.time <= time }?.members ?? []
                    return people.allSatisfy {
                        view.membership.contains($0.publicKey.bytes, at: time) == listed.contains($0.publicKey.bytes)
                    }
                }
                if !isRight { findings.append("\(device.name) has other members at some times in \(session)") }
            }
            let isMember = last.members.contains(device.key)
            if isMember, Set(view.membership.members) != last.members || view.name != name {
                findings.append("\(device.name) is a member of \(session) and does not have its last list")
            }
            if !isMember, view.membership.isMember(device.key), !journal.missed.contains(device.key) {
                findings.append("\(device.name) does not know that it left \(session)")
            }
        }
    }
}
