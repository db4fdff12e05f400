import NostrContacts
import NostrCrypto
import NostrEvents
import Testing

@Suite("The search for followers")
struct FollowerDiscoveryTests {
    private let owner = me.publicKey
    private let fans = (0..<5).map { _ in KeyPair.generate() }

    private func list(by fan: KeyPair, at time: Int64, following: Bool = true) -> Event {
        listEvent(tags(following ? [alice, owner] : [alice]), at: time, by: fan)
    }

    private func opened(_ actions: [QueryAction], _ prefix: String = "") -> [Query] {
        actions.compactMap { if case .open(let query) = $0, query.id.hasPrefix(prefix) { query } else { nil } }
    }

    private func page(_ actions: [QueryAction]) throws -> Query {
        try #require(opened(actions).first { $0.filter.tags[.p] != nil && $0.filter.limit != 0 })
    }

    private func check(_ actions: [QueryAction]) throws -> Query {
        try #require(opened(actions).first { $0.filter.authors != nil })
    }

    @Test("asks for new lists and for a page of the history of each relay")
    func start() throws {
        var discovery = FollowerDiscovery(owner: owner.bytes)
        let queries = opened(discovery.open(relays: ["a", "b"], now: 0))
        #expect(queries.count == 3)
        #expect(queries[0].id.hasPrefix("linkstr-contact-new-") && queries[0].relay == nil)
        #expect(queries[0].filter == Filter(kinds: [.followList], tags: [.p: [owner.hex]], limit: 0))
        #expect(queries[1...].map(\.relay) == ["a", "b"])
        #expect(queries[1...].allSatisfy { $0.id.hasPrefix("linkstr-contacts-") })
        #expect(queries[1].filter == Filter(kinds: [.followList], tags: [.p: [owner.hex]], limit: 200))
        #expect(discovery.nextDeadline == 10_000)
    }

    @Test("checks the newest list of everybody found, 50 at a time, two at once")
    func checks() throws {
        var discovery = FollowerDiscovery(owner: owner.bytes)
        let page = try page(discovery.open(relays: ["a"], now: 0))
        #expect(discovery.receive(list(by: fans[0], at: 100), for: page.id, from: "a") == true)
        #expect(discovery.receive(list(by: fans[1], at: 101), for: page.id, from: "a") == true)
        #expect(discovery.receive(list(by: me, at: 102), for: page.id, from: "a") == false, "not the owner's own")
        #expect(discovery.followers.map(\.author) == [fans[1], fans[0]].map(\.publicKey.bytes))
        let check = try check(discovery.finish(page.id, from: "a", now: 1))
        #expect(check.filter.authors == Set(fans.prefix(2).map(\.publicKey.bytes)) && check.filter.limit == 4)
        #expect(discovery.receive(list(by: fans[0], at: 150, following: false), for: check.id, from: "a") == true)
        #expect(discovery.followers.map(\.author) == [fans[1].publicKey.bytes])
        #expect(discovery.finish(check.id, from: "a", now: 2) == [.close(check)])
        #expect(!discovery.isPartial)
        // The old list comes again, after a restart too.
        var again = FollowerDiscovery(owner: owner.bytes, records: discovery.allRecords)
        let next = try self.page(again.open(relays: ["a"], now: 0))
        #expect(again.receive(list(by: fans[0], at: 100), for: next.id, from: "a") == false)
        #expect(again.followers.count == 1)
    }

    @Test("asks for larger pages while one second fills them, and says when there is more")
    func crowdedSecond() throws {
        var discovery = FollowerDiscovery(owner: owner.bytes)
        // A page counts its events by id, so that the same authors do for all of them.
        var all: [Event] = []
        for index in 0..<1_600 {
            all.append(listEvent([Tag("p", owner.hex), Tag("n", String(index))], at: 100, by: fans[index % 5]))
        }
        var actions = discovery.open(relays: ["a"], now: 0)
        var limits: [Int] = []
        var untils: [Int64?] = []
        while let query = opened(actions, "linkstr-contacts-").first(where: { $0.filter.authors == nil }) {
            limits.append(query.filter.limit ?? 0)
            untils.append(query.filter.until)
            for event in all.prefix(query.filter.limit ?? 0) { _ = discovery.receive(event, for: query.id, from: "a") }
            _ = discovery.finish(query.id, from: "a", now: 1)
            actions = discovery.loadMore(now: 2)
        }
        #expect(limits == [200, 200, 400, 800, 1_600])
        #expect(untils == [nil, 100, 100, 100, 100])
        #expect(discovery.isPartial && !discovery.canLoadMore)
    }

