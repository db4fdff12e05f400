import LinkstrClient
import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrGiftWrap
import NostrRelay
import NostrStore
import NostrTransport
import Testing

@Suite("Direct messages", .timeLimit(.minutes(10)))
struct ChatTests {
    @Test("reach who has named relays for them, wait as a request where the sender is a stranger, and are answered")
    func exchange() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        var (bens, hears) = try await ben.live([village.url])
        // Nothing goes to somebody who has named no relays.
        await #expect(throws: ClientError.noInbox([ben.key])) {
            try await anns.sendChat(.text("hi"), to: [ben.publicKey])
        }
        #expect(try await village.count(of: ben.key) == 0)
        #expect(try await anns.chats().isEmpty)
        try await bens.publishInboxRelays([village.url])
        let sent = try await anns.sendChat(.text("hi"), to: [ben.publicKey])
        #expect(sent.missed.isEmpty && sent.isOwnCopyTaken)

        let (heard, isWorth) = try await hears.first { event -> (ChatEntry, Bool)? in
            if case .message(let entry) = event.kind { (entry, event.isWorthNotifying) } else { nil }
        }
        #expect(heard.id == sent.id && heard.message.body == .text("hi") && heard.isUnread && !isWorth)
        #expect(try await bens.chats().isEmpty)
        let waiting = try await bens.chats(waiting: true)
        #expect(waiting.map(\.unreadCount) == [1] && waiting.first?.request == .waiting)
        #expect(waiting.first?.room == ChatRoom([ann.key, ben.key]))

        try await anns.publishInboxRelays([village.url])
        _ = try await bens.sendChat(.text("hello"), to: [ann.publicKey], replyingTo: sent.id)
        #expect(try await bens.chats(waiting: true).isEmpty)
        #expect(try await bens.markRead(chatWith: [ann.key]) == 1)
        _ = try await anns.sendChat(.reaction("👍", to: sent.id), to: [ben.publicKey])
        let second = try await hears.first { event -> Bool? in
            guard case .message(let entry) = event.kind, entry.message.sender == ann.key else { return nil }
            return event.isWorthNotifying
        }
        #expect(second)
        let messages = try await bens.messages(with: [ann.key])
        #expect(messages.map(\.message.body) == [.text("hi"), .text("hello"), .reaction("👍", to: sent.id)])
        #expect(messages[1].message.parent == sent.id)
        #expect(messages.map(\.isUnread) == [false, false, true])
        for runtime in [anns, bens] { await runtime.close() }
        try await village.close()
    }

    @Test("come to every device of both, once, and never into a session")
    func devices() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        let bens = try await ben.runtime([village.url])
        try await bens.publishInboxRelays([village.url])
        _ = try await anns.sendChat(.text("hi"), to: [ben.publicKey])
        _ = try await anns.sendChat(.text("note"), to: [])
        let other = try await ann.secondDevice().runtime([village.url])
        for _ in 0..<2 { _ = try await other.catchUp(.full) }
        #expect(try await other.messages(with: [ben.key]).map(\.message.body) == [.text("hi")])
        #expect(try await other.messages(with: []).map(\.message.body) == [.text("note")])
        #expect(try await other.chats().count == 2)
        #expect(try await other.store.sessions().isEmpty)
        for runtime in [anns, bens, other] { await runtime.close() }
        try await village.close()
    }

    @Test("of a stranger are hidden when declined, and kept sealed")
    func declining() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        let bens = try await ben.runtime([village.url])
        try await bens.publishInboxRelays([village.url])
        _ = try await anns.sendChat(.text("buy this remarkable thing"), to: [ben.publicKey])
        _ = try await bens.catchUp()
        try await bens.answer(chatWith: [ann.key], accepts: false)
        #expect(try await bens.chats().isEmpty)
        #expect(try await bens.chats(waiting: true).isEmpty)
        await #expect(throws: ClientError.unknownChat) { try await bens.answer(chatWith: [ben.key], accepts: true) }
        try await bens.answer(chatWith: [ann.key], accepts: true)
        #expect(try await bens.chats().count == 1)
        for runtime in [anns, bens] { await runtime.close() }
        let file = try ben.temporary.bytes(ben.temporary.home.clientDatabase(ben.key))
        #expect(!file.contains("remarkable") && !file.contains(ann.key.hex))
        try await village.close()
    }

    @Test("are not sent to relays that only this machine reaches")
    func unreachable() async throws {
        let village = try await Village()
        let ann = try Person()
        let (anns, _) = try await ann.live([village.url]) { $0.unreachableRelays = [village.url] }
        await #expect(throws: ClientError.unreachableInbox(village.url)) {
            try await anns.publishInboxRelays([village.url])
        }
        #expect(try await village.newest(.directMessageRelays, by: ann.key) == nil)
        await anns.close()
        try await village.close()
    }
}
