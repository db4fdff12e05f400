import FaultyRelay
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import Testing
import WebSocket

/// Each thing that a relay can do wrong, beside an honest relay that is not affected by it.
@Suite(.timeLimit(.minutes(10)))
struct FaultTests {
    let filter = Filter(kinds: [.textNote])
    let notes = Sample.notes(10)

    /// Fetches from a faulty relay and an honest one, which has other events.
    private func fetch(
        configure: (inout TransportOptions) -> Void = { _ in },
        _ script: @escaping @Sendable (_ honest: [Action], SubscriptionID) -> [Action]
    ) async throws -> (result: FetchResult, statistics: RelayStatistics, urls: [RelayURL]) {
        let rig = try Rig(notes, Sample.notes(4, by: Sample.others), configure: configure)
        await rig.relay.follow { relay, session, message in
            guard case .request(let name, _) = message else { return relay.honest(session, message) }
            return script(relay.honest(session, message), name)
        }
        let result = await rig.pool.fetch([filter], from: rig.urls)
        let honest = result.events.filter { $0.pubkey == Sample.others.publicKey.bytes }
        #expect(honest.count == 4)
        #expect(result.failures[rig.urls[1]] == nil)
        let statistics = try #require(await rig.statistics())
        await rig.pool.shutDown()
        return (result, statistics, rig.urls)
    }

    @Test func anHonestRelayIsTheControl() async throws {
        let (result, statistics, _) = try await fetch { honest, _ in honest }
        #expect(result.events.count == 14)
        #expect(result.isComplete)
        #expect(statistics.events == 10)
    }

    @Test func aDroppedConnectionFailsThatRelayAndKeepsWhatCame() async throws {
        let (result, _, urls) = try await fetch { honest, _ in honest.prefix(5) + [.drop] }
        #expect(result.failures[urls[0]] != nil)
        #expect(result.pages[urls[0]] == nil)
    }

    @Test func aHalfClosedConnectionFailsThatRelay() async throws {
        let (result, _, urls) = try await fetch { honest, _ in honest.prefix(5) + [.halfClose] }
        #expect(result.events.count == 9)
        #expect(result.failures[urls[0]] == .connection(.transport(.endedEarly)))
    }

    @Test func aCloseFrameIsReportedWithItsReason() async throws {
        let (result, _, urls) = try await fetch { honest, _ in
            honest.prefix(5) + [.close(.tryAgainLater, reason: "maintenance")]
        }
        #expect(result.events.count == 9)
        #expect(result.failures[urls[0]] == .closedByRelay(code: .tryAgainLater, reason: "maintenance"))
    }

    @Test func garbageIsCountedAndPassedOver() async throws {
        let (result, statistics, _) = try await fetch { honest, _ in
            [
                .text("garbage"), .text(""), .text("[]"), .text("[\"EVENT\"]"), .text("{}"), .binary([1, 2, 3]),
                .text("[\"EVENT\",\"1\",{}]"), .text("[\"WHAT\",1]"), .text(String(repeating: "[", count: 10_000)),
            ] + honest
        }
        #expect(result.events.count == 14)
        #expect(result.isComplete)
        #expect(statistics.malformed + statistics.unrequested + statistics.invalid == 9)
    }

    @Test func anOversizedMessageEndsTheConnectionWithAReason() async throws {
        let (result, _, urls) = try await fetch(configure: { $0.webSocket.options.limits.messageBytes = 1 << 20 }) {
            honest,
            _ in [.text(String(repeating: " ", count: 20 << 20))] + honest
        }
        guard case .connection(.violation) = result.failures[urls[0]] else {
            Issue.record("\(result.failures)")
            return
        }
    }

    @Test func eventsOfOtherFiltersAreDroppedAndCounted() async throws {
        let wrong = Event(kind: .reaction, content: "+", createdAt: 5, signedBy: Sample.keys)
        let (result, statistics, urls) = try await fetch { honest, name in
            [.send(.event(name, wrong.wire))] + honest
        }
        #expect(result.events.count == 14)
        #expect(statistics.mismatched == 1)
        #expect(result.pages[urls[0]]?.received == 11)
        #expect(result.pages[urls[0]]?.valid == 10)
    }

    @Test func eventsOfUnknownSubscriptionsAreDroppedAndCounted() async throws {
        let notes = self.notes
        let (result, statistics, _) = try await fetch { honest, _ in
            let other = try! SubscriptionID("other")
            return [
                .send(.event(other, notes[0].wire)), .send(.endOfStoredEvents(other, [])),
                .send(.closed(other, .empty)),
            ] + honest
        }
        #expect(result.events.count == 14)
        #expect(statistics.unrequested == 3)
    }

