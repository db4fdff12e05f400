import NostrCrypto
import NostrEvents
import Testing

private func id(_ number: UInt8) -> EventID {
    EventID(SHA256.hash([number]))
}

private func e(_ number: UInt8, _ rest: String...) -> Tag {
    Tag(elements: ["e", id(number).hex] + rest) ?? Tag("e")
}

@Suite("Threads (NIP-10)")
struct ThreadPositionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let tags: [Tag]
        /// Root, parent and mentions, or nothing.
        let expected: [UInt8]

        var testDescription: String { name }
    }

    @Test(arguments: [
        Row(name: "no tag", tags: [], expected: []),
        Row(name: "other tags only", tags: [Tag("p", id(1).hex), Tag("q", id(2).hex), Tag("e")], expected: []),
        Row(name: "an id that is none", tags: [Tag("e", "abc", "", "root")], expected: []),
        Row(name: "root alone", tags: [e(1, "", "root")], expected: [1, 1]),
        Row(name: "root and reply", tags: [e(1, "", "root"), e(2, "", "reply")], expected: [1, 2]),
        Row(name: "reply before root", tags: [e(2, "", "reply"), e(1, "", "root")], expected: [1, 2]),
        Row(name: "reply alone", tags: [e(2, "", "reply")], expected: [2, 2]),
        Row(
            name: "unmarked ones between are mentions",
            tags: [e(3), e(1, "", "root"), e(4, ""), e(2, "", "reply"), e(5, "", "mention")],
            expected: [1, 2, 3, 4, 5]
        ),
        Row(name: "a second root is a mention", tags: [e(1, "", "root"), e(2, "", "root")], expected: [1, 1, 2]),
        Row(name: "one by position", tags: [e(1)], expected: [1, 1]),
        Row(name: "two by position", tags: [e(1), Tag("p", "x"), e(2, "wss://r")], expected: [1, 2]),
        Row(name: "four by position", tags: [e(1), e(3), e(4), e(2)], expected: [1, 2, 3, 4]),
        Row(name: "an unknown marker counts as none", tags: [e(1, "", "strange"), e(2)], expected: [1, 2]),
        Row(name: "old mentions are no answer", tags: [e(1, "", "mention")], expected: []),
        Row(name: "old mentions beside positions", tags: [e(1), e(9, "", "mention"), e(2)], expected: [1, 2, 9]),
    ])
    func tagsAreRead(row: Row) {
        let position = ThreadPosition(tags: row.tags)
        let found = position.map { [$0.root.id, $0.parent.id] + $0.mentions.map(\.id) } ?? []
        #expect(found == row.expected.map(id))
    }

    @Test func hintsAreRead() throws {
        let author = try keyPair(2).publicKey.bytes
        let tags = [e(1, "wss://a", "root", author.hex), e(2, "wss://b", "reply"), e(3, "", author.hex)]
        let position = try #require(ThreadPosition(tags: tags))
        #expect(position.root == EventReference(id: id(1), relays: ["wss://a"], author: author))
        #expect(position.parent == EventReference(id: id(2), relays: ["wss://b"]))
        #expect(position.mentions == [EventReference(id: id(3), author: author)])
    }

    @Test func anAnswerNamesRootParentAndEverybodyOnce() throws {
        let (first, second, third) = (try keyPair(1), try keyPair(2), try keyPair(3))
        let others = (4...5).map { SHA256.hash([$0]).hex }
        let note = Event(
            kind: .textNote,
            content: "a",
            tags: [Tag("p", others[0]), Tag("p", "no key"), Tag("p", third.publicKey.hex)],
            createdAt: 1,
            signedBy: first
        )
        let toNote = ThreadPosition.replyTags(to: note, relay: "wss://r", by: second.publicKey.bytes)
        #expect(
            toNote == [
                Tag("e", note.id.hex, "wss://r", "root", first.publicKey.hex), Tag("p", first.publicKey.hex),
                Tag("p", others[0]), Tag("p", third.publicKey.hex),
            ]
        )
        let answer = Event(kind: .textNote, content: "b", tags: toNote, createdAt: 2, signedBy: second)
        let toAnswer = ThreadPosition.replyTags(to: answer, by: third.publicKey.bytes)
        #expect(
            toAnswer == [
                Tag("e", note.id.hex, "wss://r", "root", first.publicKey.hex),
                Tag("e", answer.id.hex, "", "reply", second.publicKey.hex), Tag("p", second.publicKey.hex),
                Tag("p", first.publicKey.hex), Tag("p", others[0]),
            ]
        )
        let position = try #require(ThreadPosition(tags: toAnswer))
        #expect(position.root.id == note.id)
        #expect(position.parent == EventReference(id: answer.id, author: second.publicKey.bytes))
        #expect(position.mentions == [])
    }
}

