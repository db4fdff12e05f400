import FaultyRelay
import NostrEvents
import NostrTransport
import Sockets
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ReadmeTests {
    func exchange(_ note: Event, over relays: [RelayURL]) async throws -> [Event] {
        let pool = try RelayPool()
        let receipt = await pool.publish(note, to: relays, acceptance: .all)
        for (relay, outcome) in receipt[note.id] { print(relay, outcome) }

        let stored = await pool.fetch([Filter(kinds: [.textNote], limit: 20)], from: relays)
        for (relay, error) in stored.failures { print(relay, error) }

        var live: [Event] = []
        let subscription = pool.subscribe([Filter(kinds: [.textNote])], to: relays)
        for await update in subscription {
            if case .event(let event, _) = update { live.append(event) }
            if case .endOfStoredEvents = update { break }
        }
        subscription.close()
        await pool.shutDown()
        return live
    }

    @Test func theExampleInTheReadmeWorks() async throws {
        let relay = ScriptedRelay(on: try EventLoop())
        let note = Sample.notes(1)[0]
        #expect(try await exchange(note, over: [try relay.listen()]) == [note])
        await relay.stopListening()
    }
}
