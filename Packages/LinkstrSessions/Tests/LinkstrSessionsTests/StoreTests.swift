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

    // MARK: Moving

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
}
