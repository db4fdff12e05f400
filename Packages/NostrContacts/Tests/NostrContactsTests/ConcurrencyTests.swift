import Locking
import NostrContacts
import NostrCrypto
import NostrEvents
import TestSupport
import Testing

/// Two devices of one account, three relays, and the network between them: everything that is under way is delivered in an order
/// drawn from the seed.
private final class World: Sendable {
    struct Relay {
        var list: Event?
        /// Events that were accepted and not yet looked at.
        var delayed: [Event] = []
    }

    struct State {
        var random: SeededGenerator
        var now: Int64 = 1_000
        /// An honest relay, one that lags behind, and one that says nothing.
        var relays = [Relay(), Relay(), Relay()]
        var isSilent = true
        /// What each device has not received yet.
        var inbox: [[Event]] = [[], []]
        /// Devices that have asked all relays with success, or have received a list.
        var informed: Set<Int> = []
        var ignorant = 0
        /// Lists that the honest relay has accepted.
        var publications: Int64 = 0
        /// What was published and received, for the report of a failure.
        var trace: [String] = []
    }

    struct NoAnswer: Error {}
    /// The relay has a newer list.
    struct Replaced: Error {}

    let state: Locked<State>

    init(seed: UInt64, first: Event) {
        var state = State(random: SeededGenerator(seed: seed))
        for index in 0..<3 { state.relays[index].list = first }
        self.state = Locked(state)
    }

    private static func newer(_ left: Event?, _ right: Event) -> Event {
        guard let left, ReplaceableVersion(left) >= ReplaceableVersion(right) else { return right }
        return left
    }

    func environment(_ device: Int) -> FollowListEnvironment {
        FollowListEnvironment(
            publish: { event in
                await self.yield()
                let isAccepted = self.state.withLock { state in
                    if !state.informed.contains(device) { state.ignorant += 1 }
                    state.relays[1].delayed.append(event)
                    guard Self.newer(state.relays[0].list, event) == event else { return false }
                    state.relays[0].list = event
                    state.publications += 1
                    state.trace.append("\(device) publishes \(Self.text(event))")
                    // The honest relay tells everybody what it accepts, also the author; in its own time.
                    for index in 0..<2 { state.inbox[index].append(event) }
                    return true
                }
                await self.yield()
                guard isAccepted else { throw Replaced() }
            },
            fetchNewest: {
                await self.yield()
                let answer: [Event]? = self.state.withLock { state in
                    if state.isSilent, Bool.random(using: &state.random) { return nil }
                    state.informed.insert(device)
                    return state.relays.compactMap(\.list)
                }
                await self.yield()
                guard let answer else { throw NoAnswer() }
                return answer
            },
            now: { self.state.withLock { $0.now } }
        )
    }

    /// Gives others a turn, a number of times that is drawn.
    func yield() async {
        let count = state.withLock { Int.random(in: 0..<4, using: &$0.random) }
        for _ in 0..<count { await Task.yield() }
    }

    /// Something of the network happens: the lagging relay catches up, a device receives, a second passes.
    func step(_ editors: [FollowListEditor]) async throws {
        enum Step { case deliver(Int, Event), nothing }
        let step: Step = state.withLock { state in
            switch Int.random(in: 0..<5, using: &state.random) {
            case 0:
                if !state.relays[1].delayed.isEmpty {
                    let event = state.relays[1].delayed.removeFirst()
                    state.relays[1].list = Self.newer(state.relays[1].list, event)
                }
                return .nothing
            case 1:
                // Seconds pass while lists are made, not while threads of the test wait for each other, or try again and again
                // what a relay refuses.
                if state.now < 1_000 + state.publications { state.now += 1 }
                return .nothing
            default:
                let device = Int.random(in: 0..<2, using: &state.random)
                guard !state.inbox[device].isEmpty else { return .nothing }
                // Subscriptions of several relays do not keep one order.
                let place = Int.random(in: 0..<state.inbox[device].count, using: &state.random)
                return .deliver(device, state.inbox[device].remove(at: place))
            }
        }
        if case .deliver(let device, let event) = step {
            _ = state.withLock { $0.informed.insert(device) }
            let outcome = try await editors[device].receive(event)
            state.withLock { $0.trace.append("\(device) receives \(Self.text(event)): \(outcome) at \($0.now)") }
        }
    }

