import FaultyRelay
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import Locking
import TestSupport
import Testing
import WebSocket

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Relays that do something wrong again and again, by a seed. In the end every published event is accounted for, and
/// every stored event that matches was received exactly once.
///
/// `LINKSTR_SOAK_FAULTS` sets how many faults there are, 300 otherwise; `LINKSTR_SOAK_SEED` replays a run.
@Suite(.timeLimit(.minutes(30)))
struct SoakTests {
    private static func number(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    /// Faults that were done, and the generator, shared by the scripts of all relays.
    final class Mischief: Sendable {
        private let state: Locked<(random: SeededGenerator, left: Int)>
        private let forged: WireEvent
        private let wrong: WireEvent

        init(seed: UInt64, faults: Int) {
            state = Locked((SeededGenerator(seed: seed), faults))
            forged = Sample.forged(Sample.notes(1, start: 1)[0])
            wrong = Event(kind: .reaction, content: "+", createdAt: 5, signedBy: Sample.keys).wire
        }

        var left: Int { state.withLock { $0.left } }

        /// A number below the bound; nil when there are no faults left or this is not the time for one.
        func fault(_ bound: Int) -> Int? {
            state.withLock { state in
                guard state.left > 0, Int.random(in: 0..<3, using: &state.random) > 0 else { return nil }
                state.left -= 1
                return Int.random(in: 0..<bound, using: &state.random)
            }
        }

        func act(_ relay: isolated ScriptedRelay, _ session: Session, _ message: ClientMessage) -> [Action] {
            switch message {
            case .request(let name, _):
                let honest = relay.honest(session, message)
                switch fault(14) {
                case 0: return [.drop]
                case 1: return honest.dropLast(honest.count / 2) + [.drop]
                case 2: return honest.dropLast(honest.count / 2) + [.halfClose]
                case 3: return [.close(.tryAgainLater, reason: "later")]
                case 4: return [.send(.closed(name, StatusMessage(text: "rate-limited: slow")))]
                case 5: return [.send(.closed(name, StatusMessage(text: "error: internal")))]
                case 6: return [.send(.notice("no"))]
                case 7: return []
                case 8: return Array(honest.dropLast())
                case 9: return honest.flatMap { [$0, $0] }
                case 10: return [.text("{garbage"), .binary([0]), .text("[]")] + honest
                case 11: return [.send(.event(name, forged)), .send(.event(name, wrong))] + honest
                case 12: return relay.challenge(session) + honest
                case 13 where session.keys.isEmpty:
                    // Said to somebody who has authenticated it would be a refusal for good.
                    return [.send(.closed(name, StatusMessage(.authenticationRequired, "who?")))]
                        + relay.challenge(session)
                default: return honest
                }
            case .event(let event):
                switch fault(7) {
                case 0: return [.drop]
                case 1: return relay.honest(session, message) + [.drop]
                case 2: return []
                case 3: return [.send(.ok(event.id, accepted: false, StatusMessage(text: "error: full")))]
                case 4: return [.send(.ok(event.id, accepted: false, StatusMessage(text: "rate-limited: slow")))]
                case 5: return [.send(.notice("what?"))]
                case 6:
                    // Accepted and then lost from sight: the answer comes for another event.
                    return relay.honest(session, message).dropLast()
                        + [.send(.ok(Sample.notes(1, start: 5)[0].id, accepted: true, .empty))]
                default: return relay.honest(session, message)
                }
            default:
                return relay.honest(session, message)
            }
        }
    }

    /// With as many subscriptions as the relays take, and with three that must share one of two places with what is fetched.
    @Test(arguments: [(20, 1), (2, 3)])
    func everyEventIsAccountedForAndReceivedExactlyOnce(_ places: Int, _ subscriptions: Int) async throws {
        var left = Int(Self.number("LINKSTR_SOAK_FAULTS") ?? 300)
        var seed = Self.number("LINKSTR_SOAK_SEED") ?? .random(in: 0...999_999)
        while left > 0 {
            // After every reconnection all that is stored comes again: fresh relays keep the whole run linear.
            try await run(faults: min(left, 500), seed: seed, places: places, subscriptions: subscriptions)
            left -= 500
            seed += 1
        }
    }

    private func run(faults: Int, seed: UInt64, places: Int, subscriptions: Int) async throws {
        let rig = try Rig(Sample.notes(40, start: 1_600_000_000), Sample.notes(40, start: 1_600_000_020)) { options in
            options.authenticator = RelayAuthenticator(keys: [Sample.keys])
            options.stallTime = .seconds(5)
            options.subscriptionsPerRelay = places
            // The clock is faster than what opens a connection and what signs.
            options.webSocket.connector.timeout = .seconds(3_600)
            options.authenticationTime = .seconds(3_600)
            options.backoff.longest = .seconds(2)
        }
        let mischief = Mischief(seed: seed, faults: faults)
        for relay in rig.relays { await relay.follow { mischief.act($0, $1, $2) } }

        // Time passes as fast as the work allows.
        let pool = rig.pool
        let loop = rig.loop
        let clock = Task {
            while !Task.isCancelled {
                await loop.advance(by: .milliseconds(50))
                for _ in 0..<10 { await Task.yield() }
            }
        }

        var readers = (0..<subscriptions).map { _ in Reader(pool.subscribe([Filter(kinds: [.textNote])], to: rig.urls))
        }
        let publishing = Task { () -> (published: [Event], unaccounted: Int) in
            var published: [Event] = []
            var unaccounted = 0
            var number = 0
            while mischief.left > 0 {
                let batch = Sample.notes(4, start: 1_700_000_000 + Int64(number * 4))
                number += 1
                published += batch
                var missing = batch
                while !missing.isEmpty {
                    let receipt = await pool.publish(missing, to: rig.urls, acceptance: .all, deadline: .seconds(5))
                    unaccounted += missing.count { receipt[$0.id].count != 2 }
                    missing.removeAll { receipt[$0.id].values.contains { $0.isAccepted } }
                    // Also a stored-events request for each round, so that there are enough faults of that kind.
                    _ = await pool.fetch([Filter(kinds: [.textNote], limit: 5)], from: rig.urls)
                }
            }
            return (published, unaccounted)
        }
        let (published, unaccounted) = await publishing.value
        let stored = await Set(rig.relays[0].events).union(rig.relays[1].events)
        for index in readers.indices { await readers[index].read { $0.events.count >= stored.count } }
        clock.cancel()
        await clock.value

        #expect(unaccounted == 0, "seed \(seed)")
        #expect(Set(published).isSubset(of: stored), "seed \(seed)")
        for reader in readers {
            #expect(reader.told.closures.isEmpty, "seed \(seed)")
            #expect(stored.subtracting(reader.told.events).isEmpty, "seed \(seed)")
            #expect(reader.told.events.count == stored.count, "seed \(seed)")
        }
        async let down: Void = pool.shutDown()
        while await rig.relays[0].openConnections + rig.relays[1].openConnections > 0 {
            await loop.advance(by: .seconds(1))
        }
        await down
    }
}
