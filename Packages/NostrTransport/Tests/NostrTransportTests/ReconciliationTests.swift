import FaultyRelay
import Negentropy
import NostrCrypto
import NostrEvents
import NostrTransport
import Sockets
import Locking
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReconciliationTests {
    let filter = Filter(kinds: [.textNote])

    private static func set(_ events: some Sequence<Event>) -> InMemoryNegentropySet {
        InMemoryNegentropySet(
            events.compactMap { try? NegentropyItem(timestamp: UInt64($0.createdAt), id: $0.id) }
        )
    }

    @Test func bothSidesGetWhatTheyLack() async throws {
        let notes = Sample.notes(1_000)
        let rig = try Rig(Array(notes[..<700]))
        let here = notes[300...]
        let received = Locked<[Event]>([])
        let done = try await rig.pool.synchronise(filter, with: Self.set(here), on: rig.url) { portion in
            received.withLock { $0 += portion }
        } load: { ids in
            here.filter { ids.contains($0.id) }
        }
        #expect(Set(received.withLock { $0 }) == Set(notes[..<300]))
        #expect(done.received == 300)
        #expect(done.missing == 0)
        #expect(done.receipt?.isAccepted == true)
        #expect(await Set(rig.relay.events) == Set(notes))
        #expect(await rig.relay.received.contains { if case .closeReconciliation = $0 { true } else { false } })
        await rig.pool.shutDown()
    }

    @Test(arguments: [SynchronisationDirection.down, .up])
    func oneDirectionLeavesTheOtherSideAlone(_ direction: SynchronisationDirection) async throws {
        let notes = Sample.notes(20)
        let rig = try Rig(Array(notes[..<15]))
        let done = try await rig.pool.synchronise(
            filter,
            with: Self.set(notes[5...]),
            on: rig.url,
            direction: direction
        ) { _ in
        } load: { ids in
            notes.filter { ids.contains($0.id) }
        }
        #expect(done.difference.need.count == 5)
        #expect(done.difference.have.count == 5)
        #expect(done.received == (direction == .down ? 5 : 0))
        #expect(await rig.relay.events.count == (direction == .down ? 15 : 20))
        await rig.pool.shutDown()
    }

    @Test func aRefusalIsReportedInTheRelaysWords() async throws {
        let rig = try Rig(Sample.notes(3))
        await rig.relay.follow { relay, session, message in
            guard case .reconcile(let name, _, _) = message else { return relay.honest(session, message) }
            return [.send(.reconciliationError(name, StatusMessage(.blocked, "too big"), mostRecords: 10))]
        }
        let outcome = await Result<Reconciliation, TransportError> {
            try await rig.pool.add(rig.url).reconcile(filter, with: Self.set([]))
        }
        #expect(outcome == .failure(.refused(StatusMessage(.blocked, "too big"))))
        await rig.pool.shutDown()
    }

    @Test func aMalformedMessageEndsItWithAnErrorAndItIsClosedOnTheRelay() async throws {
        let rig = try Rig(Sample.notes(3))
        await rig.relay.follow { relay, session, message in
            guard case .reconcile(let name, _, _) = message else { return relay.honest(session, message) }
            return [.send(.reconciliation(name, [0x61, 0xff, 0xff, 0xff]))]
        }
        let outcome = await Result<Reconciliation, TransportError> {
            try await rig.pool.add(rig.url).reconcile(filter, with: Self.set([]))
        }
        guard case .failure(.reconciliation) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        await rig.relay.until { $0.received.contains { if case .closeReconciliation = $0 { true } else { false } } }
        await rig.pool.shutDown()
    }

    @Test func moreThanTheLimitEndsIt() async throws {
        let rig = try Rig(Sample.notes(30))
        let outcome = await Result<Reconciliation, TransportError> {
            try await rig.pool.add(rig.url).reconcile(filter, with: Self.set([]), limit: 10)
        }
        #expect(outcome == .failure(.tooMuch(limit: 10)))
        await rig.pool.shutDown()
    }

    @Test func aRelayThatWantsToKnowWhoAsksIsTold() async throws {
        let rig = try Rig(Sample.notes(3)) { $0.authenticator = RelayAuthenticator(keys: [Sample.keys]) }
        await rig.relay.change { $0.requiresAuthentication = true }
        await rig.relay.greet { $0.challenge($1) }
        let found = try await rig.pool.add(rig.url).reconcile(filter, with: Self.set([]))
        #expect(found.need.count == 3)
        await rig.pool.shutDown()
    }

    @Test func aDroppedConnectionEndsIt() async throws {
        let rig = try Rig(Sample.notes(3))
        await rig.relay.follow { _, _, _ in [.drop] }
        let outcome = await Result<Reconciliation, TransportError> {
            try await rig.pool.add(rig.url).reconcile(filter, with: Self.set([]))
        }
        guard case .failure(.connection) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        await rig.pool.shutDown()
    }
}
