import Foundation
import LinkstrSessions
import NostrCrypto
import NostrEvents
import SQLite
import Testing

@Suite("A session store")
struct StoreTests {
    // MARK: Wraps and seals

    @Test("merges the wraps of a post in their order, each once, 64 beside its own")
    func wraps() async throws {
        let device = try await Device()
        let root = make.root(at: 110)
        try await device.take(make.create(all, at: 100))
        func arrive(_ names: [String], isMadeHere: Bool = false) async throws {
            let wraps = names.map { WrapReference(id: id($0), recipient: owner) }
            let arrival = Arrival(root, source: .live, wraps: wraps, isMadeHere: isMadeHere)
            _ = try await device.store.apply([arrival], now: 0)
        }
        try await arrive(["a"])
        try await arrive(["b", "a"])
        #expect(try await device.store.wraps(of: root.id).map(\.id) == ["a", "b"].map(id))
        try await arrive((0..<100).map { "many \($0)" })
        #expect(try await device.store.wraps(of: root.id).count == 64)
        try await arrive(["own"], isMadeHere: true)
        #expect(try await device.store.wraps(of: root.id).count == 65)
    }

    @Test("keeps the seals of lists and deletes, sealed again, and of an ended session those that prove the end")
    func seals() async throws {
        let device = try await Device()
        let root = make.root(at: 110)
        let facts = [make.create(all, at: 100), root, make.delete(root, at: 120), make.delete(at: 130)]
        for (index, fact) in facts.enumerated() {
            let arrival = Arrival(fact, source: .historical, seal: Array("seal \(index)".utf8))
            _ = try await device.store.apply([arrival, arrival], now: 0)
            guard index == 2 else { continue }
            let kept = try await device.store.keptSeals()
            #expect(texts(kept) == ["seal 0", "seal 2"])
            #expect(kept.map(\.rumor) == [facts[0].id, facts[2].id])
            let rest = try await device.store.keptSeals(after: kept[0].row)
            #expect(rest.count == 1)
        }
        let left = try await device.store.keptSeals()
        #expect(texts(left) == ["seal 0", "seal 3"])
    }

    private func texts(_ seals: [KeptSeal]) -> [String] {
        seals.map { String(decoding: $0.json, as: UTF8.self) }
    }

    // MARK: Lists

