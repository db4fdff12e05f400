import NostrContacts
import NostrCrypto
import NostrEvents
import Testing

@Suite("The lookup of profiles")
struct ProfileLookupTests {
    private func opened(_ actions: [QueryAction]) -> [Query] {
        actions.compactMap { if case .open(let query) = $0 { query } else { nil } }
    }

    private func closed(_ actions: [QueryAction]) -> [String] {
        actions.compactMap { if case .close(let query) = $0 { query.id } else { nil } }
    }

    private func keys(_ count: UInt64) -> [Bytes32] { (1...count).map { Bytes32(words: 0, 0, 0, $0) } }

    @Test("asks for 50 keys at a time, two batches at once")
    func batches() {
        var lookup = ProfileLookup()
        let first = opened(lookup.want(keys(120), now: 0))
        #expect(first.map { $0.filter.authors?.count } == [50, 50])
        #expect(first.allSatisfy { $0.filter.kinds == [.metadata] && $0.id.hasPrefix("linkstr-profile-lookup-") })
        #expect(lookup.want(keys(120), now: 1).isEmpty, "what is under way is not asked for again")
        let next = lookup.finish(first[0].id, now: 2)
        #expect(opened(next).map { $0.filter.authors?.count } == [20] && closed(next) == [first[0].id])
        #expect(Set((first + opened(next)).map(\.id)).count == 3)
    }

    @Test("tries three times, for 3, 6 and 12 seconds, then waits five minutes")
    func attempts() throws {
        var lookup = ProfileLookup()
        var now: Int64 = 0
        var query = try #require(opened(lookup.want(keys(2), now: now)).first)
        let first = query
        for timeout in [3_000, 6_000] as [Int64] {
            #expect(lookup.nextDeadline == now + timeout)
            #expect(lookup.advance(to: now + timeout - 1).isEmpty)
            now += timeout
            let actions = lookup.advance(to: now)
            #expect(closed(actions) == [query.id])
            query = try #require(opened(actions).first)
        }
        #expect(lookup.finish(first.id, now: now).isEmpty, "an earlier try ends nothing")
        now += 12_000
        #expect(opened(lookup.advance(to: now)).isEmpty)
        #expect(lookup.want(keys(2), now: now + 299_999).isEmpty)
        #expect(opened(lookup.want(keys(2), now: now + 300_000)).count == 1)
    }

    @Test("waits five minutes for keys that have no profile, and asks again only for those that are missing")
    func missing() throws {
        let author = KeyPair.generate()
        let profile = Event(kind: .metadata, content: "{}", createdAt: 1, signedBy: author)
        var lookup = ProfileLookup()
        let wanted = keys(3) + [author.publicKey.bytes]
        var query = try #require(opened(lookup.want(wanted, now: 0)).first)
        #expect(lookup.receive(profile, for: "other") == false)
        #expect(lookup.receive(Event(kind: .metadata, content: "", createdAt: 1, signedBy: me), for: query.id) == false)
        #expect(lookup.receive(profile, for: query.id) == true)
        query = try #require(opened(lookup.fail(query.id, now: 1)).first)
        #expect(query.filter.authors == Set(keys(3)))
        _ = lookup.finish(query.id, now: 2)
        #expect(lookup.want(keys(3), now: 3).isEmpty)
        #expect(opened(lookup.want(wanted, now: 4)).map(\.filter.authors) == [[author.publicKey.bytes]])
        #expect(lookup.reset().count == 1)
        #expect(opened(lookup.want(keys(3), now: 5)).count == 1, "another account starts anew")
    }
}
