import LinkstrSessions
import NostrCrypto
import NostrEvents
import SQLite
import Testing

@Suite("Scenario")
struct ScenarioTests {
    @Test(arguments: ScenarioTests.payloads + ScenarioTests.membership)
    func kindsAndMembers(_ scenario: Scenario) async throws {
        try await scenario.check(try await Device())
    }

    @Test(arguments: ScenarioTests.deletions + ScenarioTests.reactions + ScenarioTests.reading)
    func deletionsReactionsAndReading(_ scenario: Scenario) async throws {
        try await scenario.check(try await Device())
    }

    @Test(arguments: ScenarioTests.rumors)
    func whatRumorsSay(_ scenario: Scenario) async throws {
        try await scenario.check(try await Device())
    }

    static let payloads: [Scenario] = [
        Scenario(38, "Given an empty session name, When creating, Then error and no publication.") { _ in
            #expect(throws: OutgoingError.emptyName) { try planner(creator).create(name: " ", members: [owner]) }
        },
        Scenario(39, "Given no selected members, When creating, Then a solo session exists.") { _ in
            let plan = try planner(owner).create(name: "Alone", members: [])
            let device = try await Device()
            try await device.take(plan.fact)
            #expect(try await device.members(plan.fact.session) == [owner])
        },
        Scenario(40, "Given session_create without the owner in members, When received, Then ignored.") { device in
            let applied = try await device.take(make.create([creator, peer], at: 100))
            #expect(applied.outcomes == [.ignored])
            #expect(try await device.members() == nil)
        },
        Scenario(41, "Given session_create whose sender is not in members, When received, Then ignored.") { device in
            try await device.take(make.create([owner, peer], at: 100))
            #expect(try await device.members() == nil)
        },
        Scenario(42, "Given one invalid key in member_pubkeys, When received, Then dropped.") { _ in
            func create(_ keys: [String]) -> Fact? {
                let list = keys.map { "\"\($0)\"" }.joined(separator: ",")
                return fact(
                    #"{"conversation_id":"S","root_id":"","kind":"session_create","session_name":"A","#
                        + #""member_pubkeys":[\#(list)]}"#
                )
            }
            #expect(create([peer.hex, owner.hex]) != nil)
            for bad in [Bytes32.zero.hex, "xyz", ""] { #expect(create([peer.hex, bad]) == nil) }
        },
        Scenario(43, "Given session_members for an unknown session with owner, sender and name, Then it exists.") {
            device in
            let applied = try await device.take(make.members(all, at: 100, name: "Films"))
            #expect(applied.effects == [.appeared(films)])
            #expect(try await device.store.session(films)?.creator == creator)
        },
        Scenario(44, "Given session_members for an unknown session without name, When received, Then it waits.") {
            device in
            try await device.take(make.members(all, at: 100), make.root(at: 110))
            #expect(try await device.members() == nil)
            try await device.take(make.members([creator, owner], at: 200, name: "Films"))
            #expect(try await device.times() == [110])
        },
        Scenario(45, "Given session_members from a non-creator, When received, Then members and name unchanged.") {
            device in
            try await device.take(make.create(all, at: 100))
            try await device.take(make.members([peer, owner], by: peer, at: 200, name: "Mine"))
            #expect(try await device.members() == all)
            #expect(try await device.name() == "Films")
        },
        Scenario(46, "Given a newer snapshot with a new name, Then renamed; without a name, Then the name stays.") {
            device in
            try await device.take(make.create(all, at: 100))
            #expect(try await device.take(make.members(all, at: 200, name: "New")).effects == [.changed(films)])
            #expect(try await device.name() == "New")
            try await device.take(make.members(all, at: 300))
            #expect(try await device.name() == "New")
        },
        Scenario(47, "Given an older snapshot with another name, When received, Then members and name stay.") {
            device in
            try await device.take(make.create(all, at: 100), make.members([creator, owner], at: 200, name: "B"))
            try await device.take(make.members(all + [other], at: 150, name: "A"))
            #expect(try await device.name() == "B")
            #expect(try await device.members() == [creator, owner])
        },
        Scenario(48, "Given removal of P by the creator, When sent, Then P is among the recipients.") { _ in
            let device = try await Device(owner: creator)
            try await device.take(make.create(all, at: 100))
            let log = try #require(try await device.store.log(films))
            let plan = try planner(creator).update(log, members: [creator, owner])
            #expect(plan.recipients == [creator, owner])
            #expect(plan.bestEffort == [peer])
        },
        Scenario(49, "Given root with root_id different from its rumor ID, When received, Then ignored.") { _ in
            func root(_ id: String) -> Fact? {
                fact(#"{"conversation_id":"S","root_id":"\#(id)","kind":"root","url":"https://example.com"}"#)
            }
            #expect(root("") != nil)
            #expect(root(id("rumor").hex) != nil)
            #expect(root(id("other").hex) == nil)
        },
        Scenario(50, "Given root with ftp URL, When received, Then dropped.") { _ in
            func root(_ url: String) -> Fact? {
                fact(#"{"conversation_id":"S","root_id":"","kind":"root","url":"\#(url)"}"#)
            }
            #expect(root("http://example.com") != nil)
            #expect(root("ftp://example.com") == nil)
        },
        Scenario(51, "Given root before its session, When the create arrives, Then the post appears.") { device in
            let root = make.root(at: 110)
            try await device.take(root)
            #expect(try await device.times().isEmpty)
            let effects = try await device.take(make.create(all, at: 100)).effects
            #expect(effects == [.appeared(films), .posted(films, root.id, by: peer, .historical)])
            #expect(try await device.times() == [110])
        },
        Scenario(52, "Given reaction before its root, When the root arrives, Then the reaction appears.") { device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100), make.react(to: root, at: 120))
            try await device.take(root)
            #expect(try await device.posts().first?.reactions.first?.senders == [peer])
        },
        Scenario(53, "Given root_delete before its root by the same author, Then it ends up deleted.") { device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100), make.delete(root, at: 105))
            #expect(try await device.take(root).outcomes == [.ignored])
            #expect(try await device.times().isEmpty)
        },
        Scenario(54, "Given root_delete by another account before the root, Then the post stays.") { device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100), make.delete(root, by: creator, at: 105))
            #expect(try await device.take(root).outcomes == [.kept])
            #expect(try await device.times() == [110])
        },
        Scenario(55, "Given session_delete before any snapshot, When the create arrives, Then it stays away.") {
            device in
            try await device.take(make.delete(at: 50))
            try await device.take(make.create(all, at: 100))
            try await device.take(make.create(all, at: 300), make.root(at: 310))
            #expect(try await device.members() == nil)
            #expect(try await device.store.deletedSessions().map(\.id) == [films])
        },
        Scenario(56, "Given two pending session_delete notices of equal time, Then the greater id is kept.") { device in
            for digit in ["f", "a"] as [Character] {
                try await device.take(make.delete(at: 50, id: .beginning(with: digit)))
            }
            try await device.take(make.create(all, at: 100))
            let log = try await device.store.log(films)
            #expect(log?.tombstone?.moment.id == .beginning(with: "f"))
        },
        Scenario(57, "Given session_delete by a non-creator, When received, Then session unchanged.") { device in
            try await device.take(make.create(all, at: 100))
            try await device.take(make.delete(by: peer, at: 200))
            #expect(try await device.members() == all)
        },
        Scenario(58, "Given a tombstoned session, When anything arrives from history, Then nothing reappears.") {
            device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100), root)
            #expect(try await device.take(make.delete(at: 200)).effects == [.closed(films, creator: creator)])
            let again = try await device.restarted()
            try await again.take(
                make.create(all, at: 100),
                root,
                make.react(to: root, at: 120),
                make.members(all, at: 400, name: "New"),
                make.create(all, by: peer, at: 500),
                make.delete(root, at: 130)
            )
            #expect(try await again.members() == nil)
            #expect(try await again.times().isEmpty)
            #expect(try await again.store.sessions().isEmpty)
        },
        Scenario(59, "Given waiting facts, When the process restarts, Then they are still here.") { device in
            let root = make.root(at: 110)
            try await device.take(root, make.react(to: root, at: 120), make.members([creator, owner], at: 115))
            let again = try await device.restarted()
            try await again.take(make.create(all, at: 100))
            #expect(try await again.times() == [110])
            #expect(try await again.members() == [creator, owner])
        },
        Scenario(61, "Given an unknown payload kind, When received, Then dropped without effect.") { _ in
            #expect(fact(#"{"conversation_id":"S","root_id":"","kind":"session_delete"}"#) != nil)
            #expect(fact(#"{"conversation_id":"S","root_id":"","kind":"session_leave"}"#) == nil)
        },
    ]

    static let membership: [Scenario] = [
        Scenario(62, "Given timeline T1, When replayed, Then roots 110, 115 and 150 are stored.") { device in
            try await device.take(
                make.create(all, at: 100),
                make.root(at: 110),
                make.members([creator, peer], at: 120),
                make.root(at: 130),
                make.members(all, at: 140),
                make.root(at: 150),
                make.root(at: 115),
                make.root(at: 135)
            )
            #expect(try await device.times() == [110, 115, 150])
        },
        Scenario(63, "Given timeline T2, Then the root equal in time to the re-adding snapshot is stored.") { device in
            try await device.take(
                make.create(all, at: 1_000),
                make.members([creator, peer], at: 1_010),
                make.root(at: 1_020),
                make.members(all, at: 1_020)
            )
            #expect(try await device.times() == [1_020])
        },
        Scenario(64, "Given removal at 1010, When a historical root of time 1010 arrives, Then ignored.") { device in
            try await device.take(
                make.create(all, at: 1_000),
                make.members([creator, peer], at: 1_010),
                make.root(at: 1_010),
                make.root(at: 1_009)
            )
            #expect(try await device.times() == [1_009])
        },
        Scenario(65, "Given timeline T3, When a removed peer backdates, Then refused live, stored from history.") { _ in
            let device = try await Device(options: SessionStoreOptions(checksLiveAdmission: true))
            try await device.take(make.create(all, at: 1_600), make.members([creator, owner], at: 1_610))
            let root = make.root(at: 1_605)
            #expect(try await device.take(root, source: .live).outcomes == [.refused])
            #expect(try await device.times().isEmpty)
            #expect(try await device.take(root, source: .historical).outcomes == [.kept])
            #expect(try await device.times() == [1_605])
        },
        Scenario(66, "Given a removed peer, When it sends a backdated live reaction, Then ignored.") { _ in
            let device = try await Device(options: SessionStoreOptions(checksLiveAdmission: true))
            let root = make.root(by: creator, at: 1_601)
            try await device.take(make.create(all, at: 1_600), root, make.members([creator, owner], at: 1_610))
            #expect(try await device.take(make.react(to: root, at: 1_607), source: .live).outcomes == [.refused])
            #expect(try await device.posts().first?.reactions.isEmpty == true)
        },
        Scenario(67, "Given timeline T4, When the peer is re-added after a future root, Then it is not shown.") {
            device in
            try await device.take(
                make.create(all, at: 200),
                make.members([creator, owner], at: 210),
                make.root(at: 900),
                make.members(all, at: 950)
            )
            #expect(try await device.times().isEmpty)
        },
        Scenario(68, "Given snapshot 600, When snapshot 550 arrives, Then members and name stay.") { device in
            try await device.take(make.create([creator, owner], at: 500), make.members(all, at: 600, name: "B"))
            try await device.take(make.members([creator, owner, other], at: 550, name: "A"))
            #expect(try await device.members() == all)
            #expect(try await device.name() == "B")
        },
        Scenario(69, "Given two snapshots at 710, When delivered in either order, Then the greater id decides.") { _ in
            let low = make.members(all, at: 710, id: .beginning(with: "a"))
            let high = make.members([creator, owner], at: 710, id: .beginning(with: "f"))
            for order in [[low, high], [high, low]] {
                let device = try await Device()
                try await device.take([make.create(all, at: 500)] + order)
                #expect(try await device.members() == [creator, owner])
            }
        },
        Scenario(70, "Given the owner removed, When it tries to post or react, Then refused; posts stay readable.") {
            device in
            let root = make.root(at: 110)
            try await device.take(make.create(all, at: 100), root, make.members([creator, peer], at: 120))
            let log = try #require(try await device.store.log(films))
            #expect(throws: OutgoingError.notAMember) { try planner(owner).post(links, in: log) }
            let post = try #require(try await device.posts().first?.post)
            #expect(throws: OutgoingError.notAMember) {
                try planner(owner).react(to: post, "👍", isActive: true, in: log)
            }
            #expect(try await device.store.session(films)?.isActive == false)
        },
        Scenario(71, "Given a member added at 800, When a historical root of 790 arrives, Then not shown.") { device in
            try await device.take(make.members([creator, owner], at: 800, name: "Films"))
            try await device.take(make.root(by: creator, at: 790), make.root(by: creator, at: 810))
            #expect(try await device.times() == [810])
        },
        Scenario(72, "Given a re-added member, When two intervals exist, Then events in the gap do not count.") {
            device in
            try await device.take(
                make.create(all, at: 100),
                make.members([creator, owner], at: 200),
                make.members(all, at: 300),
                make.root(at: 150),
                make.root(at: 250),
                make.root(at: 350)
            )
            #expect(try await device.times() == [150, 350])
        },
        Scenario(73, "Given a removal and a re-adding at one time, the greater id re-adding, Then two intervals touch.")
        {
            device in
            try await device.take(
                make.create(all, at: 100),
                make.members([creator, owner], at: 200, id: .beginning(with: "1")),
                make.members(all, at: 200, id: .beginning(with: "2"))
            )
            var log = try #require(try await device.store.log(films))
            #expect(log.membership.intervals[peer] == [Interval(start: 100, end: 200), Interval(start: 200)])
            #expect(log.membership.isMember(peer))
        },
    ]
}
