import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import Testing

@Suite("What is sent")
struct OutgoingTests {
    let planner = OutgoingPlanner(owner: creator, now: 1_000, isOnCurve: { _ in true })
    let url = try! WebURL("https://example.com/a")

    /// The creator's own view of a session made at 1000.
    private func session(_ members: [Bytes32]) throws -> SessionLog {
        let plan = try planner.create(name: " Films ", members: members)
        return try log([plan.fact], of: plan.fact.session, owner: creator)
    }

    private func log(_ facts: [Fact], of id: SessionID, owner: Bytes32) throws -> SessionLog {
        var sessions = Sessions(owner: owner, isRestoring: false)
        for fact in facts { _ = sessions.apply(fact) }
        return try #require(sessions.log(id))
    }

    @Test("is refused when a member it lists is no public key")
    func keysOffTheCurve() throws {
        let strict = OutgoingPlanner(owner: PayloadTests.one, now: 1_000)
        #expect(try strict.create(name: "Films", members: [PayloadTests.two]).recipients.count == 2)
        #expect(throws: OutgoingError.wouldNotCount) { try strict.create(name: "Films", members: [.zero]) }
    }

    @Test("to make a session reaches every listed member and the creator first")
    func create() throws {
        let plan = try planner.create(name: " Films ", members: [peer, owner, peer])
        #expect(plan.recipients == [creator, owner, peer])
        #expect(plan.bestEffort.isEmpty)
        #expect(plan.rumor.tags.isEmpty)
        #expect(plan.fact.session.names(creator))
        #expect(plan.fact.statement == .snapshot(name: "Films", members: [creator, peer, owner], isCreate: true))
    }

    @Test("may be a session of its own with nobody else, but not one without a name")
    func names() throws {
        #expect(try planner.create(name: "Alone", members: []).recipients == [creator])
        #expect(throws: OutgoingError.emptyName) { try planner.create(name: " \n", members: []) }
    }

    @Test("as a member list is later than the log and reaches those it leaves out")
    func update() throws {
        let log = try session([owner, peer])
        let plan = try planner.update(log, members: [creator, owner])
        #expect(plan.fact.time == 1_001)
        #expect(plan.recipients == [creator, owner])
        #expect(plan.bestEffort == [peer])
        #expect(plan.fact.statement == .snapshot(name: "Films", members: [creator, owner], isCreate: false))
        let renamed = try planner.update(log, name: "New")
        #expect(renamed.fact.statement == .snapshot(name: "New", members: [creator, owner, peer], isCreate: false))
        #expect(throws: OutgoingError.creatorLeftOut) { try planner.update(log, members: [owner]) }
    }

    @Test("as a member list leaves a post of the same second to the member it removes")
    func sameSecond() throws {
        let first = try planner.create(name: "Films", members: [owner, peer]).fact
        let log = try log([first], of: first.session, owner: creator)
        let later = OutgoingPlanner(owner: creator, now: 1_005, isOnCurve: { _ in true })
        let post = try later.post(url, in: log)
        #expect(post.fact.time == 1_005)
        let next = try later.update(log, members: [creator, owner], after: 1_005)
        #expect(next.fact.time == 1_006)
        #expect(try later.update(log, members: [creator, owner], after: 1_004).fact.time == 1_005)
        // A clock that runs ahead moves it by no more than that second.
        #expect(try later.update(log, members: [creator, owner], after: 9_000).fact.time == 1_006)
        var peers = try self.log([first, next.fact], of: first.session, owner: peer)
        let membership = peers.membership
        #expect(membership.covers(creator, and: peer, at: 1_005))
        #expect(!membership.covers(creator, and: peer, at: 1_006))
    }

    @Test("into a session is refused to those who may not")
    func authority() throws {
        let made = try planner.create(name: "Films", members: [owner, peer])
        let id = made.fact.session
        let theirs = try log([made.fact], of: id, owner: owner)
        let member = OutgoingPlanner(owner: owner, now: 1_010, isOnCurve: { _ in true })
        #expect(try member.post(url, in: theirs).recipients == [owner, creator, peer])
        #expect(throws: OutgoingError.notTheCreator) { try member.update(theirs, name: "Mine") }
        #expect(throws: OutgoingError.notTheCreator) { try member.delete(theirs) }
        let out = Maker(session: id).members([creator, peer], at: 1_005)
        let removed = try log([made.fact, out], of: id, owner: owner)
        #expect(throws: OutgoingError.notAMember) { try member.post(url, in: removed) }
    }

    @Test("as a post is not earlier than the newest list and says when the session's clock runs ahead")
    func clocks() throws {
        let log = try session([owner])
        let later = Maker(session: log.id).members([creator, owner], at: 5_000)
        let grown = try self.log(
            [Maker(session: log.id).create([creator, owner], at: 1_000), later],
            of: log.id,
            owner: creator
        )
        let plan = try planner.post(url, in: grown)
        #expect(plan.fact.time == 5_000)
        #expect(plan.warnings == [.sessionClockAhead(seconds: 4_000)])
        #expect(try planner.post(url, in: log).warnings.isEmpty)
    }

