import NostrContacts
import NostrCrypto
import NostrEvents
import Locking
import Testing

@Test func theExampleOfTheReadmeHolds() async throws {
    let relay = Locked<[Event]>([])
    let keyPair = me

    let editor = FollowListEditor(
        keyPair: keyPair,
        environment: FollowListEnvironment(
            publish: { event in relay.withLock { $0.append(event) } },
            fetchNewest: { relay.withLock { $0 } },
            now: { 1_700_000_000 }
        )
    )
    try await editor.load()
    try await editor.add([Follow(alice, relayHint: "wss://relay.example")])
    let list = try #require(await editor.state.list)

    #expect(list.follows.map(\.key) == [alice.bytes])
    #expect(relay.withLock { $0.count } == 1)
}
