import LinkstrClient
import LinkstrLinks
import LinkstrSessions
import Locking
import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import NostrTransport
import Testing

/// Ann in a session of her own, at a relay that can be told to refuse.
private struct Films {
    let village: Village
    let door: Doorkeeper
    let ann: Person
    let anns: AccountRuntime
    let log: SessionLog

    init() async throws {
        (village, door) = try await Village.guarded()
        ann = try Person()
        anns = try await ann.runtime([village.url])
        log = try await anns.make("Films", with: [])
    }

    func close() async throws {
        await anns.close()
        try await village.close()
    }
}

/// The numbered scenarios of the protocol that need relays and an account, by the number of each.
@Suite("Scenarios of an account", .timeLimit(.minutes(10)))
struct ClientScenarioTests {
    @Test("29: given two wraps and two relays, when each relay accepts another one, then success")
    func eachRelayTakesAnother() async throws {
        let (ann, ben) = (try Person(), try Person())
        let benKey = ben.key.hex
        let (first, _) = try await Village.guarded { $0.tags.values(named: "p").contains(benKey) }
        let (second, door) = try await Village.guarded { !$0.tags.values(named: "p").contains(benKey) }
        let anns = try await ann.runtime([first.url, second.url])
        let log = try await anns.make("Films", with: [ben.key])
        #expect(try await (first.count(of: ann.key), first.count(of: ben.key)) == (1, 0))
        #expect(try await (second.count(of: ann.key), second.count(of: ben.key)) == (0, 1))
        // The control: once no relay takes the copy for Ben, it is a failure.
        door.refuse { _ in true }
        await #expect(throws: ClientError.refused([ben.key], "blocked: not today")) {
            try await anns.post("a", in: log)
        }
        await anns.close()
        for village in [first, second] { try await village.close() }
    }

    @Test("a post that some did not get is completed in the same run, and a later run warns before another one")
    func unfinishedSending() async throws {
        let (ann, ben) = (try Person(), try Person())
        let benKey = ben.key.hex
        let (village, door) = try await Village.guarded()
        let first = try await ann.runtime([village.url])
        let log = try await first.make("Films", with: [ben.key])
        let before = try await village.count(of: ben.key)
        let warnings = Locked<[String]>([])
        func post(_ name: String, on runtime: AccountRuntime) async throws {
            let call = OperationCall(runtime, onWarning: { sentence in warnings.withLock { $0.append(sentence) } })
            let url = JSONValue.string("https://example.com/" + name)
            _ = try await ClientOperation.post.perform(["session": .string(log.id.text), "url": url], call)
        }
        func unfinished(_ runtime: AccountRuntime) async throws -> [JSONValue] {
            try await ClientOperation.accountStatus.perform([:], OperationCall(runtime))[0]["unfinished"]?.array ?? []
        }
        door.refuse { $0.tags.values(named: "p").contains(benKey) }
        for name in ["a", "b"] {
            await #expect(throws: OperationFailure.self) { try await post(name, on: first) }
        }
        let told = try await unfinished(first)
        #expect(told.count == 2 && told[0]["name"] == "Films" && told[0]["missed"] == .array([.string(benKey)]))
        door.refuse { _ in false }
        try await post("a", on: first)
        #expect(try await unfinished(first).count == 1)
        await first.close()

        let second = try await ann.runtime([village.url])
        #expect(try await unfinished(second).count == 1 && warnings.withLock { $0 } == [])
        try await post("c", on: second)
        #expect(warnings.withLock { $0 } == [])
        try await post("b", on: second)
        #expect(warnings.withLock { $0 }.count == 1 && warnings.withLock { $0[0] }.contains(ben.keys.publicKey.npub))
        #expect(try await unfinished(second).isEmpty)
        #expect(try await village.count(of: ben.key) == before + 3)
        // The control: what nobody took cannot appear twice.
        door.refuse { _ in true }
        await #expect(throws: OperationFailure.self) { try await post("d", on: second) }
        #expect(try await unfinished(second).isEmpty)
        await second.close()
        try await village.close()
    }

    @Test("30 and 37: given relays that all reject, then failure with a relay's text, and nothing is stored or queued")
    func allReject() async throws {
        let (first, firstDoor) = try await Village.guarded { $0.kind == .giftWrap }
        let (second, _) = try await Village.guarded { $0.kind == .giftWrap }
        let ann = try Person()
        let anns = try await ann.runtime([first.url, second.url])
        let plan = try anns.planner().create(name: "Films", members: [])
        await #expect(throws: ClientError.refused([ann.key], "blocked: not today")) { try await anns.send(plan) }
        #expect(try await anns.store.sessions().isEmpty)
        // A relay that would take it now gets nothing that had failed.
        firstDoor.refuse { _ in false }
        _ = try await anns.catchUp()
        #expect(try await first.count(of: ann.key) == 0)
        #expect(try await anns.store.sessions().isEmpty)
        _ = try await anns.send(plan)
        #expect(try await first.count(of: ann.key) == 1)
        #expect(try await anns.store.sessions().map(\.name) == ["Films"])
        await anns.close()
        for village in [first, second] { try await village.close() }
    }

    @Test("36: given relays that all connect, when one connects in time, then the send goes out")
    func oneConnectsInTime() async throws {
        let village = try await Village()
        let ann = try Person()
        let nobody = try RelayURL("ws://127.0.0.1:9")
        let anns = try await ann.runtime([nobody, village.url])
        _ = try await anns.make("Films", with: [])
        #expect(try await village.count(of: ann.key) == 1)
        await anns.close()
        try await village.close()
    }

    @Test("75: given an own post without wrap ids, when deleted, then no request goes out and a warning says so")
    func postWithoutWraps() async throws {
        let films = try await Films()
        let id = try await films.anns.keepOlderPost("a", in: films.log)
        let deletion = try await films.anns.delete(try #require(try await films.anns.store.post(id)))
        #expect(deletion.warnings.count == 1 && deletion.notice != nil)
        #expect(try await films.village.newest(.deletion, by: films.ann.key) == nil)
        #expect(try await films.anns.store.post(id) == nil)
        try await films.close()
    }

    @Test("76: given the request accepted and the notice failing, then the post is gone here and a warning is shown")
    func noticeFails() async throws {
        let films = try await Films()
        let id = try await films.anns.post("a", in: films.log)
        films.door.refuse { $0.kind == .giftWrap }
        let deletion = try await films.anns.delete(try #require(try await films.anns.store.post(id)))
        #expect(deletion.notice == nil)
        #expect(deletion.warnings.count == 1 && deletion.warnings[0].contains("not today"))
        #expect(try await films.village.newest(.deletion, by: films.ann.key) != nil)
        #expect(try await films.anns.store.post(id) == nil)
        try await films.close()
    }

    @Test("77: given the request rejected, then no notice is sent and the post stays", arguments: [true, false])
    func requestRejected(hasWraps: Bool) async throws {
        let films = try await Films()
        let anns = films.anns
        let id = try await hasWraps ? anns.post("a", in: films.log) : anns.keepOlderPost("a", in: films.log)
        let copies = try await films.village.count(of: films.ann.key)
        // Without wrap ids there is only the notice, and its failure is the failure.
        films.door.refuse { $0.kind == (hasWraps ? .deletion : .giftWrap) }
        let item = try #require(try await anns.store.post(id))
        await #expect(throws: ClientError.self) { try await anns.delete(item) }
        #expect(try await anns.store.post(id) == item)
        #expect(try await films.village.count(of: films.ann.key) == copies)
        films.door.refuse { _ in false }
        _ = try await anns.delete(item)
        #expect(try await anns.store.post(id) == nil)
        try await films.close()
    }

    @Test("82 and 83: given a session deleted, then copies are warned of where posts lack wrap ids, not without posts")
    func sessionWithOlderPosts() async throws {
        let village = try await Village()
        let ann = try Person()
        let anns = try await ann.runtime([village.url])
        let older = try await anns.make("Older", with: [])
        let empty = try await anns.make("Empty", with: [])
        try await anns.keepOlderPost("a", in: older)
        #expect(try await anns.delete(older.id).warnings.count == 1)
        #expect(try await anns.delete(empty.id).warnings.isEmpty)
        #expect(try await village.newest(.deletion, by: ann.key) == nil)
        #expect(try await anns.store.sessions().isEmpty)
        await anns.close()
        try await village.close()
    }

    @Test("84: given the notice of a session's end failing, then the session stays")
    func sessionNoticeFails() async throws {
        let films = try await Films()
        let id = try await films.anns.post("a", in: films.log)
        films.door.refuse { $0.kind == .giftWrap }
        await #expect(throws: ClientError.self) { try await films.anns.delete(films.log.id) }
        #expect(try await films.anns.store.sessions().map(\.name) == ["Films"])
        #expect(try await films.anns.store.post(id) != nil)
        #expect(try await films.village.newest(.deletion, by: films.ann.key) == nil)
        try await films.close()
    }

    @Test("133: given the request to vanish rejected, then the account and its data remain")
    func vanishingRejected() async throws {
        let films = try await Films()
        films.door.refuse { $0.kind == .requestToVanish }
        let accounts = films.ann.temporary.accounts
        await #expect { try await films.anns.deleteAccount(from: accounts) } throws: { error in
            guard case ClientError.notAccepted(let outcomes) = error else { return false }
            return outcomes[films.village.url]?.description.contains("not today") == true
        }
        #expect(try accounts.all().map(\.key) == [films.ann.key])
        #expect(try await films.anns.store.sessions().map(\.name) == ["Films"])
        try await films.close()
    }

    @Test("134: given two accounts on one device, then no session, alias or unread mark crosses over")
    func twoAccounts() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        try ann.temporary.accounts.add(ben.keys.keyPair.secretKey, isImported: false, now: 1)
        let bensKeys = try ann.temporary.accounts.open(ben.key)
        let anns = try await ann.runtime([village.url])
        let log = try await anns.make("Films", with: [])
        try await anns.post("a", in: log)
        try await anns.setAlias("Cat", of: SecretKey.generate().publicKey)
        var options = ClientOptions()
        options.transport.information = nil
        let bens = try await AccountRuntime.open(
            bensKeys,
            home: ann.temporary.home,
            relays: [village.url],
            options: options
        )
        _ = try await bens.catchUp()
        #expect(try await bens.store.sessions().isEmpty)
        #expect(try await bens.store.feed(FeedQuery()).items.isEmpty)
        #expect(await bens.aliases.isEmpty)
        #expect(try await anns.store.feed(FeedQuery()).items.count == 1)
        for runtime in [anns, bens] { await runtime.close() }
        try await village.close()
    }
}

extension AccountRuntime {
    /// Keeps an own post of which the wraps are not known, as one that was stored by an older program.
    @discardableResult
    fileprivate func keepOlderPost(_ path: String, in log: SessionLog) async throws -> EventID {
        let plan = try planner().post(WebURL("https://example.com/" + path), in: log)
        _ = try await store.apply([Arrival(plan.fact, source: .live, isMadeHere: true)], now: plan.rumor.createdAt)
        return plan.fact.id
    }
}
