import FaultyRelay
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import Locking
import Testing

@Suite(.timeLimit(.minutes(10)))
struct HistoryTests {
    let filter = Filter(kinds: [.textNote])

    /// Events of which `crowd` share one second.
    private static func crowded(_ crowd: Int) -> [Event] {
        Sample.notes(300)
            + (0..<crowd).map { index in
                Event(kind: .textNote, content: "crowd \(index)", createdAt: 1_700_000_150, signedBy: Sample.keys)
            }
    }

    private func walk(_ rig: Rig, seen: SeenEvents = SeenEvents()) async -> (HistoryResult, [Event]) {
        let events = Locked<[Event]>([])
        let result = await rig.pool.history(of: filter, from: rig.url, name: "linkstr-backfill-", seen: seen) {
            portion in
            events.withLock { $0 += portion }
        }
        return (result, events.withLock { $0 })
    }

    @Test(arguments: [1_000, 500, 110], [false, true])
    func everyEventComesOnceWhateverTheRelayCutsAt(_ cut: Int, _ hints: Bool) async throws {
        let stored = Self.crowded(60)
        let rig = try Rig(stored)
        await rig.relay.change { relay in
            relay.pageLimit = cut
            relay.givesHints = hints
        }
        let (result, events) = await walk(rig)
        #expect(result.isComplete)
        #expect(events.count == stored.count)
        #expect(Set(events) == Set(stored))
        let names = await rig.relay.received.compactMap {
            if case .request(let name, _) = $0 { name.text } else { nil }
        }
        #expect(names.allSatisfy { $0.hasPrefix("linkstr-backfill-") })
        await rig.pool.shutDown()
    }

    @Test func eventsThatAreKnownDoNotComeAgainAndTheWalkStillEnds() async throws {
        let stored = Self.crowded(10)
        let rig = try Rig(stored)
        let seen = SeenEvents()
        for event in stored.prefix(300) { seen.insert(event) }
        let (result, events) = await walk(rig, seen: seen)
        #expect(result.isComplete)
        #expect(Set(events) == Set(stored.dropFirst(300)))
        await rig.pool.shutDown()
    }

    @Test func aSecondThatTheRelayCutsIsNamedAndOlderEventsStillCome() async throws {
        let stored = Self.crowded(150)
        let rig = try Rig(stored)
        await rig.relay.change { $0.pageLimit = 100 }
        let (result, events) = await walk(rig)
        #expect(result.incompleteSeconds == [1_700_000_150])
        #expect(!result.isComplete)
        #expect(result.failure == nil)
        #expect(Set(events).isSuperset(of: stored.filter { $0.createdAt != 1_700_000_150 }))
        await rig.pool.shutDown()
    }

    @Test func aSecondThatTheRelayCutsIsReconciledWhereItSpeaksNIP77() async throws {
        let stored = Self.crowded(150)
        let loop = try EventLoop()
        let relay = ScriptedRelay(on: loop, events: stored)
        await relay.change { relay in
            relay.pageLimit = 100
            relay.information = #"{"supported_nips":[1,77],"limitation":{"max_limit":100}}"#
        }
        // By their ids all are given.
        await relay.follow { relay, session, message in
            if case .request(_, let filters) = message { relay.pageLimit = filters[0].ids == nil ? 100 : 10_000 }
            return relay.honest(session, message)
        }
        let pool = try RelayPool(group: EventLoopGroup(loop))
        let url = try await relay.listen()
        while await pool.add(url).relayInformation == nil { await Task.yield() }
        let events = Locked<[Event]>([])
        let result = await pool.history(of: filter, from: url) { portion in events.withLock { $0 += portion } }
        #expect(result.isComplete)
        #expect(events.withLock { Set($0) } == Set(stored))
        #expect(events.withLock { $0.count } == stored.count)
        await pool.shutDown()
        await relay.stopListening()
    }

    @Test func aRelayThatDropsThePageEndsTheWalkWithAReason() async throws {
        let rig = try Rig(Self.crowded(10))
        await rig.relay.follow { relay, session, message in
            guard case .request = message, session.count("REQ") == 2 else { return relay.honest(session, message) }
            return [.drop]
        }
        let (result, events) = await walk(rig)
        #expect(!events.isEmpty)
        guard case .connection = result.failure else {
            Issue.record("\(result)")
            return
        }
        await rig.pool.shutDown()
    }

    @Test func aSilentPageEndsTheWalkAfterItsTime() async throws {
        let rig = try Rig(Self.crowded(10))
        await rig.relay.follow { _, _, _ in [] }
        async let walked = walk(rig)
        await rig.relay.until { !$0.received.isEmpty }
        await rig.loop.advance(by: .seconds(15))
        #expect(await walked.0.failure == .noAnswer(notice: nil))
        await rig.pool.shutDown()
    }
}
