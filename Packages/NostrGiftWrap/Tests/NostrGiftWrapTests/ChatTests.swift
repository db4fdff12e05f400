import NostrCrypto
import NostrEvents
import NostrGiftWrap
import TestSupport
import Testing

@Suite("A chat")
struct ChatTests {
    let me = alice.publicKey.bytes
    let friend = bob.publicKey.bytes
    let third = mallory.publicKey.bytes

    @Test("is the set of its participants, whoever writes")
    func rooms() throws {
        let mine = ChatMessage.rumor(.text("a"), from: me, to: [friend, third], createdAt: now)
        let theirs = ChatMessage.rumor(.text("b"), from: third, to: [me, friend, me], createdAt: now)
        #expect(try ChatMessage(mine).room == ChatMessage(theirs).room)
        #expect(try ChatMessage(mine).room.others(than: me).count == 2)
        #expect(try ChatMessage(mine).room != ChatRoom([me, friend]))
        let unclear = Rumor(pubkey: me, kind: .chatMessage, content: "", tags: [Tag("p", "nobody")], createdAt: now)
        #expect(throws: ChatMessage.Problem.missingTag("p")) { try ChatMessage(unclear) }
    }

    @Test("carries text with a topic and the message it answers")
    func text() throws {
        let parent = note().id
        let rumor = ChatMessage.rumor(
            .text("hi"),
            from: me,
            to: [friend],
            replyingTo: parent,
            subject: "Trip",
            relayHints: [friend: "wss://a.example"],
            createdAt: now
        )
        #expect(rumor.kind == 14)
        #expect(rumor.tags.first(named: "p") == Tag("p", friend.hex, "wss://a.example"))
        let message = try ChatMessage(rumor)
        #expect(message.body == .text("hi"))
        #expect(message.parent == parent && message.subject == "Trip" && message.sender == me)
    }

    @Test("carries reactions and deletions")
    func reactions() throws {
        let target = note().id
        let reaction = ChatMessage.rumor(.reaction("🔥", to: target), from: me, to: [friend], createdAt: now)
        #expect(reaction.kind == 7)
        #expect(try ChatMessage(reaction).body == .reaction("🔥", to: target))
        let deletion = ChatMessage.rumor(.deletion([target]), from: me, to: [friend], createdAt: now)
        #expect(deletion.kind == 5)
        #expect(try ChatMessage(deletion).body == .deletion([target]))
        let empty = Rumor(pubkey: me, kind: .reaction, content: "+", createdAt: now)
        #expect(throws: ChatMessage.Problem.missingTag("e")) { try ChatMessage(empty) }
        let session = Rumor(pubkey: me, kind: 44_001, content: "{}", createdAt: now)
        #expect(throws: ChatMessage.Problem.notAChatKind(44_001)) { try ChatMessage(session) }
    }

    @Test("carries files that only their key opens")
    func files() throws {
        let bytes = Array("a picture".utf8)
        let encrypted = try EncryptedFile.encrypt(bytes)
        var file = EncryptedFile(url: "https://files.example/1", type: "image/png", encrypted: encrypted)
        file.dimensions = (width: 640, height: 480)
        file.fallbacks = ["https://files.example/2"]
        let rumor = ChatMessage.rumor(.file(file), from: me, to: [friend], createdAt: now)
        #expect(rumor.kind == 15 && rumor.content == "https://files.example/1")
        guard case .file(let read) = try ChatMessage(rumor).body else {
            Issue.record("no file came back")
            return
        }
        #expect(read == file)
        #expect(try read.decrypt(encrypted.bytes) == bytes)
        var damaged = encrypted.bytes
        damaged[0] ^= 1
        #expect(throws: CryptoError.authenticationFailed) { try read.decrypt(damaged) }
    }

    @Test(
        "refuses a file it could not open",
        arguments: ["decryption-key", "decryption-nonce", "x", "file-type", "encryption-algorithm"]
    )
    func incompleteFile(missing: String) throws {
        let file = EncryptedFile(url: "https://files.example/1", type: "a/b", encrypted: try EncryptedFile.encrypt([1]))
        let rumor = ChatMessage.rumor(.file(file), from: me, to: [friend], createdAt: now)
        let tags = rumor.tags.filter { $0.name != missing }
        let incomplete = Rumor(pubkey: me, kind: 15, content: rumor.content, tags: tags, createdAt: now)
        #expect(throws: ChatMessage.Problem.missingTag(missing)) { try ChatMessage(incomplete) }
        let other = Rumor(
            pubkey: me,
            kind: 15,
            content: "",
            tags: [Tag("encryption-algorithm", "rot13")],
            createdAt: now
        )
        #expect(throws: ChatMessage.Problem.unknownEncryption) { try ChatMessage(other) }
    }

    @Test("opens files under the nonces that others use")
    func foreignFiles() throws {
        struct Case: Decodable {
            let key: String
            let nonce: String
            let plain: String
            let sealed: String
        }
        for one in try Cases.table("encrypted-files", of: "NostrGiftWrap", as: [Case].self) {
            let sealed = try Hex.decode(one.sealed)
            let rumor = Rumor(
                pubkey: me,
                kind: .fileMessage,
                content: "https://files.example/1",
                tags: [
                    Tag("p", friend.hex), Tag("file-type", "a/b"), Tag("encryption-algorithm", "aes-gcm"),
                    Tag("decryption-key", one.key), Tag("decryption-nonce", one.nonce),
                    Tag("x", SHA256.hash(sealed).hex),
                ],
                createdAt: now
            )
            guard case .file(let file) = try ChatMessage(rumor).body else {
                Issue.record("no file came back")
                return
            }
            #expect(try Hex.encode(file.decrypt(sealed)) == one.plain)
            var damaged = file
            damaged.nonce[0] ^= 1
            #expect(throws: CryptoError.authenticationFailed) { try damaged.decrypt(sealed) }
        }
    }

    @Test("is delivered to the relays that recipients name, and to nobody while one names none")
    func delivery() throws {
        let list = InboxRelays.event(["wss://a.example", "ftp://b", "wss://a.example"], createdAt: now, signedBy: bob)
        let inbox = try #require(InboxRelays(list))
        #expect(inbox.urls == ["wss://a.example"] && inbox.owner == friend)
        let inboxes = [friend: inbox]
        let all = [friend, third]
        #expect(throws: ChatDelivery.Problem.noInbox([third])) {
            try ChatDelivery(to: all, inboxes: inboxes, policy: .requireEveryInbox)
        }
        #expect(
            try ChatDelivery(to: [friend], inboxes: inboxes, policy: .requireEveryInbox).relays == [friend: inbox.urls]
        )
        let partial = try ChatDelivery(to: all, inboxes: inboxes, policy: .skipMissing)
        #expect(partial.relays.count == 1 && partial.unreachable == [third])
        let fallen = try ChatDelivery(to: all, inboxes: inboxes, policy: .fallBack(["wss://c.example"]))
        #expect(fallen.relays[third] == ["wss://c.example"] && fallen.unreachable.isEmpty)
        #expect(throws: ChatDelivery.Problem.noInbox([third])) {
            try ChatDelivery(to: [third], inboxes: inboxes, policy: .skipMissing)
        }
        #expect(InboxRelays(Event(kind: 1, content: "", createdAt: now, signedBy: bob)) == nil)
    }
}