    @Test("goes on below the oldest list, until a page brings nothing older")
    func paging() throws {
        var discovery = FollowerDiscovery(owner: owner.bytes)
        var query = try page(discovery.open(relays: ["a"], now: 0))
        _ = discovery.receive(list(by: fans[0], at: 100), for: query.id, from: "a")
        _ = discovery.receive(list(by: fans[1], at: 90), for: query.id, from: "a")
        #expect(!discovery.canLoadMore, "the page is under way")
        _ = discovery.finish(query.id, from: "a", now: 1)
        #expect(discovery.canLoadMore)
        query = try page(discovery.loadMore(now: 2))
        #expect(query.filter.until == 90)
        #expect(
            discovery.receive(list(by: fans[2], at: 95), for: query.id, from: "a") == false,
            "newer than was asked for"
        )
        _ = discovery.receive(list(by: fans[1], at: 90), for: query.id, from: "a")
        _ = discovery.finish(query.id, from: "a", now: 3)
        #expect(!discovery.canLoadMore && !discovery.isPartial && discovery.loadMore(now: 4).isEmpty)
    }

    @Test("is partial when a relay is late, refuses or goes, and takes nobody for unfollowing")
    func failures() throws {
        for failure in 0..<3 {
            let record = FollowerRecord(
                author: fans[0].publicKey.bytes,
                version: ReplaceableVersion(list(by: fans[0], at: 5)),
                followsOwner: true
            )
            var discovery = FollowerDiscovery(owner: owner.bytes, records: [record])
            let query = try page(discovery.open(relays: ["a"], now: 0))
            #expect(!discovery.isPartial)
            switch failure {
            case 0: #expect(discovery.advance(to: 9_999).isEmpty && discovery.advance(to: 10_000) == [.close(query)])
            case 1: #expect(discovery.fail(query.id, from: "a", now: 1) == [.close(query)])
            default: #expect(discovery.disconnect("a", now: 1).contains(.close(query)))
            }
            #expect(discovery.isPartial && discovery.followers == [record])
            #expect(
                discovery.receive(list(by: fans[1], at: 5), for: query.id, from: "a") == false,
                "the query has ended"
            )
        }
    }

    @Test("takes nothing from an unexpected relay, an old query or while it is hidden")
    func unexpected() throws {
        var discovery = FollowerDiscovery(owner: owner.bytes)
        let actions = discovery.open(relays: ["a", "b"], now: 0)
        let (live, page) = (opened(actions)[0], try page(actions))
        let event = list(by: fans[0], at: 5)
        #expect(discovery.receive(event, for: page.id, from: "b") == false)
        #expect(discovery.receive(event, for: live.id, from: "c") == false)
        #expect(discovery.receive(event, for: "other", from: "a") == false)
        #expect(
            discovery.receive(list(by: fans[0], at: 6, following: false), for: live.id, from: "a") == false,
            "not asked for"
        )
        #expect(discovery.receive(event, for: live.id, from: "b") == true)
        #expect(discovery.close().count == 3)
        #expect(discovery.receive(list(by: fans[0], at: 7), for: live.id, from: "b") == false)
        #expect(discovery.nextDeadline == nil && discovery.loadMore(now: 1).isEmpty)
    }

    @Test("follows the visible rows live, once they stand still")
    func visible() throws {
        var discovery = FollowerDiscovery(owner: owner.bytes)
        let page = try page(discovery.open(relays: ["a"], now: 0))
        _ = discovery.finish(page.id, from: "a", now: 0)
        discovery.show([fans[0].publicKey.bytes], now: 10)
        discovery.show(Set(fans.prefix(2).map(\.publicKey.bytes)), now: 50)
        #expect(discovery.nextDeadline == 150)
        #expect(discovery.advance(to: 149).isEmpty)
        let live = try #require(opened(discovery.advance(to: 150), "linkstr-contact-live-").first)
        #expect(live.filter.authors?.count == 2 && live.filter.limit == 4)
        #expect(discovery.receive(list(by: fans[0], at: 9, following: false), for: live.id, from: "a") == true)
        discovery.show(Set(fans.prefix(2).map(\.publicKey.bytes)), now: 200)
        #expect(discovery.advance(to: 300).isEmpty, "the same rows")
        discovery.show([], now: 300)
        #expect(discovery.advance(to: 400) == [.close(live)])
    }

    @Test("asks a relay that comes later, and starts again on a refresh")
    func reconnect() throws {
        var discovery = FollowerDiscovery(owner: owner.bytes)
        _ = discovery.open(relays: ["a"], now: 0)
        let joined = opened(discovery.connect("b", now: 1))
        #expect(joined.map(\.relay) == ["b", "b"])
        #expect(discovery.connect("b", now: 2).isEmpty)
        let again = discovery.refresh(now: 3)
        #expect(opened(again).count == 3 && again.count == 6)
    }
}
