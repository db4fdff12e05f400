import LinkstrSessions
import NostrCrypto
import NostrEvents
import Testing

/// The worked timelines of the protocol, on the owner's device. Where a row asks for the stricter rule for live deliveries, the
/// admission check is on.
@Suite("A timeline")
struct TimelineTests {
    let make = Maker()

    private func device(checked: Bool = false) -> Sessions {
        Sessions(owner: owner, isRestoring: false, checksLiveAdmission: checked)
    }

    @Test("of removal and re-adding keeps the posts inside both intervals")
    func removalAndReadding() {
        var sessions = device(checked: true)
        let facts: [(Fact, Source)] = [
            (make.create([creator, owner, peer], at: 100), .live), (make.root(at: 110), .live),
            (make.members([creator, peer], at: 120), .live), (make.root(at: 130), .live),
            (make.members([creator, owner, peer], at: 140), .live), (make.root(at: 150), .live),
            (make.root(at: 115), .live), (make.root(at: 135), .live),
        ]
        for (fact, source) in facts { _ = sessions.apply(fact, source: source) }
        #expect(sessions.times == [110, 115, 150])
    }

    @Test("with equal times has inclusive starts and exclusive ends")
    func equalTimes() {
        var sessions = device()
        for fact in [
            make.create([creator, owner, peer], at: 1000), make.members([creator, peer], at: 1010), make.root(at: 1020),
            make.members([creator, owner, peer], at: 1020), make.root(at: 1010),
        ] { _ = sessions.apply(fact) }
        #expect(sessions.times == [1020])
    }

    @Test("of a removed peer who writes into the past is refused live and decided from history")
    func backdated() {
        var sessions = device(checked: true)
        let early = make.root(by: creator, at: 1601)
        for fact in [make.create([creator, owner, peer], at: 1600), early, make.members([creator, owner], at: 1610)] {
            _ = sessions.apply(fact, source: .live)
        }
        #expect(sessions.apply(make.root(at: 1605, "a"), source: .live) == .refused)
        #expect(sessions.apply(make.root(at: 1605, "b"), source: .historical) == .kept)
        #expect(sessions.apply(make.react(to: early, at: 1607), source: .live) == .refused)
        #expect(sessions.times == [1601, 1605])
        #expect(sessions.session(films)?.posts.first?.reactions.isEmpty == true)
        #expect(sessions.apply(make.react(to: early, at: 1607), source: .historical) == .kept)
        #expect(sessions.session(films)?.posts.first?.reactions.first?.senders == [peer])
    }

    @Test("of a removed peer who writes into the future shows nothing when the peer comes back later")
    func futureDated() {
        var sessions = device()
        for fact in [
            make.create([creator, owner, peer], at: 200), make.members([creator, owner], at: 210), make.root(at: 900),
            make.members([creator, owner, peer], at: 950),
        ] { _ = sessions.apply(fact, source: .live) }
        #expect(sessions.times.isEmpty)
    }

    @Test("of stale and tied lists ends with the greatest")
    func staleAndTied() throws {
        let low = make.members([creator, owner, peer], at: 710, id: EventID(key(0xa)))
        let high = make.members([creator, owner], at: 710, id: EventID(key(0xff)))
        for order in [[low, high], [high, low]] {
            var sessions = device()
            for fact in [
                make.create([creator, owner], at: 500), make.members([creator, owner, peer], at: 600, name: "B"),
                make.members([creator, owner, other], at: 550, name: "A"),
            ] + order { _ = sessions.apply(fact) }
            let membership = try #require(sessions.session(films)?.membership)
            #expect(membership.members == [creator, owner])
            #expect(membership.name == "B")
            #expect(membership.intervals[peer] == [Interval(start: 600, end: 710)])
            #expect(membership.intervals[other] == [Interval(start: 550, end: 600)])
        }
    }

    @Test("out of order stores the post and then the reaction")
    func outOfOrder() {
        var sessions = device()
        let root = make.root(at: 310)
        for fact in [make.react(to: root, at: 320), root, make.create([creator, owner, peer], at: 300)] {
            _ = sessions.apply(fact)
        }
        #expect(sessions.session(films)?.posts.first?.reactions.first?.senders == [peer])
    }

    @Test("that begins with a later list starts there")
    func bootstrap() {
        var sessions = device()
        for fact in [
            make.members([creator, owner], at: 800, name: "Films"), make.root(by: creator, at: 790),
            make.root(by: creator, at: 810), make.create([creator], at: 700),
        ] { _ = sessions.apply(fact) }
        #expect(sessions.times == [810])
        #expect(sessions.session(films)?.creator == creator)
        #expect(sessions.session(films)?.membership.intervals[creator]?.first?.start == 800)
    }

    @Test("with lists by others or without their sender changes no member")
    func nonCreator() throws {
        var sessions = device()
        let base = make.create([creator, owner, peer], at: 100)
        _ = sessions.apply(base)
        _ = sessions.apply(make.members([creator, peer], by: peer, at: 110))
        _ = sessions.apply(make.members([owner, peer], at: 120))
        _ = sessions.apply(make.create([peer, owner], by: peer, at: 130, name: "Mine"))
        var membership = try #require(sessions.session(films)?.membership)
        #expect(membership.members == [creator, owner, peer])
        #expect(membership.newest == base.moment)
        _ = sessions.apply(make.create([creator, owner], at: 140, name: "New"))
        membership = try #require(sessions.session(films)?.membership)
        #expect(membership.members == [creator, owner])
        #expect(membership.name == "New")
        #expect(sessions.session(films)?.creator == creator)
        #expect(sessions.session(films)?.isContested == true)
    }

    @Test("in which a removed member deletes an own old post loses it")
    func removedDeletes() {
        var sessions = device()
        let root = make.root(at: 20)
        for fact in [
            make.create([creator, owner, peer], at: 10), root, make.members([creator, owner], at: 30),
            make.delete(root, by: other, at: 35),
        ] { _ = sessions.apply(fact) }
        #expect(sessions.times == [20])
        _ = sessions.apply(make.delete(root, at: 40))
        #expect(sessions.times.isEmpty)
        #expect(sessions.apply(root) == .ignored)
    }
}