    @Test func aSubscriptionNameWrittenWithEscapesIsStillFound() async throws {
        let (result, _, _) = try await fetch { honest, name in
            honest.map { action in
                guard case .send(let message) = action else { return action }
                let escaped = name.text.unicodeScalars.map { scalar in
                    let digits = String(scalar.value, radix: 16)
                    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
                let text = String(decoding: message.json, as: UTF8.self)
                return .text(text.replacing("\"\(name.text)\"", with: "\"\(escaped.joined())\"", maxReplacements: 1))
            }
        }
        #expect(result.events.count == 14)
        #expect(result.isComplete)
    }

    @Test func duplicatesComeOnceAndCountForThePage() async throws {
        let (result, statistics, urls) = try await fetch { honest, _ in
            honest.dropLast().flatMap { [$0, $0, $0] } + honest.suffix(1)
        }
        #expect(result.events.count == 14)
        #expect(statistics.duplicates == 20)
        #expect(result.pages[urls[0]]?.received == 30)
    }

    @Test func forgedEventsAreDroppedAndDoNotHideTheRealOnes() async throws {
        let forged = notes.map(Sample.forged)
        let (result, statistics, _) = try await fetch { honest, name in
            forged.map { .send(.event(name, $0)) } + honest
        }
        #expect(result.events.count == 14)
        #expect(statistics.invalid == 10)
    }

    @Test func aRelayThatOnlyForgesIsLeft() async throws {
        let rig = try Rig(notes) { $0.forgedEventLimit = 50 }
        let forged = Sample.forged(notes[0])
        await rig.relay.follow { relay, session, message in
            guard case .request(let name, _) = message else { return relay.honest(session, message) }
            return (0..<50).map { _ in .send(.event(name, forged)) }
        }
        let result = await rig.pool.fetch([filter], from: [rig.url])
        #expect(result.failures == [rig.url: .forgedEvents])
        #expect(rig.pool.statuses[rig.url]?.state == .failed(.forgedEvents, retryIn: .seconds(1)))
        await rig.pool.shutDown()
    }

    @Test func anEarlyEndOfStoredEventsEndsTheFetchThereAndWhatFollowsWasNotRequested() async throws {
        let (result, _, urls) = try await fetch { honest, _ in honest.prefix(3) + honest.suffix(1) + honest.dropFirst(3)
        }
        #expect(result.pages[urls[0]]?.received == 3)
        #expect(result.isComplete)
    }

    @Test func liveEventsAfterAnEarlyEndStillArrive() async throws {
        let rig = try Rig(notes)
        await rig.relay.follow { relay, session, message in
            guard case .request = message else { return relay.honest(session, message) }
            let honest = relay.honest(session, message)
            return honest.prefix(3) + honest.suffix(1) + honest.dropFirst(3).dropLast()
        }
        var reader = Reader(rig.pool.subscribe([filter], to: [rig.url]))
        await reader.read { $0.events.count == 10 }
        #expect(reader.told.order == "eeeseeeeeee")
        await rig.pool.shutDown()
    }

    @Test func aSecondEndOfStoredEventsIsPassedOn() async throws {
        let rig = try Rig(notes)
        await rig.relay.follow { relay, session, message in
            guard case .request = message else { return relay.honest(session, message) }
            let honest = relay.honest(session, message)
            return honest + honest.suffix(1)
        }
        var reader = Reader(rig.pool.subscribe([filter], to: [rig.url]))
        await reader.read { $0.pages.count == 2 }
        #expect(reader.told.events.count == 10)
        await rig.pool.shutDown()
    }

    @Test func aRelayThatStopsReadingIsGivenUpWithoutHarmToOthers() async throws {
        let rig = try Rig([], [], capacity: 4_096)
        await rig.relay.greet { _, _ in [.stopReading] }
        let many = Sample.notes(400)
        let (pool, urls, loop) = (rig.pool, rig.urls, rig.loop)
        async let published = pool.publish(many, to: urls, acceptance: .all)
        await rig.relays[1].until { $0.events.count == 400 }
        await loop.advance(by: .seconds(9))
        let receipt = await published
        #expect(many.allSatisfy { receipt[$0.id][urls[1]] == .accepted(.empty) })
        #expect(many.allSatisfy { receipt[$0.id][urls[0]]?.isAccepted == false })
        // It never reads a close frame either, so that the socket is reset when the time for closing is over.
        async let down: Void = pool.shutDown()
        while await rig.relay.openConnections > 0 { await loop.advance(by: .seconds(1)) }
        await down
    }
}
