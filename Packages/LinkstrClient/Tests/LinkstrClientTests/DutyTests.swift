import LinkstrClient
import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import NostrTransport
import Sockets
import Testing

@Suite("What an account sends without being asked", .timeLimit(.minutes(10)))
struct DutyTests {
    @Test("puts back the member list that all relays have lost, so that a fresh device sees the posts")
    func lostLists() async throws {
        let village = try await Village()
        let ann = try Person()
        let anns = try await ann.runtime([village.url])
        _ = try await anns.catchUp()
        let made = try await anns.send(anns.planner().create(name: "Films", members: []))
        let log = try #require(try await anns.store.log(made.outgoing.fact.session))
        try await anns.post("a", in: log)
        _ = try await village.store.remove(made.wraps.map(\.id))
        #expect(try await village.count(of: ann.key) == 1)
        // What was not read to its end says nothing about what is lost.
        _ = try await anns.catchUp(.recent)
        #expect(try await village.count(of: ann.key) == 1)
        _ = try await anns.catchUp(.full)
        #expect(try await village.count(of: ann.key) == 2)
        _ = try await anns.catchUp(.full)
        #expect(try await village.count(of: ann.key) == 2)
        let other = try await ann.secondDevice().runtime([village.url])
        _ = try await other.catchUp()
        #expect(try await other.store.feed(FeedQuery()).items.count == 1)
        for runtime in [anns, other] { await runtime.close() }
        try await village.close()
    }

    @Test("puts nothing back while a relay may still have it")
    func relayDown() async throws {
        let village = try await Village()
        let ann = try Person()
        let nobody = try RelayURL("ws://127.0.0.1:9")
        let anns = try await ann.runtime([village.url, nobody])
        let made = try await anns.send(anns.planner().create(name: "Films", members: []))
        _ = try await village.store.remove(made.wraps.map(\.id))
        let report = try await anns.catchUp(.full)
        #expect(report.complete == [village.url] && report.incomplete[nobody] != nil)
        #expect(try await village.count(of: ann.key) == 0)
        await anns.close()
        try await village.close()
    }

    @Test("sends a member list again to somebody whom another device left out without knowing")
    func twoDevices() async throws {
        let village = try await Village()
        let (ann, ben, cat) = (try Person(), try Person(), try Person())
        let first = try await ann.runtime([village.url])
        let second = try await ann.secondDevice().runtime([village.url])
        let log = try await first.make("Films", with: [])
        _ = try await second.catchUp()
        let secondLog = try #require(try await second.store.log(log.id))
        // Each adds somebody and knows nothing of the other.
        _ = try await first.send(first.planner().update(log, members: [ann.key, ben.key]))
        _ = try await second.send(second.planner().update(secondLog, members: [ann.key, cat.key]))
        let bens = try await ben.runtime([village.url])
        let cats = try await cat.runtime([village.url])
        _ = try await bens.catchUp()
        _ = try await cats.catchUp()
        _ = try await first.catchUp()
        _ = try await second.catchUp()
        _ = try await first.catchUp()
        let winner = try #require(try await first.store.log(log.id)?.log.last?.members)
        _ = try await bens.catchUp()
        _ = try await cats.catchUp()
        for (runtime, key) in [(bens, ben.key), (cats, cat.key)] {
            #expect(try await runtime.session(named: "Films").isActive == winner.contains(key))
        }
        for runtime in [first, second, bens, cats] { await runtime.close() }
        try await village.close()
    }