    @Test("pages through all sessions, newest first, each post once, without archived and waiting ones")
    func paging() async throws {
        let device = try await Device(options: SessionStoreOptions(synchronous: .normal, recentFacts: 70))
        var expected: [Int64] = []
        for number in 0..<6 {
            let one = Maker(session: try #require(SessionID("s\(number)")))
            try await device.take(one.create(all, at: 1))
            let times = (0..<30).map { Int64(10 + $0 * 7 + number * (number % 2 == 0 ? 1 : 40)) }
            try await device.take(times.map { one.root(at: $0, "\(number)") })
            if number < 4 { expected += times }
        }
        try await device.store.setArchived(true, try #require(SessionID("s4")))
        try await device.store.setRequest(.waiting, try #require(SessionID("s5")))
        var found: [FeedItem] = []
        var query = FeedQuery(limit: 7)
        repeat {
            let page = try await device.store.feed(query)
            found += page.items
            query.before = page.next
        } while query.before != nil
        #expect(found.map(\.post.moment.time) == expected.sorted(by: >))
        #expect(Set(found.map(\.post.id)).count == expected.count)
        let since = try await device.store.feed(FeedQuery(since: 150, limit: 1_000))
        let young = expected.filter { $0 >= 150 }
        #expect(since.items.count == young.count)
        let middle = try await device.store.feed(FeedQuery(since: 150, until: 160, limit: 1_000))
        let between = expected.filter { (150...160).contains($0) }
        #expect(middle.items.count == between.count)
        try await device.store.setRequest(.accepted, try #require(SessionID("s5")))
        #expect(try await device.store.feed(FeedQuery(limit: 1_000)).items.count == expected.count + 30)
    }

    @Test("orders sessions by their newest post that counts")
    func sessionOrder() async throws {
        let device = try await Device()
        for number in 0..<3 {
            let one = Maker(session: try #require(SessionID("s\(number)")))
            try await device.take(one.create(all, at: Int64(number)), one.root(at: Int64(100 - number)))
            try await device.take(one.root(by: other, at: Int64(500 + number)))
        }
        #expect(try await device.store.sessions().map(\.updatedAt) == [100, 99, 98])
    }

    @Test("marks a whole session read and hides the posts of a blocked member here")
    func marking() async throws {
        let device = try await Device()
        try await device.take(make.create(all, at: 100))
        try await device.take(make.root(at: 110), make.root(at: 120), make.root(by: creator, at: 130), source: .live)
        #expect(try await device.store.feed(FeedQuery(session: films, onlyUnread: true)).items.count == 3)
        try await device.store.setBlocked(true, peer, in: films)
        #expect(try await device.times() == [130])
        #expect(try await device.store.markRead(session: films) == 1)
        try await device.store.setBlocked(false, peer, in: films)
        #expect(try await device.times() == [110, 120, 130])
        #expect(try await device.store.session(films)?.unreadCount == 2)
        #expect(try await device.store.markRead(session: films) == 2)
        await #expect(throws: SessionStoreError.unknownPost) { try await device.store.markRead(id("none")) }
    }

    @Test("marks late what a former member writes long after, and nothing that history brings")
    func late() async throws {
        var device = try await Device()
        device.now = 1_000 + Membership.lateness
        try await device.take(make.create(all, at: 100), make.members([creator, owner], at: 999))
        let root = make.root(at: 500)
        let effects = try await device.take(root, source: .live).effects
        #expect(effects == [.posted(films, root.id, by: peer, .late)])
        try await device.take(make.root(at: 501), source: .historical)
        device.now -= 1
        try await device.take(make.root(at: 502), source: .live)
        #expect(try await device.posts().map(\.isLate) == [false, false, true])
        #expect(try await device.posts().map(\.isUnread) == [true, true, false])
    }

    // MARK: Creators

    @Test("fixes the choice of the earliest claim at the end of the restore, and moves it by the person's word only")
    func pins() async throws {
        let device = try await Device(isRestored: false)
        try await device.take(make.create([peer, owner], by: peer, at: 50, name: "Peer's"))
        try await device.take(make.create([creator, owner], at: 40, name: "Creator's"))
        #expect(try await device.store.session(films)?.creator == creator)
        _ = try await device.store.completeRestore()
        let applied = try await device.take(make.create([other, owner], by: other, at: 1))
        #expect(applied.effects.isEmpty)
        let again = try await device.restarted()
        let summary = try #require(try await again.store.session(films))
        #expect(summary.creator == creator)
        #expect(summary.isContested)
        #expect(summary.needsConfirmation)
        #expect(try await again.store.setCreator(peer, of: films) == [.changed(films)])
        let moved = try await again.restarted()
        #expect(try await moved.name() == "Peer's")
        #expect(try await moved.store.session(films)?.needsConfirmation == false)
        await #expect(throws: SessionStoreError.notAClaimant) { try await moved.store.setCreator(key(0x55), of: films) }
    }

    @Test("asks when another claimant wants the session deleted, and obeys the creator")
    func deletedByOther() async throws {
        let device = try await Device()
        try await device.take(make.create([creator, owner], at: 40), make.create([peer, owner], by: peer, at: 50))
        try await device.take(make.delete(by: peer, at: 60))
        #expect(try await device.store.session(films)?.isDeletedByOtherClaimant == true)
        #expect(try await device.store.setCreator(peer, of: films) == [.closed(films, creator: peer)])
        let deleted = try await device.store.deletedSessions()
        #expect(deleted.map(\.creator) == [peer])
    }

    @Test("leaves a deleted session open to a better claim until the restore is complete")
    func deleteWhileRestoring() async throws {
        let device = try await Device(isRestored: false)
        try await device.take(make.create([peer, owner], by: peer, at: 50), make.delete(by: peer, at: 60))
        #expect(try await device.store.sessions().isEmpty)
        try await device.take(make.create([creator, owner], at: 40), make.root(by: creator, at: 45))
        #expect(try await device.times() == [45])
        #expect(try await device.store.completeRestore().isEmpty)
        #expect(try await device.store.session(films)?.isDeletedByOtherClaimant == true)
    }

    @Test("says how many posts a late list shows and hides, and writes nothing else")
    func recounting() async throws {
        let device = try await Device()
        try await device.take([make.create(all, at: 100)] + (0..<10).map { make.root(at: 110 + $0 * 10) })
        let out = try await device.take(make.members([creator, owner], at: 155)).effects
        #expect(out == [.changed(films), .recounted(films, shown: 0, hidden: 5)])
        let back = try await device.take(make.members(all, at: 175)).effects
        #expect(back == [.changed(films), .recounted(films, shown: 3, hidden: 0)])
        let between = try await device.take(make.members([creator, owner, other], at: 125)).effects
        #expect(between == [.recounted(films, shown: 0, hidden: 3)])
        #expect(try await device.times() == [110, 120, 180, 190, 200])
    }

    // MARK: Other devices of the creator

    @Test("sends a list again to those whom another own device's list left out unknowingly")
    func conflicts() async throws {
        let device = try await Device(owner: creator)
        let mine = make.members(all, at: 200)
        for fact in [make.create([creator, owner], at: 100), mine] {
            _ = try await device.store.apply([Arrival(fact, source: .live, isMadeHere: true)], now: 0)
        }
        let theirs = make.members([creator, owner, other], at: 300)
        #expect(
            try await device.take(theirs).effects
                == [.resend(films, memberList: theirs.id, to: [peer]), .changed(films)]
        )
        let before = make.members([creator, key(0x33)], at: 150)
        let effects = try await device.take(before).effects
        #expect(
            effects == [
                .resend(films, memberList: before.id, to: [owner]),
                .resend(films, memberList: mine.id, to: [key(0x33)]),
            ]
        )
    }

    @Test("reminds a former member who still writes, once a day")
    func reminders() async throws {
        var device = try await Device(owner: creator)
        let end = make.members([creator, owner], at: 200)
        try await device.take(make.create(all, at: 100), end, make.root(at: 150))
        #expect(try await device.take(make.root(at: 250)).effects == [.remind(films, memberList: end.id, to: peer)])
        #expect(try await device.take(make.root(at: 260)).effects.isEmpty)
        device.now += 86_400
        #expect(try await device.take(make.root(at: 270)).effects == [.remind(films, memberList: end.id, to: peer)])
        #expect(try await device.take(make.root(by: key(0x44), at: 280)).effects.isEmpty)
    }

    // MARK: Bounds

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

    @Test("says of what is here that it is known, also when it could not come in live now, as the memory does")
    func knownOverRefused() async throws {
        let device = try await Device(options: SessionStoreOptions(checksLiveAdmission: true))
        var memory = Sessions(owner: owner, isRestoring: false, checksLiveAdmission: true)
        let root = make.root(by: creator, at: 110)
        let reaction = make.react(to: root, at: 120)
        let facts = [make.create(all, at: 100), root, reaction, make.members([creator, owner], at: 130)]
        try await device.take(facts)
        for fact in facts { _ = memory.apply(fact) }
        let late = make.react(to: root, at: 121)
        #expect(try await device.take(reaction, late, source: .live).outcomes == [.known, .refused])
        #expect([reaction, late].map { memory.apply($0, source: .live) } == [.known, .refused])
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

    @Test("keeps the creator and the eight other claimants with the earliest claims")
    func claimants() async throws {
        var random = Seeded(1)
        for _ in 0..<5 {
            let device = try await Device(isRestored: false)
            let claims = (1...30).map { make.create([key($0 + 0x20), owner], by: key($0 + 0x20), at: Int64($0)) }
            var forgotten: [EventID] = []
            var kept: [EventID] = []
            for claim in claims.shuffled(using: &random) {
                let applied = try await device.take(claim)
                forgotten += applied.forgotten
                if applied.outcomes == [.kept] { kept.append(claim.id) }
            }
            let log = try #require(try await device.store.log(films))
            #expect(log.claimants == claims.prefix(9).map(\.sender))
            let left = Set(kept).subtracting(forgotten)
            let earliest = Set(claims.prefix(9).map(\.id))
            #expect(left == earliest)
            #expect(try await device.restarted().store.session(films)?.isContested == true)
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
        var random = Seeded(3)
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

    @Test("says how many posts it hides and how many of them are older than every list")
    func hidden() async throws {
        let device = try await Device()
        try await device.take(make.create(all, at: 100), make.members([creator, owner], at: 200))
        try await device.take([50, 60, 150, 250].map { make.root(at: $0) })
        let hidden = try await device.store.hiddenPosts(in: films)
        #expect(hidden.count == 3)
        #expect(hidden.beforeOldestList == 2)
        #expect(hidden.oldestList == 100)
    }

    @Test("moves to another machine with all that was decided here")
    func moving() async throws {
        let device = try await Device()
        let gone = Maker(session: try #require(SessionID("gone")))
        let root = make.root(at: 110)
        try await device.take(gone.create(all, at: 1), gone.delete(at: 2))
        try await device.take(make.create(all, at: 100), make.delete(make.root(at: 115), at: 116))
        try await device.take(make.create([other, owner], by: other, at: 50))
        let wraps = [WrapReference(id: id("w"), recipient: owner)]
        _ = try await device.store.apply(
            [
                Arrival(root, source: .live, wraps: wraps), Arrival(make.root(at: 120), source: .live),
                Arrival(make.react(to: root, by: creator, at: 130), source: .live),
            ],
            now: 0
        )
        try await device.store.markRead(root.id)
        try await device.store.setBlocked(true, key(0x70), in: films)
        try await device.store.setRequest(.accepted, films)
        let there = try await Device(isRestored: false)
        try await there.store.take(try await device.store.states())
        var last: Int64 = 0
        while true {
            let part = try await device.store.storedArrivals(after: last, limit: 2)
            guard let end = part.last?.row else { break }
            last = end
            _ = try await there.store.apply(part.map(\.arrival), now: 0)
        }
        _ = try await there.store.completeRestore()
        #expect(try await there.state() == device.state())
        #expect(try await there.posts() == device.posts())
        #expect(try await there.store.states() == device.store.states())
        #expect(try await there.store.wraps(of: root.id) == wraps)
        #expect(try await there.take(make.root(at: 115)).outcomes == [.ignored])
        #expect(try await there.store.session(films)?.creator == creator)
    }

    @Test("wants history when a claimant becomes the creator of whom facts were dropped")
    func droppedClaimant() async throws {
        let device = try await Device(isRestored: false)
        let claims = (1...9).map { make.create([key($0 + 0x20), owner], by: key($0 + 0x20), at: Int64($0)) }
        try await device.take(claims)
        let tenth = key(0x40)
        #expect(try await device.take(make.create([tenth, owner], by: tenth, at: 50)).outcomes == [.refused])
        #expect(try await !device.store.wantsFullHistory)
        let applied = try await device.take(make.members([tenth, owner], by: tenth, at: 0, name: "Tenth's"))
        #expect(applied.effects.contains(.wantsFullHistory))
        #expect(applied.forgotten == [claims[8].id])
        #expect(try await device.name() == "Tenth's")
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
