import LinkstrClient
import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import NostrTransport
import SQLite
import Sockets
import Testing

@Suite("An account at work", .timeLimit(.minutes(10)))
struct RuntimeTests {
    @Test("shares a link in a session that the other side sees, answers and finds again on a new device")
    func exchange() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        let bens = try await ben.runtime([village.url])
        _ = try await anns.catchUp()

        let made = try await anns.send(anns.planner().create(name: "Films", members: [ben.key]))
        let id = made.outgoing.fact.session
        #expect(made.wraps.count == 2)
        let log = try #require(try await anns.store.log(id))
        let link = try WebURL("https://example.com/a")
        let posted = try await anns.send(anns.planner().post(link, note: "look", in: log))

        let report = try await bens.catchUp()
        #expect(report.opened == 2 && report.incomplete.isEmpty)
        let session = try await bens.session(named: "Films")
        #expect(session.id == id && session.creator == ann.key && session.isActive)
        let item = try await bens.post(named: String(posted.outgoing.fact.id.hex.prefix(8)))
        #expect(item.post.url == link && item.post.note == "look" && item.post.sender == ann.key)

        let bensLog = try #require(try await bens.store.log(id))
        _ = try await bens.send(bens.planner().react(to: item.post, "👍", isActive: true, in: bensLog))
        _ = try await anns.catchUp()
        let seen = try #require(try await anns.store.post(item.post.id))
        #expect(seen.reactions.map(\.emoji.text) == ["👍"] && seen.reactions[0].senders == [ben.key])

        let device = try ann.secondDevice()
        let restored = try await device.runtime([village.url])
        _ = try await restored.catchUp()
        #expect(try await restored.session(named: "Films").id == id)
        #expect(try await restored.store.post(item.post.id)?.reactions == seen.reactions)
        for runtime in [anns, bens, restored] { await runtime.close() }
        try await village.close()
    }

    @Test("reads again only what may be new, and changes nothing by reading all")
    func again() async throws {
        let village = try await Village()
        let ann = try Person()
        let runtime = try await ann.runtime([village.url])
        _ = try await runtime.catchUp()
        _ = try await runtime.send(runtime.planner().create(name: "Notes", members: []))
        await runtime.close()
        let next = try await ann.runtime([village.url])
        let before = try await next.store.sessions()
        _ = try await next.catchUp()
        _ = try await next.catchUp(.full)
        #expect(try await next.store.sessions() == before)
        #expect(before.map(\.name) == ["Notes"])
        await next.close()
        try await village.close()
    }

    @Test("sends nothing and stores nothing where no relay can be reached, and says why")
    func offline() async throws {
        let ann = try Person()
        let nobody = try RelayURL("ws://127.0.0.1:9")
        let runtime = try await ann.runtime([nobody], gate: .milliseconds(300))
        let plan = try runtime.planner().create(name: "Films", members: [])
        await #expect { try await runtime.send(plan) } throws: { error in
            guard case ClientError.noRelayReached(let reasons) = error else { return false }
            return reasons[nobody] != nil
        }
        #expect(try await runtime.store.sessions().isEmpty)
        await runtime.close()
        let alone = try await ann.runtime([])
        await #expect(throws: ClientError.noRelayEnabled) { try await alone.send(plan) }
        await alone.close()
    }

    @Test("completes a sending that failed with the same statement, once a relay is there")
    func completion() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        let made = try await anns.send(anns.planner().create(name: "Films", members: [ben.key]))
        let again = try await anns.send(made.outgoing)
        #expect(again.outgoing.fact.id == made.outgoing.fact.id)
        let bens = try await ben.runtime([village.url])
        _ = try await bens.catchUp()
        #expect(try await bens.store.sessions().count == 1)
        for runtime in [anns, bens] { await runtime.close() }
        try await village.close()
    }

    @Test("ignores what strangers and other kinds put into its wraps")
    func strangers() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let bens = try await ben.runtime([village.url])
        let plan = try bens.planner().create(name: "Spam", members: [ben.key])
        _ = try await bens.send(plan)
        let anns = try await ann.runtime([village.url])
        let report = try await anns.catchUp()
        #expect(report.opened == 0)
        #expect(try await anns.store.sessions().isEmpty)
        for runtime in [anns, bens] { await runtime.close() }
        try await village.close()
    }
}
