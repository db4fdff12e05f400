import NostrCrypto
import NostrEvents
import NostrPreferences
import Testing

/// The numbered sentences of linkstr's protocol that speak of private preferences.
@Suite("Scenario")
struct ScenarioTests {
    private let item = "alias:" + alice.hex

    private func content(_ event: Event) throws -> String {
        try NIP44.decrypt(event.content, with: ConversationKey(me.secretKey, me.publicKey))
    }

    private func stored(_ name: String?, at time: Int64) throws -> Event {
        try space.encode(LinkstrPreference.alias(alice, name: name), createdAt: time).event
    }

    @Test("109. Given a contact removed, When done, Then a cleared alias record exists.")
    func removedContact() throws {
        var book = Book(space: space)
        try book.set(.alias(alice, name: "Al"), now: 1)
        try book.clear(item, now: 2)
        #expect(book[item] == .alias(alice, name: nil))
        #expect(book.pending.count == 1)
    }

    @Test("115. Given the vectors of the protocol, When identifiers are computed, Then they match.")
    func vectors() throws {
        let one = KeyPair(try SecretKey(hex: String(repeating: "0", count: 63) + "1"))
        let space = PreferenceSpace(namespace: LinkstrPreference.namespace, owner: one)
        let names = [
            "alias:c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
            "archive:0A1B2C3D4E5F60718293A4B5C6D7E8F9",
        ].map(space.identifier(for:))
        #expect(
            names == [
                "linkstr/preferences/v1/b99fad58ed9b6c5be21cebaa86e73f49db26ab1490d1d88ba465e220f139458b",
                "linkstr/preferences/v1/4c6d1535896a4555de188194f8b59567e009a4cb22126bbb0f27efbd6e2a7bd0",
            ]
        )
    }

    @Test("116. Given an alias set offline, When relays return, Then one kind 30078 with a single d tag is uploaded.")
    func offline() throws {
        var book = Book(space: space)
        try book.set(.alias(alice, name: "Al"), now: 1)
        var again = try Book(json: book.json, space: space)
        let uploading = again.startUpload()
        let upload = try #require(uploading)
        #expect(upload.kind == 30_078)
        #expect(Array(upload.tags) == [Tag("d", space.identifier(for: item))])
        again.finishUpload(of: upload.id, isAccepted: true)
        #expect(again.pending.isEmpty)
        #expect(again.startUpload() == nil)
    }

    @Test("117. Given an alias cleared, When published, Then JSON has no name member.")
    func noName() throws {
        var book = Book(space: space)
        try book.set(.alias(alice, name: "Al"), now: 1)
        let cleared = try #require(try book.clear(item, now: 2))
        #expect(try content(cleared) == #"{"alias":{"pubkey":"\#(alice.hex)"}}"#)
    }

    @Test("118. Given unarchive, When published, Then archived is false explicitly.")
    func unarchived() throws {
        var book = Book(space: space)
        try book.set(.archive(sessionID: "S", isArchived: true), now: 1)
        let event = try #require(try book.set(.archive(sessionID: "S", isArchived: false), now: 2))
        #expect(try content(event) == #"{"archive":{"sessionID":"S","archived":false}}"#)
    }

    @Test("119. Given the same value saved again, When saved, Then no new event.")
    func same() throws {
        var book = Book(space: space)
        let first = try book.set(.alias(alice, name: "Al"), now: 1)
        #expect(try book.set(.alias(alice, name: "Al"), now: 2) == nil)
        #expect(book.pending == [first])
    }

    @Test("120. Given a stored record in the future, When changed, Then the new time is one second later.")
    func future() throws {
        var book = Book(space: space)
        try book.receive(stored("a", at: 5_000))
        #expect(try book.set(.alias(alice, name: "b"), now: 1)?.createdAt == 5_001)
    }

    @Test("121. Given an incoming record with equal time, Then the lower id wins and the higher is ignored.")
    func equalTime() throws {
        let pair = [try stored("a", at: 5), try stored("b", at: 5)].sorted { $0.id < $1.id }
        var book = Book(space: space)
        try book.receive(pair[1])
        #expect(try book.receive(pair[0]) != .stale)
        #expect(try book.receive(pair[1]) == .stale)
        #expect(book.stored(item)?.preference.event == pair[0])
    }

    @Test("122. Given a record whose d does not fit its content, When received, Then ignored.")
    func otherName() throws {
        let json = #"{"alias":{"pubkey":"\#(alice.hex)","name":"a"}}"#
        var book = Book(space: space)
        let wrong = try event(json, identifier: space.identifier(for: "alias:" + bob.hex))
        #expect(throws: PreferencesError.otherItem) { try book.receive(wrong) }
        #expect(book.records.isEmpty)
        try book.receive(event(json, identifier: space.identifier(for: item)))
        #expect(book.records.count == 1)
    }

    @Test(
        "123. Given a change during an upload, When the old upload is confirmed, Then the newer record stays pending."
    )
    func changedMeanwhile() throws {
        var book = Book(space: space)
        try book.set(.alias(alice, name: "a"), now: 1)
        let uploading = book.startUpload()
        let old = try #require(uploading)
        let newer = try #require(try book.set(.alias(alice, name: "b"), now: 2))
        book.finishUpload(of: old.id, isAccepted: true)
        #expect(book.pending == [newer])
    }

    @Test(
        "124. Given an old alias without record and a newer one on relays, Then the relay's wins and no seed outranks it."
    )
    func noSeedOverRelays() throws {
        for comesFirst in [true, false] {
            var book = Book(space: space)
            if comesFirst { try book.receive(stored("new", at: 2_000)) }
            try book.seed([(.alias(alice, name: "old"), since: 1_000)], isHistoryComplete: true)
            if !comesFirst { try book.receive(stored("new", at: 2_000)) }
            #expect(book[item] == .alias(alice, name: "new"))
            #expect(book.pending.isEmpty)
        }
    }

    @Test("125. Given preference history not yet complete, When started, Then no seeding happens.")
    func incomplete() throws {
        var book = Book(space: space)
        var restore = PreferenceRestore(relays: ["a"])
        #expect(throws: PreferencesError.historyIncomplete) {
            try book.seed([(.alias(alice, name: "old"), since: 1)], isHistoryComplete: restore.isComplete)
        }
        #expect(book.pending.isEmpty)
        restore.finish("a")
        try book.seed([(.alias(alice, name: "old"), since: 1)], isHistoryComplete: restore.isComplete)
        #expect(book.pending.count == 1)
    }

    @Test("127. Given a preference for an unknown contact, When received, Then it is kept for later and nothing else.")
    func unknownContact() throws {
        var book = Book(space: space)
        #expect(try book.receive(stored("Al", at: 5)) == .applied(.alias(alice, name: "Al")))
        #expect(book.records == [.alias(alice, name: "Al")])
        #expect(book.pending.isEmpty)
    }
}
