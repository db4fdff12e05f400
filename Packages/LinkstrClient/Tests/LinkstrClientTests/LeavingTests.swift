import Foundation
import LinkstrClient
import LinkstrLinks
import LinkstrSessions
import NostrContacts
import NostrCrypto
import NostrEvents
import NostrGiftWrap
import NostrRelay
import NostrStore
import NostrTransport
import Testing

@Suite("The ways out of an account", .timeLimit(.minutes(10)))
struct LeavingTests {
    @Test("keep the data, sealed, until the key returns")
    func keeping() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        let log = try await anns.make("Films", with: [])
        try await anns.setAlias("Benny", of: ben.publicKey)
        try await anns.logOut(clearsData: false, from: ann.temporary.accounts)
        #expect(try ann.temporary.accounts.all().isEmpty)
        try ann.temporary.accounts.add(ann.keys.keyPair.secretKey, isImported: true, now: 2)
        let again = try await AccountRuntime.open(
            try ann.temporary.accounts.open(ann.key),
            home: ann.temporary.home,
            relays: []
        )
        #expect(try await again.store.session(log.id)?.name == "Films")
        #expect(await again.aliases == [ben.key: "Benny"])
        await again.close()
        try await village.close()
    }

    @Test("clear everything of this account, and nothing of another")
    func clearing() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        try ann.temporary.accounts.add(ben.keys.keyPair.secretKey, isImported: false, now: 1)
        let anns = try await ann.runtime([village.url])
        _ = try await anns.make("Films", with: [])
        try await anns.logOut(clearsData: true, from: ann.temporary.accounts)
        #expect(!FileManager.default.fileExists(atPath: ann.temporary.home.account(ann.key)))
        #expect(try ann.temporary.accounts.all().map(\.key) == [ben.key])
        #expect(try await village.newest(.followList, by: ann.key) == nil)
        try await village.close()
    }

    @Test(
        "ask relays to forget the account: first an empty follow list, then the request, and only then it is gone here"
    )
    func deletion() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        try await anns.addContact(ben.publicKey)
        let farewell = try await anns.deleteAccount(from: ann.temporary.accounts)
        #expect(farewell.unconfirmed.isEmpty && farewell.leftovers == nil)
        let request = try #require(try await village.newest(.requestToVanish, by: ann.key))
        #expect(Array(request.tags) == [Tag("relay", village.url.text)])
        // A relay that honours the request may have dropped the list too.
        let list = try await village.newest(.followList, by: ann.key)
        #expect(list?.tags.isEmpty != false)
        #expect(!FileManager.default.fileExists(atPath: ann.temporary.home.account(ann.key)))
        // The key can be used again, and is told that it had asked for this.
        let later = try await ann.secondDevice().runtime([village.url])
        #expect(try await later.requestToVanish()?.id == request.id)
        await later.close()
        try await village.close()
    }

    @Test("delete nothing here while no relay has taken the request")
    func refusedDeletion() async throws {
        let ann = try Person()
        let anns = try await ann.runtime([try RelayURL("ws://127.0.0.1:9")], gate: .milliseconds(200))
        await #expect { try await anns.deleteAccount(from: ann.temporary.accounts) } throws: { error in
            if case ClientError.noRelayReached = error { true } else { false }
        }
        #expect(try ann.temporary.accounts.all().map(\.key) == [ann.key])
        #expect(try await anns.store.sessions().isEmpty)
        await anns.close()
    }
}

@Suite("Moving an account to another machine", .timeLimit(.minutes(10)))
struct TransferTests {
    @Test(
        "brings sessions, posts, what was read, contacts, aliases, settings and messages, and the key only if asked for"
    )
    func everything() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let (anns, _) = try await ann.live([village.url]) { $0.exportLogN = 2 }
        let log = try await anns.make("Films", with: [ben.key])
        try await anns.post("a", in: log)
        try await anns.addContact(ben.publicKey, alias: "Benny", confirming: .firstList)
        try await anns.setArchived(true, log.id)
        try await anns.changeSettings { $0.deletesAllCopies = true }
        _ = try await anns.sendChat(.text("note"), to: [])
        let file = try await anns.export(withSecret: true, passphrase: "correct horse")
        let bare = try await anns.export(withSecret: false, passphrase: "correct horse")
        let before = try await anns.store.sessions()
        let posts = try await anns.store.feed(FeedQuery(session: log.id)).items
        await anns.close()

        #expect(throws: ClientError.self) { try AccountExport(file, passphrase: "wrong") }
        #expect(try AccountExport(bare, passphrase: "correct horse").secretKey == nil)
        let export = try AccountExport(file, passphrase: "correct horse")
        let secret = try #require(export.secretKey)
        #expect(export.account == ann.key && secret == ann.keys.keyPair.secretKey)
        let device = try Person(secret)
        try await export.unpack(device.keys, home: device.temporary.home)
        let moved = try await device.runtime([])
        #expect(try await moved.store.sessions() == before)
        #expect(try await moved.store.feed(FeedQuery(session: log.id)).items == posts)
        #expect(await moved.contacts().contacts.map(\.alias) == ["Benny"])
        #expect(await moved.currentSettings.deletesAllCopies)
        #expect(try await moved.messages(with: []).map(\.message.body) == [.text("note")])
        await moved.close()
        try await village.close()
    }

    @Test("refuses a file that was changed anywhere, cut, or is none")
    func damage() async throws {
        let ann = try Person()
        let (anns, file) = try await Self.export(ann)
        #expect(try AccountExport(file, passphrase: "p").account == ann.key)
        var accepted: [Int] = []
        for place in stride(from: 0, to: file.count, by: max(1, file.count / 97)) {
            var changed = file
            // The cost byte is left alone: a higher one only takes longer.
            guard place != 17 else { continue }
            changed[place] ^= 1
            if (try? AccountExport(changed, passphrase: "p")) != nil { accepted.append(place) }
        }
        for count in [0, 10, 60, file.count - 1]
        where (try? AccountExport(Array(file[..<count]), passphrase: "p")) != nil {
            accepted.append(count)
        }
        if (try? AccountExport(file + [0], passphrase: "p")) != nil { accepted.append(file.count) }
        #expect(accepted.isEmpty)
        await anns.close()
    }

    private static func export(_ person: Person) async throws -> (AccountRuntime, [UInt8]) {
        var options = ClientOptions()
        options.exportLogN = 2
        let runtime = try await AccountRuntime.open(
            person.keys,
            home: person.temporary.home,
            relays: [],
            options: options
        )
        return (runtime, try await runtime.export(withSecret: true, passphrase: "p"))
    }
}