    /// A list by its time, the beginning of its id, and whom it follows.
    private static func text(_ event: Event) -> String {
        let follows = event.tags.compactMap { Follow($0) }.compactMap { ConcurrencyTests.number(of: $0.key) }.sorted()
        return "\(event.createdAt)/\(event.id.hex.prefix(4)) \(follows)"
    }

    var trace: String { state.withLock { $0.trace.joined(separator: "\n") } }
    var isQuiet: Bool { state.withLock { $0.inbox.allSatisfy(\.isEmpty) } }
    var list: FollowList? { state.withLock { $0.relays[0].list }.flatMap(FollowList.init) }
    var ignorant: Int { state.withLock { $0.ignorant } }
}

@Suite("Two devices that change one follow list")
struct ConcurrencyTests {
    private static let keys = (0..<12).map { _ in KeyPair.generate().publicKey }

    /// Which of the keys it is.
    static func number(of key: Bytes32) -> Int? { keys.firstIndex { $0.bytes == key } }

    /// Runs one seed; gives what went wrong.
    private func problem(seed: UInt64) async throws -> String? {
        let keys = Self.keys
        let kept = [Tag("p", keys[0].hex, "wss://a.example", "Al"), Tag("t", "nostr"), Tag("x", "", "y")]
        let first = listEvent(kept + tags([keys[1], keys[2], keys[3]]), at: 900, content: "kept")
        let world = World(seed: seed, first: first)
        let editors = (0..<2).map { FollowListEditor(keyPair: me, environment: world.environment($0)) }
        // What each device does is about people of its own, so that nothing is changed by both.
        let changes: [[@Sendable (FollowListEditor) async throws -> Void]] = [
            [
                { _ = try await $0.add([follow(keys[4])]) }, { _ = try await $0.remove([keys[1].bytes]) },
                { _ = try await $0.add([follow(keys[5]), follow(keys[6])]) },
            ],
            [
                { _ = try await $0.add([follow(keys[7])]) }, { _ = try await $0.remove([keys[2].bytes]) },
                { _ = try await $0.add([follow(keys[8])]) },
            ],
        ]
        let done = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for device in 0..<2 {
                group.addTask {
                    for change in changes[device] {
                        await world.yield()
                        while true {
                            do {
                                try await change(editors[device])
                                break
                            } catch ContactsError.listUnknown {
                                try? await editors[device].load()
                            } catch ContactsError.conflict {
                                continue
                            } catch is World.Replaced {
                                await world.yield()
                            }
                        }
                    }
                    done.withLock { $0 += 1 }
                }
            }
            group.addTask {
                while done.withLock({ $0 }) < 2 {
                    try await world.step(editors)
                    await Task.yield()
                }
            }
            try await group.waitForAll()
        }
        for _ in 0..<500 {
            try await world.step(editors)
            for editor in editors where await editor.needsSettling {
                // What a relay refuses, or what is changed meanwhile, is to be done when the newer list is here.
                _ = try? await editor.settle()
            }
            let needs = await [editors[0].needsSettling, editors[1].needsSettling]
            if world.isQuiet, needs == [false, false] { break }
        }
        let expected = Set([0, 3, 4, 5, 6, 7, 8].map { keys[$0].bytes })
        guard let list = world.list else { return "seed \(seed): no list" }
        if world.ignorant > 0 { return "seed \(seed): published from ignorance" }
        if list.keys != expected {
            let numbers = list.keys.compactMap(Self.number(of:)).sorted()
            return "seed \(seed): follows \(numbers)\n\(world.trace)"
        }
        if Array(list.tags.prefix(3)) != kept || list.content != "kept" { return "seed \(seed): a tag was lost" }
        return nil
    }

    @Test("lose nobody's change and publish nothing from ignorance, whatever the order of things")
    func interleavings() async throws {
        var problems: [String] = []
        for seed in 0..<UInt64(Proof.count(200, in: "CONTACTS_SEEDS")) {
            if let problem = try await problem(seed: seed) { problems.append(problem) }
        }
        #expect(problems.isEmpty, "\(problems.prefix(5))")
    }
}
