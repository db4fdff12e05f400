import NostrCrypto
import NostrEvents
import Testing

@Test func theExampleOfTheReadmeDoesWhatItSays() throws {
    let keys = KeyPair.generate()
    let note = Event(
        kind: .textNote,
        content: "hello",
        tags: [Tag("t", "nostr")],
        createdAt: 1_700_000_000,
        signedBy: keys
    )
    let publish = ClientMessage.event(note.wire).json

    let subscription = try SubscriptionID("feed")
    var filter = Filter(authors: [keys.publicKey.bytes], kinds: [.textNote], limit: 100)
    filter.tags[.t] = ["nostr"]
    let request = ClientMessage.request(subscription, [filter]).json

    let frame = RelayMessage.event(subscription, note.wire).json
    var seen: Set<EventID> = []
    var received: [Event] = []
    if let id = RelayMessagePreview(frame)?.eventID, seen.insert(id).inserted,
        case .event(_, let wire) = try RelayMessage(json: frame), filter.matches(wire)
    {
        received.append(try Event(verifying: wire))
    }

    #expect(received == [note])
    #expect(received[0].tags.firstValue(named: "t") == "nostr")
    #expect(String(decoding: publish, as: UTF8.self).hasPrefix(#"["EVENT",{"id":"#))
    #expect(String(decoding: request, as: UTF8.self).hasPrefix(#"["REQ","feed",{"authors":["#))
}