    @Test("as a reaction is later than what was said before and names its post in a tag")
    func reactions() throws {
        let log = try session([owner])
        let post = Post(moment: Moment(time: 1_000, id: id("p")), sender: owner, url: url, note: nil)
        var known = ReactionSlot()
        _ = known.insert(Reaction(moment: Moment(time: 1_200, id: id("r")), isActive: true))
        let plan = try planner.react(to: post, " 👍 ", isActive: false, known: known, in: log)
        #expect(plan.fact.time == 1_201)
        #expect(Array(plan.rumor.tags) == [Tag("e", post.id.hex, "", "root")])
    }

    @Test("as a reaction is one visible character, whatever it is made of")
    func emoji() throws {
        let log = try session([owner])
        let post = Post(moment: Moment(time: 1_000, id: id("p")), sender: owner, url: url, note: nil)
        let family = "\u{1F468}\u{1F3FB}\u{200D}\u{2764}\u{FE0F}\u{200D}\u{1F48B}\u{200D}\u{1F468}\u{1F3FF}"
        let flag = "\u{1F3F4}\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}"
        for text in ["👍", " 👎 ", "👀", "+", "-", "x", "é", "e\u{301}", "❤️", "🇩🇪", "1️⃣", family, flag] {
            #expect(throws: Never.self, "\(text)") { try planner.react(to: post, text, isActive: true, in: log) }
        }
        for text in [
            "", " ", "👍👍", "ok", "👍x", "\u{7}", "\u{1B}", "\r\n", "\u{0}", "\u{9B}", "\u{202E}", "\u{2066}", "\u{200D}",
            "\u{FE0F}", "\u{301}", "\u{AD}", "e" + String(repeating: "\u{301}", count: 16), "👍\u{202E}", "\u{1B}[2J",
        ] {
            #expect(throws: OutgoingError.notOneEmoji, "\(text.debugDescription)") {
                try planner.react(to: post, text, isActive: true, in: log)
            }
        }
    }

    @Test("as a deletion reaches former members too, and only the author can send it")
    func deletions() throws {
        let log = try session([owner, peer])
        let without = try self.log(
            [
                Maker(session: log.id).create([creator, owner, peer], at: 1_000),
                Maker(session: log.id).members([creator, owner], at: 1_100),
            ],
            of: log.id,
            owner: creator
        )
        let mine = Post(moment: Moment(time: 1_050, id: id("p")), sender: creator, url: url, note: nil)
        let theirs = Post(moment: Moment(time: 1_050, id: id("q")), sender: owner, url: url, note: nil)
        let plan = try planner.delete(mine, in: without)
        #expect(plan.recipients == [creator, owner])
        #expect(plan.bestEffort == [peer])
        #expect(throws: OutgoingError.notTheAuthor) { try planner.delete(theirs, in: without) }
        #expect(try planner.delete(without).bestEffort == [peer])
    }

    @Test("fits into two layers of encryption, or is refused")
    func sizes() throws {
        let log = try session([owner])
        #expect(throws: OutgoingError.noteTooLong(limit: 4_000)) {
            try planner.post(url, note: String(repeating: "a", count: 4_001), in: log)
        }
        let families = String(repeating: "👩‍👩‍👧‍👧", count: 2_000)
        guard
            case .large = try #require(
                try planner.post(url, note: String(families.prefix(1_200)), in: log).warnings.first
            )
        else {
            Issue.record("no warning about the size")
            return
        }
        #expect(throws: OutgoingError.self) { try planner.post(url, note: families, in: log) }
        let many = (0..<700).map { index -> Bytes32 in
            try! Bytes32([UInt8(index / 250), UInt8(index % 250)] + [UInt8](repeating: 9, count: 30))
        }
        #expect(throws: OutgoingError.self) { try planner.create(name: "Big", members: many) }
        #expect(try planner.create(name: "Big", members: Array(many.prefix(150))).warnings == [.manyMembers(151)])
    }

    @Test("into a session that several claim waits for the person's word")
    func contested() throws {
        let facts = [
            Maker().create([peer, owner], by: peer, at: 10), Maker().create([creator, owner], by: creator, at: 5),
        ]
        var sessions = Sessions(owner: owner)
        for fact in facts { _ = sessions.apply(fact) }
        sessions.completeRestore()
        let member = OutgoingPlanner(owner: owner, now: 100, isOnCurve: { _ in true })
        let open = try #require(sessions.log(films))
        #expect(throws: OutgoingError.unconfirmedCreator) { try member.post(url, in: open) }
        sessions.setCreator(peer, of: films)
        let confirmed = try #require(sessions.log(films))
        #expect(confirmed.creator == peer)
        #expect(try member.post(url, in: confirmed).recipients == [owner, peer])
    }
}
