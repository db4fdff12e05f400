import NostrCrypto
import NostrGiftWrap
import Testing

@Test func theExampleOfTheReadmeHolds() async throws {
    let rumor = ChatMessage.rumor(
        .text("hello"),
        from: alice.publicKey.bytes,
        to: [bob.publicKey.bytes],
        createdAt: now
    )
    let wraps = try await GiftWrapper(sender: alice).wrap(rumor, for: [bob.publicKey], ownCopy: .last, now: now)

    let opened = try GiftWrapOpener(owner: bob).open(wraps[0].event)
    #expect(opened.sender == alice.publicKey)
    #expect(try ChatMessage(opened).body == .text("hello"))
}