    @Test("deletes a post for everybody and asks relays for the own copy alone")
    func deletePost() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        let log = try await anns.make("Films", with: [ben.key])
        let id = try await anns.post("a", in: log)
        let wraps = try await anns.store.wraps(of: id)
        #expect(wraps.count == 2)
        let item = try #require(try await anns.store.post(id))
        let deletion = try await anns.delete(item)
        #expect(deletion.warnings.isEmpty && deletion.notice != nil)
        let request = try #require(try await village.newest(.deletion, by: ann.key))
        let own = try #require(wraps.first { $0.recipient == ann.key })
        #expect(Array(request.tags) == [Tag("e", own.id.hex), Tag("k", "1059")])
        #expect(try await anns.store.post(id) == nil)
        let bens = try await ben.runtime([village.url])
        _ = try await bens.catchUp()
        #expect(try await bens.store.post(id) == nil)
        #expect(try await bens.session(named: "Films").id == log.id)
        for runtime in [anns, bens] { await runtime.close() }
        try await village.close()
    }

    @Test("deletes a post for everybody where relays refuse to drop its copies only if it is told to, and says so")
    func deletePostOnRefusingRelay() async throws {
        let village = try await Village()
        let refusing = try Relay(
            store: village.store,
            on: .ip(.loopback4, port: 0),
            policies: [KindPolicy(only: [.giftWrap])]
        )
        let url = try #require(refusing.url)
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([url])
        let log = try await anns.make("Films", with: [ben.key])
        let id = try await anns.post("a", in: log)
        let first = try #require(try await anns.store.post(id))
        await #expect {
            try await anns.delete(first)
        } throws: { error in
            if case ClientError.copiesRefused = error { true } else { false }
        }
        #expect(try await anns.store.post(id) != nil)
        let deletion = try await anns.delete(first, keepingCopies: true)
        #expect(deletion.warnings.count == 1 && deletion.notice != nil)
        #expect(deletion.warnings.first?.contains("kind") == true, "\(deletion.warnings)")
        #expect(try await anns.store.post(id) == nil)
        #expect(try await village.newest(.deletion, by: ann.key) == nil)
        let bens = try await ben.runtime([url])
        _ = try await bens.catchUp()
        #expect(try await bens.session(named: "Films").id == log.id)
        #expect(try await bens.store.post(id) == nil)
        // Where no relay is there to refuse, nothing is deleted.
        let other = try await anns.post("b", in: log)
        let item = try #require(try await anns.store.post(other))
        await anns.close()
        await refusing.close()
        let offline = try await ann.runtime([url], gate: .milliseconds(300))
        await #expect(throws: ClientError.self) { try await offline.delete(item) }
        #expect(try await offline.store.post(other) != nil)
        for runtime in [offline, bens] { await runtime.close() }
        try await village.close()
    }

    @Test("names the copies of all members where the person wants that")
    func deleteAllCopies() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        try await anns.changeSettings { $0.deletesAllCopies = true }
        let log = try await anns.make("Films", with: [ben.key])
        let id = try await anns.post("a", in: log)
        let wraps = try await anns.store.wraps(of: id)
        _ = try await anns.delete(try #require(try await anns.store.post(id)))
        let request = try #require(try await village.newest(.deletion, by: ann.key))
        #expect(Set(request.tags.values(named: "e")) == Set(wraps.map(\.id.hex)))
        await anns.close()
        try await village.close()
    }

    @Test("ends a session for everybody")
    func deleteSession() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        let bens = try await ben.runtime([village.url])
        let log = try await anns.make("Films", with: [ben.key])
        try await anns.post("a", in: log)
        _ = try await bens.catchUp()
        await #expect(throws: ClientError.notPermitted(.notTheCreator)) { try await bens.delete(log.id) }
        let deletion = try await anns.delete(log.id)
        #expect(deletion.warnings.isEmpty)
        #expect(try await anns.store.sessions().isEmpty)
        _ = try await bens.catchUp()
        #expect(try await bens.store.sessions().isEmpty)
        for runtime in [anns, bens] { await runtime.close() }
        try await village.close()
    }

    @Test("lets a relay that others cannot reach decide only where there is no other")
    func unreachableRelay() async throws {
        let village = try await Village()
        let nobody = try RelayURL("ws://127.0.0.1:9")
        let ann = try Person()
        func runtime(_ relays: [RelayURL], gate: Duration = .seconds(12)) async throws -> AccountRuntime {
            var options = ClientOptions()
            options.transport.information = nil
            options.gateTime = gate
            options.unreachableRelays = [village.url]
            return try await AccountRuntime.open(
                ann.keys,
                home: ann.temporary.home,
                relays: relays,
                options: options
            )
        }
        let alone = try await runtime([village.url])
        _ = try await alone.make("Films", with: [])
        await alone.close()
        let both = try await runtime([village.url, nobody], gate: .milliseconds(300))
        let plan = try both.planner().create(name: "Tea", members: [])
        await #expect { try await both.send(plan) } throws: { error in
            guard case ClientError.noRelayReached(let reasons) = error else { return false }
            return Array(reasons.keys) == [nobody]
        }
        #expect(try await both.store.sessions().map(\.name) == ["Films"])
        await both.close()
        try await village.close()
    }

    @Test("keeps everything of a temporary run in memory")
    func temporary() async throws {
        let village = try await Village()
        let ann = try Person()
        var options = ClientOptions()
        options.transport.information = nil
        options.isTemporary = true
        let runtime = try await AccountRuntime.open(
            ann.keys,
            home: ann.temporary.home,
            relays: [village.url],
            options: options
        )
        _ = try await runtime.make("Films", with: [])
        _ = try await runtime.catchUp()
        await runtime.close()
        let directory = ann.temporary.home.account(ann.key)
        for name in ["account.db", "client.db"] {
            #expect(throws: (any Error).self) { try ann.temporary.text(directory + "/" + name) }
        }
        #expect(try ann.temporary.text(directory + "/account.json").isEmpty == false)
        try await village.close()
    }
}
