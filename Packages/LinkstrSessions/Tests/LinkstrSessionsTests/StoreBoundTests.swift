import LinkstrSessions
import NostrCrypto
import NostrEvents
import SQLite
import TestSupport
import Testing

@Suite("The bounds of a session store")
struct StoreBoundTests {
    @Test("keeps the 64 greatest reactions of a slot, in any order")
    func slotBound() async throws {
        let root = make.root(at: 110)
        let reactions = (0..<100).map { make.react(to: root, at: 200 + Int64($0), "👍", $0 % 2 == 0) }
        for order in [reactions, reactions.reversed()] {
            let device = try await Device(options: SessionStoreOptions(synchronous: .normal, recentFacts: 30))
            try await device.take(make.create(all, at: 100), root)
            for reaction in order { try await device.take(reaction) }
            let slot = try await device.store.reactions(to: root.id, in: films, ExactText("👍"), by: peer)
            #expect(slot.reactions.map(\.moment.id) == reactions.suffix(64).map(\.id))
        }
    }

    @Test("decides between reactions of one second by their whole ids, also where these begin alike")
    func alikeIDs() async throws {
        let root = make.root(at: 110)
        func say(_ isActive: Bool, _ number: UInt64) -> Fact {
            make.react(to: root, at: 200, "👍", isActive, id: EventID(Bytes32(words: 9, 9, 9, number)))
        }
        let facts = (1...66).map { say($0 % 2 == 0, $0) }
        for order in [facts, facts.reversed(), facts.shuffled()] {
            let device = try await Device()
            try await device.take(make.create(all, at: 100), root)
            for fact in order { try await device.take(fact) }
            #expect(try await device.posts().first?.reactions.map(\.senders) == [[peer]])
            let kept = try await device.store.reactions(to: root.id, in: films, ExactText("👍"), by: peer)
            #expect(kept.reactions.map(\.moment.id) == facts.suffix(64).map(\.id))
            try await device.take(say(false, 67))
            #expect(try await device.posts().first?.reactions.isEmpty == true)
        }
    }

    @Test("forgets waiting facts above the bounds, strangers' first, and wants history when they matter")
    func waiting() async throws {
        let bounds = SessionStoreOptions.WaitingBounds(perSender: 20, perAccount: 50, ever: 1_000)
        let device = try await Device(options: SessionStoreOptions(synchronous: .normal, waiting: bounds))
        let unknown = Maker(session: try #require(SessionID("unknown")))
        try await device.take(make.create(all, at: 100))
        try await device.take((0..<30).map { make.root(at: Int64($0), "member") })
        for sender in 0x60...0x64 as ClosedRange<UInt8> {
            try await device.take((0..<25).map { unknown.root(by: key(sender), at: Int64($0), "\(sender)") })
        }
        let forgotten = try await device.store.settleHistory()
        let overSender = 10 + 5 * 5
        #expect(forgotten.count == overSender + 70)
        #expect(try await device.store.waitingCount == 50)
        #expect(try await !device.store.wantsFullHistory)
        let claim = try await device.take(unknown.create(all + [key(0x60)], at: 0))
        #expect(claim.effects.contains(.wantsFullHistory))
        #expect(try await device.restarted().store.wantsFullHistory)
    }

    @Test("remembers that sessions lost facts of which nothing is left")
    func lostElsewhere() async throws {
        let bounds = SessionStoreOptions.WaitingBounds(perSender: 0, perAccount: 0, ever: 1_000)
        let device = try await Device(options: SessionStoreOptions(synchronous: .normal, waiting: bounds))
        let root = make.root(at: 110)
        try await device.take(root)
        #expect(try await device.store.settleHistory() == [root.id])
        #expect(try await !device.store.isKnown(root.id))
        #expect(try await device.take(make.create(all, at: 100)).effects.contains(.wantsFullHistory))
        #expect(try await device.take(root).outcomes == [.kept])
        _ = try await device.store.settleHistory()
        #expect(try await !device.store.wantsFullHistory)
        #expect(try await device.times() == [110])
    }

    @Test("never holds more waiting facts than the greatest bound")
    func ever() async throws {
        let bounds = SessionStoreOptions.WaitingBounds(ever: 100)
        let device = try await Device(options: SessionStoreOptions(synchronous: .normal, waiting: bounds))
        var forgotten = 0
        for part in 0..<10 {
            let facts = (0..<30).map { make.root(at: Int64($0), "\(part)") }
            forgotten += try await device.take(facts).forgotten.count
            #expect(try await device.store.waitingCount <= 100)
        }
        #expect(try await device.store.waitingCount + forgotten == 300)
    }

    @Test("keeps waiting deletes of one sender up to their bound")
    func deletes() async throws {
        let bounds = SessionStoreOptions.WaitingBounds(deletesPerSender: 3)
        let device = try await Device(options: SessionStoreOptions(synchronous: .normal, waiting: bounds))
        let roots = (0..<5).map { make.root(at: 110, "\($0)") }
        let outcomes = try await device.take(roots.map { make.delete($0, at: 120) }).outcomes
        #expect(outcomes == [.kept, .kept, .kept, .refused, .refused])
        #expect(try await device.take(roots[0]).outcomes == [.ignored])
        #expect(try await device.take(make.delete(roots[3], at: 130)).outcomes == [.kept])
    }

    @Test("keeps the 10,000 greatest lists of a session, and the claim that fell out for its time alone")
    func logBound() async throws {
        var random = SeededGenerator(seed: 3)
        let claim = make.create(all, at: 1)
        let lists = (0..<10_010).map { make.members($0 % 2 == 0 ? all : [creator, owner], at: 10 + Int64($0)) }
        var memory = Sessions(owner: owner)
        for fact in ([claim] + lists).shuffled(using: &random) { _ = memory.apply(fact) }
        let view = try #require(memory.session(films))
        #expect(view.membership.intervals[owner] == [Interval(start: 20)])
        #expect(view.membership.intervals[peer]?.count == 5_000)
        let device = try await Device(isRestored: false)
        var forgotten = 0
        let shuffled = ([claim] + lists).shuffled(using: &random)
        for start in stride(from: 0, to: shuffled.count, by: 2_000) {
            forgotten += try await device.take(Array(shuffled[start..<min(start + 2_000, shuffled.count)])).forgotten
                .count
        }
        var log = try #require(try await device.restarted().store.log(films))
        #expect(log.membership == view.membership)
        #expect(log.creator == creator)
        #expect(forgotten <= 10)
    }

    @Test("bounds reactions of members to posts that never come")
    func reactionsToNothing() async throws {
        let bounds = SessionStoreOptions.WaitingBounds(ever: 100)
        let device = try await Device(options: SessionStoreOptions(synchronous: .normal, waiting: bounds))
        try await device.take(make.create(all, at: 100), make.root(at: 110))
        var forgotten = 0
        for part in 0..<6 {
            let reactions = (0..<40).map { make.react(to: make.root(at: 1, "\(part)-\($0)"), at: 150) }
            forgotten += try await device.take(reactions).forgotten.count
        }
        #expect(forgotten >= 140)
        #expect(try await device.times() == [110])
    }
}
