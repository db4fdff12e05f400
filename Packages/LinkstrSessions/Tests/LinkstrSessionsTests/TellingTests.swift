import LinkstrSessions
import NostrCrypto
import NostrEvents
import Testing

@Suite("A post that was here before the list by which it counts")
struct TellingTests {
    @Test("is told as a new one when its session comes, and is only counted when it is hidden and shown again")
    func beforeItsSession() async throws {
        var device = try await Device()
        let root = make.root(at: 110)
        #expect(try await device.take(root, source: .live).effects.isEmpty)
        device = try await device.restarted()
        let told = try await device.take(make.create(all, at: 100), source: .live).effects
        #expect(told == [.appeared(films), .posted(films, root.id, by: peer, .live)])
        let out = try await device.take(make.members([creator, owner], at: 105), source: .live).effects
        #expect(out == [.changed(films), .recounted(films, shown: 0, hidden: 1)])
        let back = try await device.take(make.members(all, at: 107), source: .live).effects
        #expect(back == [.changed(films), .recounted(films, shown: 1, hidden: 0)])
    }

    @Test("is told as a new one when its author is a member, beside those that come back")
    func beforeItsAuthor() async throws {
        let device = try await Device()
        let (shown, early) = (make.root(at: 130), make.root(by: other, at: 140))
        try await device.take(make.create(all, at: 100), shown)
        #expect(try await device.take(early).effects.isEmpty)
        try await device.take(make.members([creator, owner], at: 120))
        let lists = try await device.take(make.members(all + [other], at: 125)).effects
        #expect(
            lists == [
                .changed(films), .posted(films, early.id, by: other, .historical),
                .recounted(films, shown: 1, hidden: 0),
            ]
        )
    }

    @Test("is no news where it is the owner's, counts as read, or comes long after its author has left")
    func noNews() async throws {
        var device = try await Device()
        let own = make.root(by: owner, at: 110)
        try await device.take(own, source: .live)
        let read = make.root(by: creator, at: 111)
        var arrival = Arrival(read, source: .historical)
        arrival.isUnread = false
        _ = try await device.store.apply([arrival], now: device.now)
        let late = make.root(at: 112)
        try await device.take(late, source: .live)
        device.now = 1_000 + Membership.lateness
        let lists = [make.create(all, at: 100), make.members([creator, owner], at: 999)]
        let effects = try await device.take(lists, source: .live).effects
        let expected: Set<SessionEffect> = [
            .appeared(films), .posted(films, own.id, by: owner, .own),
            .posted(films, read.id, by: creator, .historical), .posted(films, late.id, by: peer, .late),
        ]
        #expect(Set(effects) == expected && effects.count == expected.count)
    }

    @Test("is one of a number where the first restore brings it")
    func restoring() async throws {
        let device = try await Device(isRestored: false)
        try await device.take((0..<5).map { make.root(at: 110 + $0) })
        let effects = try await device.take(make.create(all, at: 100)).effects
        #expect(effects == [.appeared(films), .recounted(films, shown: 5, hidden: 0)])
    }
}
