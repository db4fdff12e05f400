import NostrCrypto
import NostrEvents
import NostrRelay
import NostrStore
import Testing

@Suite struct RelayTests {
    private let alice = KeyPair.generate()
    private let bob = KeyPair.generate()

    @Test func aPublishedEventIsAcknowledgedStoredAndFound() async throws {
        try await withRelay { relay, store in
            let client = try await TestClient(relay)
            let event = note("hello", by: alice)
            let first = try await client.publish(event)
            #expect(first == (true, ""))
            let again = try await client.publish(event)
            #expect(again == (true, "duplicate: already have this event"))
            #expect(try await client.fetch(Filter(authors: [event.pubkey])) == [event.id])
            #expect(try await store.count(matching: [Filter()]) == 1)
            #expect(relay.metrics.eventsStored == 1)
            #expect(relay.metrics.eventsDuplicate == 1)
            await client.close()
        }
    }

    @Test func newEventsReachSubscribersAfterTheStoredOnesAndUntilTheyClose() async throws {
        try await withRelay { relay, _ in
            let (reader, writer) = (try await TestClient(relay), try await TestClient(relay))
            let old = note("old", by: alice)
            try await writer.publish(old)
            let feed = try SubscriptionID("feed")
            let (ids, hints) = try await reader.stored([Filter(kinds: [.textNote])], named: "feed", closes: false)
            #expect(ids == [old.id])
            #expect(hints == .finish)
            try await writer.publish(note("other kind", by: alice, kind: 7))
            let new = note("new", by: alice, at: 1_700_000_001)
            try await writer.publish(new)
            guard case .event(feed, let received) = try await reader.next() else {
                Issue.record("no event came")
                return
            }
            #expect(received.id == new.id)
            try await reader.send(.close(feed))
            // The fetch is answered after the CLOSE was read.
            _ = try await reader.fetch(Filter(limit: 0))
            try await writer.publish(note("newer", by: alice, at: 1_700_000_002))
            #expect(try await reader.fetch(Filter(kinds: [.textNote])).count == 3)
        }
    }

    @Test func anEventThatIsNotWhatItClaimsIsRefused() async throws {
        try await withRelay { relay, store in
            let client = try await TestClient(relay)
            let good = note("mine", by: alice)
            let json = String(decoding: good.json, as: UTF8.self)
            try await client.send("[\"EVENT\",\(json.replacing("mine", with: "fake"))]")
            let result = try await client.ok(good.id)
            #expect(result == (false, "invalid: The event's id is not the hash of the event."))
            let control = try await client.publish(good)
            #expect(control.accepted)
            #expect(try await store.count(matching: [Filter()]) == 1)
        }
    }

    @Test func aNewerVersionReplacesAndAnOlderOneIsRefused() async throws {
        try await withRelay { relay, _ in
            let client = try await TestClient(relay)
            let newer = note("b", by: alice, kind: .metadata, at: 20)
            let older = note("a", by: alice, kind: .metadata, at: 10)
            #expect(try await client.publish(newer).accepted)
            let result = try await client.publish(older)
            #expect(result == (false, "duplicate: a newer version is stored"))
            #expect(try await client.fetch(Filter(kinds: [.metadata])) == [newer.id])
        }
    }

    @Test func ephemeralEventsArePassedOnAndNotKept() async throws {
        try await withRelay { relay, _ in
            let (reader, writer) = (try await TestClient(relay), try await TestClient(relay))
            _ = try await reader.stored([Filter(kinds: [20_001])], named: "live", closes: false)
            let event = note("now", by: alice, kind: 20_001)
            #expect(try await writer.publish(event).accepted)
            guard case .event(_, let received) = try await reader.next() else {
                Issue.record("no event came")
                return
            }
            #expect(received.id == event.id)
            #expect(try await writer.fetch(Filter(kinds: [20_001])) == [])
        }
    }

    @Test func aDeletedOrVanishedOrExpiredEventIsRefusedWithItsReason() async throws {
        try await withRelay { relay, _ in
            let client = try await TestClient(relay)
            let event = note("regret", by: alice)
            try await client.publish(event)
            try await client.publish(note("", by: alice, kind: .deletion, tags: [Tag("e", event.id.hex)]))
            #expect(try await client.publish(event) == (false, "blocked: its author has asked for its deletion"))
            let gone = note("", by: bob, kind: .requestToVanish, tags: [Tag("relay", "ALL_RELAYS")])
            try await client.publish(gone)
            let late = try await client.publish(note("back", by: bob))
            #expect(late == (false, "blocked: its author or addressee has asked to vanish"))
            let expired = note("old", by: alice, tags: [Expiration.tag(at: 1_700_000_001)])
            #expect(try await client.publish(expired) == (false, "invalid: the event has expired"))
        }
    }

    @Test func theCountIsThatOfWhatMatches() async throws {
        try await withRelay { relay, _ in
            let client = try await TestClient(relay)
            for number in 0..<5 {
                try await client.publish(note("\(number)", by: alice, kind: Kind(rawValue: number < 2 ? 1 : 7)))
            }
            let id = try SubscriptionID("c")
            try await client.send(.count(id, [Filter(kinds: [7])]))
            guard case .count(id, let count) = try await client.next() else {
                Issue.record("no count came")
                return
            }
            #expect(count == EventCount(count: 3))
        }
    }

    @Test func aLongAnswerComesWholeInOrderAndSaysWhetherThereIsMore() async throws {
        var options = RelayOptions()
        options.limits.eventsPerFilter = 300
        try await withRelay(options) { relay, store in
            let events = (0..<400).map { note("\($0)", by: alice, at: Int64(1_000 + $0)) }
            _ = try await store.ingest(events)
            let newest = events.reversed().map(\.id)
            let client = try await TestClient(relay)
            let all = try await client.stored([Filter()])
            #expect(all.ids == Array(newest.prefix(300)))
            #expect(all.hints == .more)
            let ten = try await client.stored([Filter(limit: 10)])
            #expect(ten.ids == Array(newest.prefix(10)))
            #expect(ten.hints == .more)
            let exact = try await client.stored([Filter(until: 1_009, limit: 10)])
            #expect(exact.ids.count == 10)
            #expect(exact.hints == .finish)
            let several = try await client.stored([Filter(until: 1_009), Filter(ids: [events[50].id])])
            #expect(several.ids.count == 11)
            #expect(several.hints == .finish)
        }
    }
}
