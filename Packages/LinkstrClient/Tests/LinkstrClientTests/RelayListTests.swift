import Foundation
import LinkstrClient
import NostrEvents
import Testing

@Suite("The relays of a device")
struct RelayListTests {
    @Test("are the shipped ones, and nothing is stored, until somebody changes them")
    func standard() throws {
        let temporary = try TemporaryHome()
        var list = try temporary.home.relayList()
        #expect(list == .standard && list.enabled.count == 5)
        try temporary.home.save(list)
        #expect(!FileManager.default.fileExists(atPath: temporary.path + "/relays.json"))
        try list.add("wss://relay.example.com")
        try temporary.home.save(list)
        let stored = try temporary.home.relayList()
        #expect(stored == list && stored.isCustomised && stored.enabled.count == 6)
        try temporary.home.save(.standard)
        #expect(try temporary.home.relayList() == .standard)
    }

    @Test("stay none when all were removed")
    func emptied() throws {
        let temporary = try TemporaryHome()
        var list = RelayList.standard
        for entry in list.entries { try list.remove(entry.url.text) }
        try temporary.home.save(list)
        #expect(try temporary.home.relayList().entries.isEmpty)
        #expect(try temporary.home.relayList() == .empty)
    }

    @Test("are compared without case, fragment and an empty path")
    func duplicates() throws {
        var list = RelayList.empty
        try list.add("wss://Relay.Example.com/#x")
        #expect(throws: RelayList.Problem.duplicate(try RelayURL("wss://relay.example.com"))) {
            try list.add("WSS://relay.example.com")
        }
        try list.add("wss://relay.example.com/inbox")
        try list.setEnabled("wss://relay.example.com/", false)
        #expect(list.enabled.map(\.text) == ["wss://relay.example.com/inbox"])
        try list.setEnabled("wss://relay.example.com", true)
        #expect(list.enabled.count == 2)
    }

    @Test(
        "are refused with what to type instead",
        arguments: ["relay.example.com", "https://relay.example.com", "wss://", ""]
    )
    func refused(text: String) {
        var list = RelayList.empty
        #expect(throws: RelayList.Problem.notARelay(text)) { try list.add(text) }
        #expect(RelayList.Problem.notARelay(text).description.contains("wss://relay.example.com"))
        #expect(list == .empty)
    }

    @Test("that are not in the list cannot be changed")
    func unknown() {
        var list = RelayList.empty
        #expect(throws: RelayList.Problem.unknown("wss://a.example")) { try list.remove("wss://a.example") }
        #expect(throws: RelayList.Problem.unknown("wss://a.example")) { try list.setEnabled("wss://a.example", false) }
    }

    @Test("in a damaged file are an error, and the file stays as it is")
    func damaged() throws {
        let temporary = try TemporaryHome()
        try temporary.home.save(.empty)
        let path = temporary.path + "/relays.json"
        try "{\"relays\":[{\"url\":\"nonsense\"}]}".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(throws: IdentityError.malformed(path: path)) { try temporary.home.relayList() }
        #expect(try temporary.text(path).contains("nonsense"))
    }
}
