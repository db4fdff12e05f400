import LinkstrClient
import LinkstrLinks
import LinkstrSessions
import NostrCrypto
import NostrEvents
import NostrPreferences
import NostrRelay
import NostrStore
import NostrTransport
import Testing

@Suite("Private preferences", .timeLimit(.minutes(10)))
struct PreferencesOfAccountTests {
    @Test("archive a session on one device and on the other that receives")
    func archive() async throws {
        let village = try await Village()
        let ann = try Person()
        let device = try ann.secondDevice()
        let anns = try await ann.runtime([village.url])
        let log = try await anns.make("Films", with: [])
        var (others, hears) = try await device.live([village.url])
        #expect(try await others.store.session(log.id)?.isArchived == false)
        for isArchived in [true, false] {
            try await anns.setArchived(isArchived, log.id)
            #expect(await anns.preferenceCounts.pending == 1)
            #expect(await anns.uploadPreferences() == 0)
            let changed = try await hears.first { event -> SessionSummary? in
                if case .sessionChanged(let summary) = event.kind { summary } else { nil }
            }
            #expect(changed.isArchived == isArchived)
        }
        for runtime in [anns, others] { await runtime.close() }
        try await village.close()
    }

    @Test("come back on a fresh device: an alias, and the archive mark of a session that arrives with them")
    func fresh() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let anns = try await ann.runtime([village.url])
        let log = try await anns.make("Films", with: [ben.key])
        try await anns.setAlias("Benny", of: ben.publicKey)
        try await anns.setArchived(true, log.id)
        // What no relay takes waits; catching up sends it.
        #expect(await anns.preferenceCounts.pending == 2)
        _ = try await anns.catchUp()
        #expect(await anns.preferenceCounts.pending == 0)
        let device = try ann.secondDevice()
        let other = try await device.runtime([village.url])
        _ = try await other.catchUp()
        #expect(await other.aliases == [ben.key: "Benny"])
        #expect(try await other.store.session(log.id)?.isArchived == true)
        #expect(await other.contacts().contacts.isEmpty)
        for runtime in [anns, other] { await runtime.close() }
        try await village.close()
    }

    @Test("say whom an alias means: one person, or nobody where several are called so")
    func whom() async throws {
        let (ann, ben, cat) = (try Person(), try Person(), try Person())
        let runtime = try await ann.runtime([])
        try await runtime.setAlias("Zoë", of: ben.publicKey)
        // The same in another form, and with blanks around it.
        for text in ["Zoë", " Zoe\u{308}\n"] { #expect(try await runtime.key(called: text) == ben.key) }
        await #expect(throws: ClientError.unknownAlias("zoë")) { try await runtime.key(called: "zoë") }
        try await runtime.setAlias("Zoë", of: cat.publicKey)
        await #expect(throws: ClientError.ambiguousAlias("Zoë", [ben.key, cat.key].sorted())) {
            try await runtime.key(called: "Zoë")
        }
        try await runtime.setAlias(nil, of: ben.publicKey)
        #expect(try await runtime.key(called: "Zoë") == cat.key)
        await runtime.close()
    }

    @Test("keep what could not be uploaded over a restart, and upload it when a relay is there")
    func retry() async throws {
        let village = try await Village()
        let (ann, ben) = (try Person(), try Person())
        let offline = try await ann.runtime([try RelayURL("ws://127.0.0.1:9")], gate: .milliseconds(100))
        try await offline.setAlias("Benny", of: ben.publicKey)
        #expect(await offline.uploadPreferences() == 1)
        await offline.close()
        let (anns, _) = try await ann.live([village.url])
        while await anns.preferenceCounts.pending > 0 { await Task.yield() }
        let event = try #require(try await village.newest(.applicationData, by: ann.key))
        #expect(event.tags.count == 1 && event.tags.identifier.hasPrefix("linkstr/preferences/v1/"))
        await anns.close()
        try await village.close()
    }

    @Test("of a session that was archived before there were any are made once all relays have told theirs")
    func seeding() async throws {
        let village = try await Village()
        let ann = try Person()
        let anns = try await ann.runtime([village.url])
        let log = try await anns.make("Films", with: [])
        try await anns.store.setArchived(true, log.id)
        #expect(await anns.preferenceCounts.records == 0)
        _ = try await anns.catchUp()
        let event = try #require(try await village.newest(.applicationData, by: ann.key))
        #expect(event.createdAt == log.log.first?.moment.time)
        await anns.close()
        try await village.close()
    }
}
