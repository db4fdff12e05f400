import NostrCrypto
import NostrEvents
import NostrPreferences
import Testing

@Test func theExampleOfTheReadmeHolds() throws {
    var relay: [Event] = []
    let keyPair = me

    let space = PreferenceSpace(namespace: LinkstrPreference.namespace, owner: keyPair)
    var book = PreferenceBook<LinkstrPreference>(space: space)
    try book.set(.alias(alice, name: "Al"), now: 1_700_000_000)
    if let event = book.startUpload() {
        relay.append(event)
        book.finishUpload(of: event.id, isAccepted: true)
    }

    #expect(relay.count == 1 && book.pending.isEmpty)
    #expect(try space.decode(relay[0], as: LinkstrPreference.self).record == .alias(alice, name: "Al"))
}
