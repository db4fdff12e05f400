import FaultyRelay
import NostrEvents
import NostrTransport
import Sockets
import Testing

/// CLOSED by its prefix: what passes is tried again, what does not is reported, and the other relays go on.
@Suite(.timeLimit(.minutes(10)))
struct RefusalTests {
    let filter = Filter(kinds: [.textNote])

    /// A relay that refuses the first `count` requests, and is honest afterwards.
    private func refusing(_ rig: Rig, _ status: StatusMessage, times count: Int) async {
        await rig.relay.follow { relay, session, message in
            guard case .request(let name, _) = message, session.count("REQ") <= count else {
                return relay.honest(session, message)
            }
            return [.send(.closed(name, status))]
        }
    }

    @Test(arguments: ["rate-limited: slow down", "error: database", "whatever", ""])
    func aRefusalThatMayPassIsFollowedByAnotherRequest(_ text: String) async throws {
        let rig = try Rig(Sample.notes(3))
        let status = StatusMessage(text: text)
        await refusing(rig, status, times: 2)
        var reader = Reader(rig.pool.subscribe([filter], to: [rig.url]))
        await reader.read { $0.interruptions.count == 1 }
        #expect(reader.told.interruptions == [.refused(status)])
        await rig.loop.advance(by: .seconds(1))
        await reader.read { $0.interruptions.count == 2 }
        await rig.loop.advance(by: .seconds(2))
        await reader.read { $0.pages.count == 1 }
        #expect(reader.told.order == "iieees")
        await rig.pool.shutDown()
    }

    @Test(arguments: ["rate-limited: slow down", "error: database"])
    func aFetchGivesUpWhenTheRelayKeepsRefusing(_ text: String) async throws {
        let rig = try Rig(Sample.notes(3))
        await refusing(rig, StatusMessage(text: text), times: 100)
        let (pool, url, filter) = (rig.pool, rig.url, filter)
        async let fetched = pool.fetch([filter], from: [url])
        for (count, seconds) in [(1, 1), (2, 2), (3, 4)] {
            await rig.relay.until { $0.received.count == count }
            await rig.loop.advance(by: .seconds(seconds))
        }
        #expect(await fetched.failures == [url: .refused(StatusMessage(text: text))])
        await pool.shutDown()
    }

    @Test(arguments: ["restricted: no", "blocked: no", "unsupported: no", "invalid: no"])
    func aRefusalForGoodIsReportedAndTheOtherRelaysGoOn(_ text: String) async throws {
        let notes = Sample.notes(3)
        let rig = try Rig(notes, notes)
        await refusing(rig, StatusMessage(text: text), times: 100)
        var reader = Reader(rig.pool.subscribe([filter], to: rig.urls))
        await reader.read { !$0.closures.isEmpty && !$0.pages.isEmpty }
        #expect(reader.told.closures == [.refused(StatusMessage(text: text))])
        #expect(reader.told.events.count == 3)
        let new = Sample.notes(1, start: 1_800_000_000)[0]
        await rig.relays[1].store(new)
        await reader.read { $0.events.count == 4 }
        await rig.pool.shutDown()
    }

    @Test func closedNeverOvertakesTheEventsBeforeIt() async throws {
        let notes = Sample.notes(100)
        let rig = try Rig(notes)
        await rig.relay.follow { relay, session, message in
            guard case .request(let name, _) = message else { return relay.honest(session, message) }
            return relay.honest(session, message).dropLast() + [
                .send(.closed(name, StatusMessage(text: "blocked: enough")))
            ]
        }
        var reader = Reader(rig.pool.subscribe([filter], to: [rig.url]))
        await reader.readToEnd()
        #expect(reader.told.order == String(repeating: "e", count: 100) + "c")
        await rig.pool.shutDown()
    }

    @Test func aNoticeInsteadOfClosedEndsTheWaitSoonAndIsQuoted() async throws {
        let rig = try Rig(Sample.notes(3))
        await rig.relay.follow { _, _, _ in [.send(.notice("too many filters"))] }
        let (pool, url, filter) = (rig.pool, rig.url, filter)
        async let fetched = pool.fetch([filter], from: [url])
        await rig.until { $0 == .connected }
        while await rig.statistics()?.notices != 1 { await Task.yield() }
        await rig.loop.advance(by: .seconds(2))
        #expect(await fetched.failures == [url: .noAnswer(notice: "too many filters")])
        await pool.shutDown()
    }

