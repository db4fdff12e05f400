import LinkstrClient
import NostrEvents
import Testing

@Suite("The relay of the own daemon")
struct EmbeddedRelayTests {
    private let own = "ws://127.0.0.1:7447"

    @Test("is listed first, can be disabled and shared but not removed, and survives the shipped relays")
    func listing() throws {
        let temporary = try TemporaryHome()
        var list = RelayList.standard
        list.setEmbedded(try RelayURL(own))
        #expect(list.entries.count == 6 && list.entries[0].isEmbedded)
        #expect(list.unreachable == [try RelayURL(own)])
        #expect(throws: RelayList.Problem.embedded(try RelayURL(own))) { try list.remove(own) }
        try list.setShared(own, true)
        #expect(list.unreachable.isEmpty)
        try list.setEnabled(own, false)
        try temporary.home.save(list)
        #expect(try temporary.home.relayList() == list)
        try list.remove("wss://nos.lol")
        #expect(throws: RelayList.Problem.notEmbedded(try RelayURL("wss://relay.damus.io"))) {
            try list.setShared("wss://relay.damus.io", true)
        }
        list.reset()
        #expect(list.entries.count == 6 && list.entries[0].isShared && !list.entries[0].isEnabled)
        list.setEmbedded(try RelayURL("ws://127.0.0.1:8000"))
        #expect(list.entries.map(\.url.text).filter { $0.hasPrefix("ws:") } == ["ws://127.0.0.1:8000"])
        #expect(list.entries[0].isShared)
        list.setEmbedded(nil)
        #expect(list.entries == RelayList.standard.entries)
    }

    @Test("takes the place of the same relay that was added by hand")
    func adopted() throws {
        var list = RelayList.empty
        try list.add(own)
        #expect(list.unreachable.isEmpty)
        list.setEmbedded(try RelayURL(own))
        #expect(list.entries.count == 1)
        #expect(list.unreachable == [try RelayURL(own)])
    }
}
