import LinkstrClient
import LinkstrLinks
import LinkstrSessions
import Locking
import NostrCrypto
import NostrEvents
import NostrGiftWrap
import NostrRelay
import NostrStore
import NostrTransport
import SQLite
import Sockets
import Testing

@Suite("A runtime that receives", .timeLimit(.minutes(10)))
struct LiveTests {
    @Test("tells a post within moments, with what it says, and that it is worth a notification")
    func delivery() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        var (anns, annHears) = try await ann.live([village.url])
        var (bens, benHears) = try await ben.live([village.url])
        try await bens.changeSettings { $0.requestsByStrangers = false }
        let log = try await anns.make("Films", with: [ben.key])
        let appeared = try await benHears.first { event -> SessionSummary? in
            if case .sessionAppeared(let summary) = event.kind { summary } else { nil }
        }
        #expect(appeared.name == "Films" && appeared.creator == ann.key)

        let clock = ContinuousClock()
        var times: [Duration] = []
        for number in 1...5 {
            let started = clock.now
            let id = try await anns.post("\(number)", in: log)
            let heard = try await benHears.post()
            times.append(clock.now - started)
            #expect(heard.id == id && heard.delivery == .live && heard.isWorth)
            #expect(heard.item?.post.url.text == "https://example.com/\(number)" && heard.item?.isUnread == true)
            let own = try await annHears.post()
            #expect(own.id == id && own.delivery == .own && !own.isWorth)
        }
        #expect(times.min() ?? .seconds(9) < .milliseconds(500))