@Suite("Expiration (NIP-40)")
struct ExpirationTests {
    @Test(
        arguments: [
            ("1600000000", 1_600_000_000), ("0", 0), ("007", 7), ("9223372036854775807", Int64.max),
            ("9223372036854775808", nil), ("-1", nil), ("+1", nil), ("1.0", nil), ("", nil), (" 1", nil), ("soon", nil),
            ("\u{661}", nil),
        ] as [(String, Int64?)]
    )
    func theTimeIsRead(value: String, expected: Int64?) {
        #expect(Expiration.time(in: [Tag("a", "1"), Tag("expiration", value)]) == expected)
    }

    @Test func theFirstTagCounts() {
        #expect(Expiration.time(in: [Expiration.tag(at: 5), Expiration.tag(at: 9)]) == 5)
        #expect(Expiration.time(in: [Tag("expiration"), Expiration.tag(at: 9)]) == nil)
        #expect(Expiration.time(in: [Tag("Expiration", "5")]) == nil)
    }

    @Test func anEventExpiresAtItsTimeAndTheTolerancePutsItOff() {
        let tags = [Expiration.tag(at: 1_000)]
        #expect(!Expiration.hasExpired(tags, now: 999))
        #expect(Expiration.hasExpired(tags, now: 1_000))
        #expect(!Expiration.hasExpired(tags, now: 1_059, tolerance: 60))
        #expect(Expiration.hasExpired(tags, now: 1_060, tolerance: 60))
        #expect(Expiration.hasExpired(tags, now: 1_000, tolerance: -60))
        #expect(!Expiration.hasExpired([], now: .max))
        #expect(!Expiration.hasExpired([Expiration.tag(at: .max)], now: .max, tolerance: .max))
    }
}

@Suite("Protected events (NIP-70)")
struct ProtectionTests {
    @Test func onlyTheAuthorPublishesAProtectedEvent() throws {
        let author = try keyPair(1)
        let other = try keyPair(2).publicKey.bytes
        let open = Event(kind: .textNote, content: "", tags: [Tag("t", "-")], createdAt: 1, signedBy: author)
        let closed = Event(kind: .textNote, content: "", tags: [Protection.tag], createdAt: 1, signedBy: author)
        #expect(!Protection.isProtected(open.tags))
        #expect(Protection.isProtected(closed.tags))
        #expect(Protection.mayPublish(open, authenticated: []))
        #expect(!Protection.mayPublish(closed, authenticated: []))
        #expect(!Protection.mayPublish(closed, authenticated: [other]))
        #expect(Protection.mayPublish(closed, authenticated: [other, author.publicKey.bytes]))
    }

    /// Unchecked, since the example's id is not the hash of its event.
    @Test func theExampleOfTheNIPIsProtected() throws {
        let event = try WireEvent(
            json: #"{"id":"cb8feca582979d91fe90455867b34dbf4d65e4b86e86b3c68c368ca9f9eef6f2","pubkey":"#
                + #""79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798","created_at":1707409439,"kind":1,"#
                + #""tags":[["-"]],"content":"hello members of the secret group","sig":"fa163f5cfb75d77d9b6269011872ee22"#
                + #"b34fb48d23251e9879bb1e4ccbdd8aaaf4b6dc5f5084a65ef42c52fbcde8f3178bac3ba207de827ec513a6aa39fa684c"}"#
        )
        #expect(Protection.isProtected(event.tags))
    }

    @Test func aRepostThatCarriesAProtectedEventIsRecognised() throws {
        let author = try keyPair(1)
        func repost(of tags: [Tag], kind: Kind) -> Event {
            let event = Event(kind: .textNote, content: "a", tags: tags, createdAt: 1, signedBy: author)
            return Event(kind: kind, content: event.description, createdAt: 2, signedBy: author)
        }
        #expect(Protection.embedsProtectedEvent(repost(of: [Protection.tag], kind: .repost)))
        #expect(Protection.embedsProtectedEvent(repost(of: [Protection.tag], kind: .genericRepost)))
        #expect(!Protection.embedsProtectedEvent(repost(of: [], kind: .repost)))
        #expect(!Protection.embedsProtectedEvent(repost(of: [Protection.tag], kind: .textNote)))
        #expect(!Protection.embedsProtectedEvent(Event(kind: .repost, content: "", createdAt: 2, signedBy: author)))
    }
}