    @Test func aNoticeOfAnotherMatterDoesNotEndARequestThatMovesOn() async throws {
        let rig = try Rig(Sample.notes(3))
        await rig.relay.follow { relay, session, message in
            guard case .request = message else { return relay.honest(session, message) }
            return [.send(.notice("welcome")), .wait(.seconds(1))] + relay.honest(session, message)
        }
        let (pool, url, filter) = (rig.pool, rig.url, filter)
        async let fetched = pool.fetch([filter], from: [url])
        await rig.relay.until { $0.received.count == 1 }
        while await rig.statistics()?.notices != 1 { await Task.yield() }
        await rig.loop.advance(by: .seconds(1))
        #expect(await fetched.events.count == 3)
        await pool.shutDown()
    }

    @Test func silenceIsNoticedAndALiveSubscriptionIsMadeAgain() async throws {
        let rig = try Rig(Sample.notes(3))
        await rig.relay.follow { relay, session, message in
            guard case .request = message, session.count("REQ") == 1 else { return relay.honest(session, message) }
            return []
        }
        var reader = Reader(rig.pool.subscribe([filter], to: [rig.url]))
        await rig.relay.until { !$0.received.isEmpty }
        await rig.loop.advance(by: .seconds(15))
        await reader.read { !$0.interruptions.isEmpty }
        #expect(reader.told.interruptions == [.noAnswer(notice: nil)])
        await rig.loop.advance(by: .seconds(1))
        await reader.read { !$0.pages.isEmpty }
        #expect(reader.told.order == "ieees")
        await rig.pool.shutDown()
    }

    @Test func theWatchdogMeasuresFromTheLastProgressNotFromTheStart() async throws {
        let notes = Sample.notes(5)
        let rig = try Rig(notes)
        await rig.relay.follow { relay, session, message in
            guard case .request = message else { return relay.honest(session, message) }
            // An event every ten seconds, and then silence: no end of stored events.
            return relay.honest(session, message).dropLast().flatMap { [.wait(.seconds(10)), $0] }
        }
        let (pool, url, filter) = (rig.pool, rig.url, filter)
        async let fetched = pool.fetch([filter], from: [url])
        await rig.relay.until { !$0.received.isEmpty }
        for count in 1...5 {
            await rig.loop.advance(by: .seconds(10))
            while await rig.statistics()?.events != count { await Task.yield() }
        }
        await rig.loop.advance(by: .seconds(15))
        let result = await fetched
        #expect(result.events.count == 5)
        #expect(result.failures == [url: .noAnswer(notice: nil)])
        await pool.shutDown()
    }

    @Test(arguments: [true, false])
    func aRelayThatRepeatsItselfWithoutEndIsNotWaitedForLongerThanItIsWorth(repeatsOneEvent: Bool) async throws {
        let notes = Sample.notes(8)
        let rig = try Rig(notes)
        await rig.relay.follow { relay, session, message in
            guard case .request = message else { return relay.honest(session, message) }
            // An event every ten seconds, and no end of stored events.
            let honest = relay.honest(session, message).dropLast()
            return (0..<8).flatMap { [.wait(.seconds(10)), repeatsOneEvent ? honest[0] : honest[$0]] }
        }
        let (pool, url, filter) = (rig.pool, rig.url, filter)
        async let fetched = pool.fetch([filter], from: [url])
        await rig.relay.until { !$0.received.isEmpty }
        for count in 1...(repeatsOneEvent ? 3 : 8) {
            await rig.loop.advance(by: .seconds(10))
            while await (rig.statistics().map { $0.events + $0.duplicates }) != count { await Task.yield() }
        }
        await rig.loop.advance(by: .seconds(15))
        let result = await fetched
        #expect(result.events.count == (repeatsOneEvent ? 1 : 8))
        #expect(result.failures == [url: .noAnswer(notice: nil)])
        await pool.shutDown()
    }
}
