import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrGiftWrap

extension FuzzTarget {
    static let sessions: [FuzzTarget] = [
        FuzzTarget(name: "payload") { bytes in
            guard let text = String(validating: bytes, as: UTF8.self) else { return }
            guard let payload = try? Payload(json: text) else { return }
            precondition(
                (try? Payload(json: payload.json))?.json == payload.json,
                "a payload does not survive its own JSON"
            )
        },
        // The bytes are what a stranger encrypted into a seal and a wrap that are genuine.
        FuzzTarget(name: "sealed") { bytes in
            guard !bytes.isEmpty, bytes.count < 40_000 else { return }
            for inner in [true, false] {
                guard let wrap = wrap([UInt8](bytes), isRumor: inner) else { return }
                guard let opened = try? GiftWrapOpener(owner: owner).open(wrap) else { continue }
                precondition(opened.rumor.pubkey == opened.sender.bytes, "a forged author was believed")
                _ = try? ChatMessage(opened)
            }
        },
    ]

    private static let owner = KeyPair.generate()
    private static let stranger = KeyPair.generate()
    private static let toOwner = ConversationKey(stranger.secretKey, owner.publicKey)

    private static func wrap(_ bytes: [UInt8], isRumor: Bool) -> Event? {
        guard let first = try? NIP44.encrypt(bytes, with: toOwner) else { return nil }
        var content = first
        if isRumor {
            let seal = Event(kind: .seal, content: first, createdAt: 1, signedBy: stranger)
            guard let second = try? NIP44.encrypt(seal.json, with: toOwner) else { return nil }
            content = second
        }
        return Event(kind: .giftWrap, content: content, createdAt: 1, signedBy: stranger)
    }
}
