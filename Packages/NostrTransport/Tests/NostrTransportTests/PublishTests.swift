import FaultyRelay
import NostrEvents
import NostrTransport
import Sockets
import Testing
import WebSocket

@Suite(.timeLimit(.minutes(10)))
struct PublishTests {
    let note = Sample.notes(1)[0]

    @Test func aRelayThatTakesAnEventIsNamedInTheReceipt() async throws {
        let rig = try Rig([], [])
        let receipt = await rig.pool.publish(note, to: rig.urls, acceptance: .all)
        #expect(receipt.isAccepted)
        #expect(receipt[note.id] == [rig.urls[0]: .accepted(.empty), rig.urls[1]: .accepted(.empty)])
        #expect(await rig.relay.events == [note])
        await rig.pool.shutDown()
    }

    @Test func aRefusalIsReportedInTheRelaysWordsAndTheOtherRelaysGoOn() async throws {
        let rig = try Rig([], [])
        await rig.relay.follow { relay, session, message in
            guard case .event(let event) = message else { return relay.honest(session, message) }
            return [.send(.ok(event.id, accepted: false, StatusMessage(.blocked, "not you")))]
        }
        let receipt = await rig.pool.publish(note, to: rig.urls, acceptance: .all)
        #expect(!receipt.isAccepted)
        #expect(receipt[note.id][rig.urls[0]] == .rejected(StatusMessage(.blocked, "not you")))
        #expect(receipt[note.id][rig.urls[1]] == .accepted(.empty))
        await rig.pool.shutDown()
    }

    @Test func aDuplicateCountsAsTaken() async throws {
        let rig = try Rig()
        await rig.relay.follow { relay, session, message in
            guard case .event(let event) = message else { return relay.honest(session, message) }
            return [.send(.ok(event.id, accepted: false, StatusMessage(.duplicate, "had it")))]
        }
        #expect(await rig.pool.publish(note, to: [rig.url]).isAccepted)
        await rig.pool.shutDown()
    }

    @Test func silenceEndsWithTheDeadlineAndAnAnswerAfterItIsIgnored() async throws {
        let rig = try Rig()
        await rig.relay.follow { _, _, _ in [] }
        let (note, pool, url) = (note, rig.pool, rig.url)
        async let outcome = pool.publish(note, to: [url], deadline: .seconds(8))
        await rig.relay.until { $0.received.count == 1 }
        await rig.loop.advance(by: .seconds(9))
        let receipt = await outcome
        #expect(receipt[note.id][url] == .unconfirmed(notice: nil))
        #expect(receipt.isUndecided)
        await rig.relay.performOnAll([.send(.ok(note.id, accepted: true, .empty))])
        await rig.relay.follow { $0.honest($1, $2) }
        #expect(await pool.publish(note, to: [url]).isAccepted)
        await pool.shutDown()
    }

    @Test func anyIsContentWithTheFirstRelayAndDoesNotWaitForASilentOne() async throws {
        let rig = try Rig([], [])
        await rig.relay.follow { _, _, _ in [] }
        let receipt = await rig.pool.publish(note, to: rig.urls)
        #expect(receipt.isAccepted)
        #expect(receipt[note.id][rig.urls[1]] == .accepted(.empty))
        await rig.pool.shutDown()
    }

    @Test func aRelayThatDropsTheConnectionLosesTheEventVisibly() async throws {
        let rig = try Rig()
        await rig.relay.follow { _, _, _ in [.drop] }
        let receipt = await rig.pool.publish(note, to: [rig.url])
        guard case .disconnected = receipt[note.id][rig.url] else {
            Issue.record("\(receipt)")
            return
        }
        await rig.pool.shutDown()
    }

    @Test func aRelayThatCannotBeReachedIsSaidToBeUnavailable() async throws {
        let rig = try Rig()
        let nowhere = try RelayURL("ws://nowhere.example")
        let receipt = await rig.pool.publish(note, to: [nowhere, rig.url], acceptance: .all)
        let error = TransportError.connection(.transport(.connectionRefused("ws://nowhere.example")))
        #expect(receipt[note.id] == [nowhere: .unavailable(error), rig.url: .accepted(.empty)])
        await rig.pool.shutDown()
    }

    @Test func eventsArriveInTheOrderInWhichTheyWereGiven() async throws {
        let rig = try Rig { $0.publishWindow = 4 }
        let notes = Sample.notes(50).shuffled()
        let receipt = await rig.pool.publish(notes, to: [rig.url])
        #expect(receipt.isAccepted)
        let sent = await rig.relay.received.compactMap { if case .event(let event) = $0 { event.id } else { nil } }
        #expect(sent == notes.map(\.id))
        await rig.pool.shutDown()
    }

    @Test func noRelaysTakeNothing() async throws {
        let rig = try Rig()
        #expect(await !rig.pool.publish(note, to: []).isAccepted)
    }
}