        let item = try #require(try await bens.store.feed(FeedQuery()).items.first)
        let bensLog = try #require(try await bens.store.log(log.id))
        for isActive in [true, false] {
            let slot = try await bens.store.reactions(to: item.post.id, in: log.id, ExactText("👍"), by: ben.key)
            let plan = try bens.planner().react(to: item.post, "👍", isActive: isActive, known: slot, in: bensLog)
            _ = try await bens.send(plan)
            let (active, isWorth) = try await annHears.first { event -> (Bool, Bool)? in
                guard case .reacted(_, _, _, _, let isActive, .live) = event.kind else { return nil }
                return (isActive, event.isWorthNotifying)
            }
            #expect(active == isActive && isWorth == isActive)
        }
        let status = await bens.status()
        #expect(status.stage == .ready && status.isLive && status.isOnline && status.counters.opened >= 6)
        #expect(status.relays.first?.acceptanceTime != nil && status.acceptanceTime != nil)
        for runtime in [anns, bens] { await runtime.close() }
        try await village.close()
    }

    @Test("tells a post that comes before its session as a new one, once, when the session is there")
    func postBeforeItsSession() async throws {
        let (village, elsewhere) = (try await Village(), try await Village())
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([elsewhere.url])
        var (bens, benHears) = try await ben.live([village.url])
        try await bens.changeSettings { $0.requestsByStrangers = false }
        let films = try anns.planner().create(name: "Films", members: [ben.key])
        _ = try await anns.send(films)
        let log = try #require(try await anns.store.log(films.fact.session))
        let posts = try ["a", "b"].map { try anns.planner().post(WebURL("https://example.com/" + $0), in: log) }
        let pool = try RelayPool()
        pool.add(village.url)
        func deliver(_ plan: Outgoing) async throws {
            let wrapper = GiftWrapper(sender: ann.keys.keyPair)
            let wrap = try await wrapper.wrap(plan.rumor, for: try PublicKey(ben.key), now: plan.fact.time)
            #expect(await pool.publish(wrap).isAccepted)
        }
        try await deliver(posts[0])
        // Another session that is told shows that the post before it was read.
        try await deliver(try anns.planner().create(name: "Books", members: [ben.key]))
        _ = try await benHears.first { event -> Void? in
            if case .posted = event.kind { Issue.record("told before its session") }
            if case .sessionAppeared(let summary) = event.kind, summary.name == "Books" { return () }
            return nil
        }
        try await deliver(films)
        let heard = try await benHears.first { event -> AccountEvent? in
            switch event.kind {
            case .posted, .recounted: event
            default: nil
            }
        }
        guard case .posted(_, let id, _, let delivery, let item) = heard.kind else {
            Issue.record("told as one that was here before")
            return
        }
        #expect(id == posts[0].fact.id && delivery == .live && heard.isWorthNotifying && item?.isUnread == true)
        try await deliver(posts[1])
        let next = try await benHears.first { event -> EventID? in
            if case .recounted = event.kind { Issue.record("told twice") }
            if case .posted(_, let id, _, _, _) = event.kind { return id }
            return nil
        }
        #expect(next == posts[1].fact.id)
        await pool.shutDown()
        for runtime in [anns, bens] { await runtime.close() }
        for place in [village, elsewhere] { try await place.close() }
    }

    @Test("takes what relays had stored for history, after which it says that it is ready")
    func history() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        let log = try await anns.make("Films", with: [ben.key])
        try await anns.post("a", in: log)
        var options = ClientOptions()
        options.transport.information = nil
        let stages = Stages()
        options.onStage = { stages.add($0) }
        let bens = try await AccountRuntime.open(
            ben.keys,
            home: ben.temporary.home,
            relays: [village.url],
            options: options
        )
        try await bens.changeSettings { $0.requestsByStrangers = false }
        var hears = Listener(bens)
        await bens.start()
        var worth = 0
        var read = 0
        try await hears.first { event -> Void? in
            if event.isWorthNotifying { worth += 1 }
            if case .progress(let progress) = event.kind { read = max(read, progress.read) }
            if case .restored = event.kind { return () }
            return nil
        }
        #expect(worth == 0 && read == 2)
        #expect(stages.all == BootStage.allCases)
        let items = try await bens.store.feed(FeedQuery()).items
        #expect(items.count == 1 && items.first?.isUnread == false)
        let status = await bens.status()
        #expect(status.relays.first?.history == .complete(2) && status.relays.first?.lastCompletePass != nil)
        for runtime in [anns, bens] { await runtime.close() }
        try await village.close()
    }

    @Test("is held up by no relay that cannot be reached")
    func oneRelayDown() async throws {
        let village = try await Village()
        let nobody = try RelayURL("ws://127.0.0.1:9")
        let ann = try Person()
        let (anns, _) = try await ann.live([nobody, village.url])
        let status = await anns.status()
        #expect(status.stage == .ready)
        #expect(status.relays.map(\.history) == [.waiting, .complete(0)])
        await anns.close()
        try await village.close()
    }

    @Test("reads again what it missed while a relay was away")
    func reconnection() async throws {
        let store = try await EventStore(.memory)
        let first = try Relay(store: store, on: .ip(.loopback4, port: 0))
        let url = try #require(first.url)
        let port = try #require(UInt16(url.text.split(separator: ":").last?.prefix { $0.isNumber } ?? ""))
        let (ann, ben) = (try Person(), try Person())
        let (anns, _) = try await ann.live([url])
        var (bens, benHears) = try await ben.live([url])
        let log = try await anns.make("Films", with: [ben.key])
        _ = try await benHears.first { if case .sessionAppeared = $0.kind { () } else { nil } }
        await first.close()
        _ = try await benHears.first { event -> Void? in
            if case .relay(_, .failed) = event.kind { () } else { nil }
        }
        // Straight into the relay's database, so that it is stored and never new.
        let plan = try anns.planner().post(WebURL("https://example.com/missed"), in: log)
        let wrapper = GiftWrapper(sender: ann.keys.keyPair)
        let wrap = try await wrapper.wrap(plan.rumor, for: try PublicKey(ben.key), now: plan.fact.time)
        _ = try await store.ingest(wrap)
        let second = try Relay(store: store, on: .ip(.loopback4, port: port))
        let heard = try await benHears.post()
        #expect(heard.id == plan.fact.id && heard.delivery == .historical && !heard.isWorth)
        #expect(heard.item?.isUnread == true)
        for runtime in [anns, bens] { await runtime.close() }
        await second.close()
        try await store.close()
    }

    @Test("receives nothing after it was stopped, and all of it once started again")
    func stopAndStart() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let (anns, _) = try await ann.live([village.url])
        var (bens, benHears) = try await ben.live([village.url])
        let log = try await anns.make("Films", with: [ben.key])
        _ = try await benHears.first { if case .sessionAppeared = $0.kind { () } else { nil } }
        await bens.stop()
        #expect(await bens.status().isLive == false)
        let id = try await anns.post("a", in: log)
        #expect(try await bens.store.post(id) == nil)
        await bens.start()
        #expect(try await benHears.post().id == id)
        for runtime in [anns, bens] { await runtime.close() }
        try await village.close()
    }

    @Test("tells a listener who is slow how much was lost, and ends the stream when it is closed")
    func slowListener() async throws {
        let village = try await Village()
        let ann = try Person()
        let (anns, _) = try await ann.live([village.url])
        var slow = Listener(anns, buffering: 4)
        let log = try await anns.make("Films", with: [])
        for number in 1...8 { try await anns.post("\(number)", in: log) }
        let lost = try await slow.first { if case .lost(let count) = $0.kind { count } else { nil } }
        #expect(lost > 0)
        var left = 0
        await anns.close()
        while let isLost = try? await slow.first({ if case .lost = $0.kind { true } else { false } }) {
            if !isLost { left += 1 }
        }
        #expect((1...4).contains(left))
        try await village.close()
    }
}

/// What came to a closure from any thread.
final class Stages: Sendable {
    private let stages = Locked<[BootStage]>([])
    var all: [BootStage] { stages.withLock { $0 } }
    func add(_ stage: BootStage) { stages.withLock { $0.append(stage) } }
}
