import NostrCrypto
import NostrEvents
import NostrPreferences

/// Not the testing library's.
typealias Tag = NostrEvents.Tag

let me = KeyPair.generate()
let alice = KeyPair.generate().publicKey
let bob = KeyPair.generate().publicKey
let space = PreferenceSpace(namespace: LinkstrPreference.namespace, owner: me)

typealias Book = PreferenceBook<LinkstrPreference>

/// A preference event around any text, under any name.
func event(
    _ json: String,
    identifier: String,
    at time: Int64 = 1,
    kind: Kind = .applicationData,
    by owner: KeyPair = me
) throws -> Event {
    Event(
        kind: kind,
        content: try NIP44.encrypt(json, with: ConversationKey(owner.secretKey, owner.publicKey)),
        tags: [Tag("d", identifier)],
        createdAt: time,
        signedBy: owner
    )
}
