import LinkstrSessions
import NostrCrypto
import NostrEvents
import Testing

extension ScenarioTests {
    static let deletions: [Scenario] = [
        Scenario(74, "Given an own post with wraps, Then they are known with their recipients.") { device in
            let root = make.root(by: owner, at: 110)
            let wraps = all.map { WrapReference(id: id("wrap \($0)"), recipient: $0) }
            try await device.take(make.create(all, at: 100))
            var arrival = Arrival(root, source: .live, wraps: wraps)
            arrival.isMadeHere = true
            _ = try await device.store.apply([arrival], now: 0)
            #expect(try await device.store.wraps(of: root.id) == wraps)
            let log = try #require(try await device.store.log(films))
            let post = try #require(try await device.posts().first?.post)
            #expect(try planner(owner).delete(post, in: log).recipients == [owner, creator, peer])
        },
        Scenario(78, "Given a post of another account, When delete is requested, Then refused.") { device in
            try await device.take(make.create(all, at: 100), make.root(at: 110))
            let log = try #require(try await device.store.log(films))
            let post = try #require(try await device.posts().first?.post)
            #expect(throws: OutgoingError.notTheAuthor) { try planner(owner).delete(post, in: log) }
        },
        Scenario(79, "Given a deleted post, When history delivers the root again, Then it does not return.") { device in
            let root = make.root(at: 110)
            let reaction = make.react(to: root, by: creator, at: 120)
            try await device.take(make.create(all, at: 100), root, reaction, make.delete(root, at: 130))
            let again = try await device.restarted()
            #expect(try await again.take(root, reaction).outcomes == [.ignored, .ignored])
            #expect(try await again.times().isEmpty)
            #expect(try await !again.store.isKnown(reaction.id))
        },
        Scenario(80, "Given a former member, When it deletes its own old post, Then receivers remove it.") { device in
            let root = make.root(at: 20)
            try await device.take(make.create(all, at: 10), root, make.members([creator, owner], at: 30))
            #expect(try await device.times() == [20])
            try await device.take(make.delete(root, at: 40))
            #expect(try await device.times().isEmpty)
        },
        Scenario(81, "Given a delete notice by a non-author, Then post and reactions stay.") { device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100), root, make.react(to: root, by: creator, at: 120))
            #expect(try await device.take(make.delete(root, by: creator, at: 130)).outcomes == [.ignored])
            #expect(try await device.posts().first?.reactions.count == 1)
        },
    ]

    static let reactions: [Scenario] = [
        Scenario(85, "Given no own reaction, When toggled twice, Then the stored state is inactive.") { device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100), root)
            let log = try #require(try await device.store.log(films))
            let post = try #require(try await device.posts().first?.post)
            for isActive in [true, false] {
                let known = try await device.store.reactions(to: root.id, in: films, ExactText("👍"), by: owner)
                let plan = try planner(owner).react(to: post, "👍", isActive: isActive, known: known, in: log)
                try await device.take(plan.fact, source: .live)
                #expect(try await device.posts().first?.reactions.count == (isActive ? 1 : 0))
            }
        },
        Scenario(86, "Given deactivation at 200 stored, When an activation of 150 arrives, Then still inactive.") {
            device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100), root, make.react(to: root, at: 200, "👍", false))
            #expect(try await device.take(make.react(to: root, at: 150)).effects.isEmpty)
            #expect(try await device.posts().first?.reactions.isEmpty == true)
        },
        Scenario(87, "Given equal times with IDs 1 (active) and f (inactive), in any order, Then inactive.") { _ in
            let root = make.root(at: 110)
            let on = make.react(to: root, at: 200, id: .beginning(with: "1"))
            let off = make.react(to: root, at: 200, "👍", false, id: .beginning(with: "f"))
            for order in [[on, off], [off, on]] {
                let device = try await Device()
                try await device.take([make.create(all, at: 100), root] + order)
                #expect(try await device.posts().first?.reactions.isEmpty == true)
            }
        },
        Scenario(88, "Given the same emoji by two senders, When counted, Then 2.") { device in
            let root = make.root(at: 110)
            try await device.take(
                make.create(all, at: 100),
                root,
                make.react(to: root, at: 120),
                make.react(to: root, by: creator, at: 120)
            )
            #expect(try await device.posts().first?.reactions.map(\.senders) == [[creator, peer]])
        },
        Scenario(89, "Given a reaction naming a root of another session, Then never shown on that root.") { device in
            let root = make.root(at: 110)
            let elsewhere = Maker(session: try #require(SessionID("elsewhere")))
            try await device.take(make.create(all, at: 100), root, elsewhere.create(all, at: 100))
            #expect(try await device.take(elsewhere.react(to: root, at: 120)).outcomes == [.kept])
            #expect(try await device.posts().first?.reactions.isEmpty == true)
        },
        Scenario(90, "Given blank emoji or missing reaction_active, When received, Then dropped.") { _ in
            func reaction(_ rest: String) -> Fact? {
                fact(#"{"conversation_id":"S","root_id":"\#(id("r").hex)","kind":"reaction",\#(rest)}"#)
            }
            #expect(reaction(#""emoji":"👍","reaction_active":true"#) != nil)
            #expect(reaction(#""emoji":" ","reaction_active":true"#) == nil)
            #expect(reaction(#""emoji":"👍""#) == nil)
        },
    ]

    static let reading: [Scenario] = [
        Scenario(91, "Given a live root by P, When stored, Then unread, and the session is unread.") { device in
            try await device.take(make.create(all, at: 100))
            let root = make.root(at: 110)
            #expect(try await device.take(root, source: .live).effects == [.posted(films, root.id, by: peer, .live)])
            #expect(try await device.posts().map(\.isUnread) == [true])
            #expect(try await device.store.session(films)?.unreadCount == 1)
        },
        Scenario(92, "Given an own root echoed, When stored, Then read.") { device in
            try await device.take(make.create(all, at: 100))
            try await device.take(make.root(by: owner, at: 110), source: .live)
            #expect(try await device.posts().map(\.isUnread) == [false])
        },
        Scenario(93, "Given an empty store, When the first history run delivers roots, Then they are read.") { _ in
            let device = try await Device(isRestored: false)
            try await device.take(make.root(at: 110))
            try await device.take(make.create(all, at: 100), make.root(at: 120))
            #expect(try await device.posts().map(\.isUnread) == [false, false])
        },
        Scenario(94, "Given an empty store during restore, When a live root arrives, Then unread.") { _ in
            let device = try await Device(isRestored: false)
            try await device.take(make.create(all, at: 100), make.root(at: 110))
            try await device.take(make.root(at: 120), source: .live)
            #expect(try await device.posts().map(\.isUnread) == [true, false])
        },
        Scenario(95, "Given restore complete, When later history delivers an inbound root, Then unread.") { _ in
            let device = try await Device(isRestored: false)
            try await device.take(make.create(all, at: 100), make.root(at: 110))
            _ = try await device.store.completeRestore()
            try await device.take(make.root(at: 120))
            #expect(try await device.posts().map(\.isUnread) == [true, false])
        },
        Scenario(96, "Given a store with only a tombstone, When history delivers roots of another, Then unread.") {
            device in
            let gone = Maker(session: try #require(SessionID("gone")))
            try await device.take(gone.create(all, at: 100), gone.delete(at: 110))
            let again = try await device.restarted()
            try await again.take(make.create(all, at: 100), make.root(at: 110))
            #expect(try await again.posts().map(\.isUnread) == [true])
        },
        Scenario(97, "Given an unread post, When opened, Then read; When only listed, Then still unread.") { device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100))
            try await device.take(root, source: .live)
            #expect(try await device.store.sessions().map(\.unreadCount) == [1])
            #expect(try await device.store.sessions().map(\.unreadCount) == [1])
            #expect(try await device.store.markRead(root.id))
            #expect(try await !device.store.markRead(root.id))
            let again = try await device.restarted()
            #expect(try await again.posts().map(\.isUnread) == [false])
            #expect(try await again.store.session(films)?.unreadCount == 0)
        },
        Scenario(98, "Given a reaction on a read post, When received, Then still read.") { device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100))
            try await device.take(root, source: .live)
            try await device.store.markRead(root.id)
            try await device.take(make.react(to: root, by: creator, at: 120), source: .live)
            #expect(try await device.posts().map(\.isUnread) == [false])
        },
        Scenario(126, "Given an archived mark for an unknown session, When it arrives, Then it is archived.") {
            device in
            try await device.store.setArchived(true, films)
            #expect(try await device.store.sessions().isEmpty)
            try await device.take(make.create(all, at: 100), make.root(at: 110))
            #expect(try await device.store.sessions().map(\.isArchived) == [true])
            #expect(try await device.store.feed(FeedQuery()).items.isEmpty)
            #expect(try await device.times() == [110])
        },
    ]
}
