import Foundation
import LinkstrSessions
import NostrCrypto
import NostrEvents
import SQLite
import Testing

@Suite("At rest")
struct SealingTests {
    /// A database with one of everything.
    private func filled() async throws -> (Scratch, Fact) {
        let device = try await Device(isRestored: false)
        let root = try Fact(
            Fact.Parts(
                id: id("root"),
                pubkey: peer,
                time: 110,
                kind: Payload.kind,
                content: #"{"conversation_id":"films","root_id":"","kind":"root","#
                    + #""url":"https://secret.example/path","note":"a hidden note"}"#
            ),
            sender: peer
        )
        let wraps = [WrapReference(id: id("wrap"), recipient: owner)]
        try await device.take(make.create(all, at: 100, name: "Clandestine cinema"))
        _ = try await device.store.apply([Arrival(root, source: .live, wraps: wraps)], now: 0)
        _ = try await device.store.apply(
            [
                Arrival(make.members(all + [other], at: 130), source: .live, seal: Array("a seal in json".utf8)),
                Arrival(make.react(to: root, by: creator, at: 140), source: .live),
            ],
            now: 0
        )
        let gone = Maker(session: try #require(SessionID("gone")))
        try await device.take(gone.create(all, at: 1), gone.delete(at: 2))
        _ = try await device.store.completeRestore()
        try await device.store.setBlocked(true, key(0x66), in: films)
        try await device.store.close()
        return (device.scratch, root)
    }

    @Test("no address, note, name, seal or key stands in the file or its log")
    func nothingInTheClear() async throws {
        let device = try await Device()
        try await device.take(make.create(all, at: 100, name: "Clandestine cinema"))
        try await device.take(make.root(at: 110, "secret-path"))
        var found = try leaks(in: device.scratch)
        #expect(found.isEmpty)
        try await device.store.close()
        let (scratch, root) = try await filled()
        found = try leaks(in: scratch)
        #expect(found.isEmpty)
        // The search finds what is plain.
        let bytes = try scratch.contents()
        #expect(bytes.contains(root.id.bytes.array))
        #expect(bytes.contains(Array("films".utf8)))
    }

    private func leaks(in scratch: Scratch) throws -> [String] {
        let bytes = try scratch.contents()
        #expect(bytes.count > 4_096)
        let texts = [
            "secret", "example", "https", "hidden", "Clandestine", "cinema", "a seal in json",
            String(repeating: "\u{7}", count: 16),
        ]
        var found = texts.filter { bytes.contains(Array($0.utf8)) }
        for person in all + [other, key(0x66)] {
            let key = person.array
            if bytes.contains(key) || bytes.contains(Array(key.prefix(8))) || bytes.contains(Array(person.hex.utf8)) {
                found.append(person.hex)
            }
            // A list of known keys must not tell who is here.
            let hash = SHA256.hash(key).array
            if bytes.contains(Array(hash.prefix(8))) { found.append("hash of \(person.hex)") }
        }
        return found
    }

    @Test(
        "a sealed value moved to another row or column does not open, is reported and left as it is",
        arguments: Change.all
    )
    func moved(_ change: Change) async throws {
        let (scratch, root) = try await filled()
        do {
            let connection = try Connection(scratch.location, access: .readWrite)
            try change.make(connection)
        }
        let device = try await Device(isRestored: false, scratch: scratch)
        let page = try await device.store.feed(FeedQuery(session: films))
        #expect(page.items.map(\.post.id) == (change.leavesPost ? [root.id] : []))
        #expect((page.unreadable > 0) == change.isNoticed)
        try await device.take(make.root(by: creator, at: 150))
        try await device.store.close()
        let after = try Connection(scratch.location, access: .read)
        let facts: Int64? = try after.value("SELECT count(*) FROM fact")
        #expect(facts == 5)
        let untouched: Int64? = try after.value(change.survives)
        #expect(untouched == 1)
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let leavesPost: Bool
        let isNoticed: Bool
        /// 1 where what was changed is still there.
        var survives: SQL = "SELECT 1"
        let make: @Sendable (Connection) throws -> Void

        static let all: [Change] = [
            Change(testDescription: "nothing changed", leavesPost: true, isNoticed: false) { _ in },
            Change(testDescription: "a post with the seal of another row", leavesPost: false, isNoticed: true) {
                try $0.execute(
                    "UPDATE fact SET sealed = (SELECT sealed FROM fact WHERE kind = 1 LIMIT 1) WHERE kind = 3"
                )
            },
            Change(testDescription: "one bit", leavesPost: false, isNoticed: true) { connection in
                var sealed: [UInt8] = try connection.value("SELECT sealed FROM fact WHERE kind = 3") ?? []
                sealed[20] ^= 1
                try connection.execute("UPDATE fact SET sealed = ?1 WHERE kind = 3", sealed)
            },
            Change(testDescription: "two people change places", leavesPost: false, isNoticed: true) {
                try $0.execute(
                    """
                    UPDATE person SET sealed = CASE number
                        WHEN 1 THEN (SELECT sealed FROM person WHERE number = 2)
                        WHEN 2 THEN (SELECT sealed FROM person WHERE number = 1) ELSE sealed END
                    """
                )
            },
            Change(
                testDescription: "a pin from another table",
                leavesPost: true,
                isNoticed: true,
                survives: """
                    SELECT pin = (SELECT sealed FROM person WHERE number = 1) FROM session WHERE id = 'films'
                    """
            ) {
                try $0.execute(
                    "UPDATE session SET pin = (SELECT sealed FROM person WHERE number = 1) WHERE id = 'films'"
                )
            },
        ]
    }

    /// Scenario 135: given encrypted rows and a missing local key, no new key is written and the rows are unchanged.
    @Test(
        "135. Given a missing or wrong key, another account or a second opening, Then each is told and nothing written"
    )
    func keys() async throws {
        let (scratch, _) = try await filled()
        let before = try scratch.contents()
        let path = scratch.path
        await #expect(throws: SessionStoreError.keyMissing(path: path)) {
            _ = try await SessionStore.open(scratch.location, owner: owner, key: nil)
        }
        await #expect(throws: SessionStoreError.wrongKey(path: path)) {
            let wrong = SecretBytes([UInt8](repeating: 8, count: 32))
            _ = try await SessionStore.open(scratch.location, owner: owner, key: wrong)
        }
        await #expect(throws: SessionStoreError.wrongAccount(path: path)) {
            _ = try await SessionStore.open(scratch.location, owner: peer, key: dataKey)
        }
        await #expect(throws: SessionStoreError.invalidKey) {
            _ = try await SessionStore.open(scratch.location, owner: owner, key: SecretBytes([1]))
        }
        #expect(try scratch.contents() == before)
        let store = try await SessionStore.open(scratch.location, owner: owner, key: dataKey)
        await #expect(throws: SessionStoreError.inUse(path: path)) {
            _ = try await SessionStore.open(scratch.location, owner: owner, key: dataKey)
        }
        #expect(try await store.sessions().count == 1)
        try await store.close()
        await #expect(throws: SessionStoreError.closed) { try await store.sessions() }
    }

    @Test("what is no database, or of a newer program, is named and left as it is")
    func openingErrors() async throws {
        let scratch = try Scratch()
        let noise = Array("this is no database, whatever its name says".utf8)
        _ = FileManager.default.createFile(atPath: scratch.path, contents: Data(noise))
        await #expect(throws: SessionStoreError.database(.notADatabase(path: scratch.path))) {
            _ = try await SessionStore.open(scratch.location, owner: owner, key: dataKey)
        }
        #expect(try scratch.contents() == noise)
        let missing = try Scratch()
        await #expect(throws: SessionStoreError.database(.notFound(path: missing.path))) {
            _ = try await SessionStore.open(missing.location, owner: owner, key: nil)
        }
        let (newer, _) = try await filled()
        do {
            let connection = try Connection(newer.location, access: .readWrite)
            try connection.execute("INSERT INTO schema_migration VALUES (99, 'LinkstrSessions', 'later', 1)")
        }
        await #expect(throws: SessionStoreError.self) {
            _ = try await SessionStore.open(newer.location, owner: owner, key: dataKey)
        }
    }

    @Test("a copy opens with the same key")
    func backup() async throws {
        let device = try await Device()
        try await device.take(make.create(all, at: 100), make.root(at: 110))
        let copy = try Scratch()
        try await device.store.backUp(to: copy.path)
        let other = try await Device(isRestored: false, scratch: copy)
        #expect(try await other.times() == [110])
    }
}
